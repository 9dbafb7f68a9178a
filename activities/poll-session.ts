import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { isNews } from '../src/contract';
import { ServiceError } from '../src/errors';
import type { PaymentService } from '../src/service';
import type { PollResult, PollSessionInput } from './types';

/** Well within the heartbeat timeout of the activity's proxy. */
const HEARTBEAT_EVERY_MS = 4_000;

/**
 * Polls the session's details once, or in a burst that ends at the first news, the first failure or its time. A burst
 * costs the engine one activity where separate polls would cost one each.
 */
export async function pollSession(service: PaymentService, input: PollSessionInput): Promise<PollResult> {
  const context = Context.current();
  const heartbeat = setInterval(() => {
    context.heartbeat();
  }, HEARTBEAT_EVERY_MS);
  try {
    return await burst(service, input, context.cancellationSignal);
  } finally {
    clearInterval(heartbeat);
  }
}

async function burst(
  service: PaymentService,
  input: PollSessionInput,
  signal: AbortSignal,
): Promise<PollResult> {
  const endsAtMs = Date.now() + input.forMs;
  for (;;) {
    const result = await pollOnce(service, input.sessionId, signal);
    const isOver = Date.now() + input.everyMs > endsAtMs;
    if (result.outcome !== 'seen' || isNews(input.known, result.snapshot) || isOver) return result;
    await sleep(input.everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return { outcome: 'interrupted' };
  }
}

async function pollOnce(
  service: PaymentService,
  sessionId: string,
  signal: AbortSignal,
): Promise<PollResult> {
  try {
    return { outcome: 'seen', snapshot: await service.sessionDetails(sessionId, { signal }) };
  } catch (error) {
    if (signal.aborted) return { outcome: 'interrupted' };
    if (error instanceof ServiceError) return { outcome: 'failed', failure: error.failure };
    throw error;
  }
}
