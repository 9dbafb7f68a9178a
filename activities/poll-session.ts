import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { isNews } from '../src/contract';
import { ServiceError } from '../src/errors';
import type { PacedService } from '../src/service';
import type { PollResult, PollSessionInput } from './types';

/** What a poll needs of the service. */
export type PolledService = Pick<PacedService, 'sessionDetails'>;

/** Well within the heartbeat timeout of the activity's proxy. */
const HEARTBEAT_EVERY_MS = 4_000;

/**
 * Polls the session's details once, or in a burst that ends at the first news, the first failure, its time, or when the
 * worker is `stopping`. A burst costs the engine one activity where separate polls would cost one each.
 */
export async function pollSession(
  service: PolledService,
  input: PollSessionInput,
  stopping?: AbortSignal,
): Promise<PollResult> {
  const context = Context.current();
  const heartbeat = setInterval(() => {
    context.heartbeat();
  }, HEARTBEAT_EVERY_MS);
  // Not `AbortSignal.any`: the worker's signal outlives each burst, and would hold what listens to it.
  const pauses = new AbortController();
  const endPause = (): void => {
    pauses.abort();
  };
  const signals = [context.cancellationSignal, stopping];
  for (const signal of signals) signal?.addEventListener('abort', endPause);
  if (signals.some((signal) => signal?.aborted)) endPause();
  try {
    return await burst(service, input, context.cancellationSignal, pauses.signal);
  } finally {
    clearInterval(heartbeat);
    for (const signal of signals) signal?.removeEventListener('abort', endPause);
  }
}

async function burst(
  service: PolledService,
  input: PollSessionInput,
  cancelled: AbortSignal,
  noPause: AbortSignal,
): Promise<PollResult> {
  const endsAtMs = Date.now() + input.forMs;
  for (;;) {
    const result = await pollOnce(service, input, cancelled);
    const isOver = Date.now() + input.everyMs > endsAtMs;
    if (result.outcome !== 'seen' || isNews(input.known, result.snapshot) || isOver) return result;
    await sleep(input.everyMs, undefined, { signal: noPause }).catch(() => undefined);
    if (noPause.aborted) return result;
  }
}

async function pollOnce(
  service: PolledService,
  { sessionId, urgent = false }: PollSessionInput,
  signal: AbortSignal,
): Promise<PollResult> {
  try {
    return { outcome: 'seen', snapshot: await service.sessionDetails(sessionId, { signal, urgent }) };
  } catch (error) {
    if (signal.aborted) return { outcome: 'interrupted' };
    if (error instanceof ServiceError) return { outcome: 'failed', failure: error.failure };
    throw error;
  }
}
