import { setTimeout as sleep } from 'node:timers/promises';
import { isPaysessionError, type PaymentSessionHandle } from '../../../src';
import type { Ending } from '../invariants/evidence';
import { retryUntilAnswered, OF_RESTARTS } from './retry-until';
import type { World } from './world';

const CHECK_EVERY_MS = 5_000;
const PAUSE_MS = 500;
/**
 * Transient errors: the Temporal server is restarting, no worker answers at this moment, or the run was reset: then it is
 * terminated, and another run continues.
 */
const TRANSIENT: readonly string[] = [...OF_RESTARTS, 'WORKER_UNAVAILABLE', 'SESSION_TERMINATED'];

/** Waits for the end of a session. Returns false if the session has not ended when `isGivenUp` returns true. */
export async function untilEnded(
  run: { readonly world: World; readonly handle: PaymentSessionHandle },
  isGivenUp: () => boolean,
): Promise<boolean> {
  for (;;) {
    const attempt = new AbortController();
    const ended = run.world.client
      .withAbortSignal(attempt.signal, () => run.handle.result())
      .then(
        () => true,
        async (error: unknown) => {
          if (isPaysessionError(error) && !TRANSIENT.includes(error.code)) return true;
          // While the server is down, calls fail at once. Without a pause, the calls of all sessions would use up processor and memory.
          await sleep(PAUSE_MS);
          return false;
        },
      );
    // The Temporal client misses an abort while it waits to repeat a call.
    const hasEnded = await Promise.race([ended, sleep(CHECK_EVERY_MS, false)]);
    attempt.abort();
    if (hasEnded) return true;
    if (isGivenUp()) return false;
  }
}

/** Returns the time at which the workflow closed, by the server's clock. Callers learn of the end later. */
export async function closedAtMs({
  world,
  handle,
}: {
  readonly world: World;
  readonly handle: PaymentSessionHandle;
}): Promise<number> {
  const run = await world.client.workflow
    .getHandle(handle.workflowId)
    .describe()
    .catch(() => undefined);
  return run?.closeTime?.getTime() ?? Date.now();
}

/** Reads the end of a session, as all callers can read it without a worker. */
export async function readEnding(handleOf: () => PaymentSessionHandle): Promise<Ending | undefined> {
  let ending: Ending | undefined;
  await retryUntilAnswered(async () => {
    const state = await handleOf().state();
    const stateHistory = await handleOf().stateHistory();
    ending =
      state.failure === undefined
        ? { how: 'ended', result: await handleOf().result() }
        : { how: 'failed', code: state.failure.code, state, stateHistory };
  });
  return ending;
}
