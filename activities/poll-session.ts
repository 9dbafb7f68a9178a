import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { isNews } from '../src/contract';
import { ServiceError } from '../src/errors';
import type { PacedService } from '../src/service';
import type { PollResult, PollSessionInput } from '../src/protocol/activities';

/** How a session is polled. */
export interface PollingOptions {
  /** Each tells to make no further poll. @default none */
  readonly ends?: readonly AbortSignal[];
  /** Whether a place in the waiting room is held for the polls. @default false */
  readonly hasPlace?: boolean;
}

/** Well within the heartbeat timeout of the activity's proxy. */
const HEARTBEAT_EVERY_MS = 4_000;

/**
 * Polls the session's details once, or in a burst that ends at the first news, the first failure, its time, or when one of
 * the `ends` aborts. A burst costs the engine one activity where separate polls would cost one each. A poll that is under
 * way when it is cancelled is finished: what it has seen counts.
 */
export async function pollSession(
  service: PacedService,
  input: PollSessionInput,
  { ends = [], hasPlace = false }: PollingOptions = {},
): Promise<PollResult> {
  const context = Context.current();
  const heartbeat = (): void => {
    context.heartbeat();
  };
  const heartbeats = setInterval(heartbeat, HEARTBEAT_EVERY_MS);
  // Not `AbortSignal.any`: the worker's signal outlives each burst, and would hold what listens to it.
  const pauses = new AbortController();
  const lost = new AbortController();
  const stop = (): void => {
    pauses.abort();
    if (context.cancellationDetails?.cancelRequested !== true && context.cancellationSignal.aborted)
      lost.abort();
  };
  const signals = [context.cancellationSignal, ...ends];
  for (const signal of signals) signal.addEventListener('abort', stop);
  if (signals.some((signal) => signal.aborted)) stop();
  try {
    const polls = { lost: lost.signal, noPause: pauses.signal, afterPoll: heartbeat, hasPlace };
    return await burst(service, input, polls);
  } finally {
    clearInterval(heartbeats);
    for (const signal of signals) signal.removeEventListener('abort', stop);
  }
}

interface Polls {
  /** Aborts when nobody waits for the poll any more: the worker has stopped, or the session has ended. */
  readonly lost: AbortSignal;
  /** Aborts when no further poll is to be made. */
  readonly noPause: AbortSignal;
  /** The engine answers a heartbeat with a cancel: after one, there is at most one more poll. */
  readonly afterPoll: () => void;
  readonly hasPlace: boolean;
}

async function burst(
  service: PacedService,
  input: PollSessionInput,
  { lost, noPause, afterPoll, hasPlace }: Polls,
): Promise<PollResult> {
  const endsAtMs = Date.now() + input.forMs;
  for (;;) {
    const result = await pollOnce(service, input, { signal: lost, hasPlace });
    const isTimeUp = Date.now() + input.everyMs > endsAtMs;
    if (result.outcome !== 'seen' || isNews(input.known, result.snapshot) || isTimeUp) return result;
    afterPoll();
    // Ends at once where no further poll is to be made.
    await sleep(input.everyMs, undefined, { signal: noPause }).catch(() => undefined);
    if (noPause.aborted) return result;
  }
}

async function pollOnce(
  service: PacedService,
  { sessionId, urgent = false, expected }: PollSessionInput,
  { signal, hasPlace }: { readonly signal: AbortSignal; readonly hasPlace: boolean },
): Promise<PollResult> {
  const options = { signal, urgent, hasPlace, ...(expected !== undefined && { expected }) };
  try {
    return { outcome: 'seen', snapshot: await service.sessionDetails(sessionId, options) };
  } catch (error) {
    if (signal.aborted) return { outcome: 'interrupted' };
    if (error instanceof ServiceError) return { outcome: 'failed', failure: error.failure };
    throw error;
  }
}
