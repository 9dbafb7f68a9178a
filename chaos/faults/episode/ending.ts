import { setTimeout as sleep } from 'node:timers/promises';
import { isPaysessionError, type PaymentSessionHandle } from '../../../src';
import type { Ending } from '../invariants/evidence';
import { retryUntilAnswered, ERRORS_OF_RESTARTS } from './retry-until';
import type { World } from './world';

const CHECK_EVERY_MS = 5_000;
const PAUSE_MS = 500;
/**
 * Codes of transient errors. The Temporal server is restarting, or no worker answers now. Or the workflow run was reset: the old run is
 * terminated, and a new run continues.
 */
const TRANSIENT: readonly string[] = [...ERRORS_OF_RESTARTS, 'WORKER_UNAVAILABLE', 'SESSION_TERMINATED'];

/** Waits for the end of a session. Returns true if the session has ended. Gives up and returns false once `isGivenUp` returns true. */
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
          // While the server is down, calls fail at once. The pause keeps the repeated calls of all sessions from using up processor and
          // memory.
          await sleep(PAUSE_MS);
          return false;
        },
      );
    // The Temporal client does not notice an abort while it waits to repeat a call. So this code also has a limit of its own.
    const hasEnded = await Promise.race([ended, sleep(CHECK_EVERY_MS, false)]);
    attempt.abort();
    if (hasEnded) return true;
    if (isGivenUp()) return false;
  }
}

/** Returns the time at which the workflow closed, by the server's clock. Callers receive the end a little later. */
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

/** Reads the end of a session in the way that works without a worker. */
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
