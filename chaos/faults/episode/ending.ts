import { setTimeout as sleep } from 'node:timers/promises';
import { isPaysessionError, type PaymentSessionHandle } from '../../../src';
import type { Ending } from '../invariants/evidence';
import { retryUntilAnswered, OF_RESTARTS } from './retry-until';
import type { World } from './world';

const LOOK_EVERY_MS = 5_000;
const PAUSE_MS = 500;
/**
 * Transient errors: the Temporal server is restarting, or no worker answers at this moment. A run that is reset is
 * terminated, and continues as another.
 */
const PASSING: readonly string[] = [...OF_RESTARTS, 'WORKER_UNAVAILABLE', 'SESSION_TERMINATED'];

/** Waits for the end of a session. Returns true if the end came before the time was up. */
export async function untilEnded(
  run: { readonly world: World; readonly handle: PaymentSessionHandle },
  isGivenUp: () => boolean,
): Promise<boolean> {
  for (;;) {
    const looked = new AbortController();
    const ended = run.world.client
      .withAbortSignal(looked.signal, () => run.handle.result())
      .then(
        () => true,
        async (error: unknown) => {
          if (isPaysessionError(error) && !PASSING.includes(error.code)) return true;
          // While the server is away, calls fail at once: without a pause, those of all sessions use up the processor and the memory.
          await sleep(PAUSE_MS);
          return false;
        },
      );
    // The Temporal client misses an abort while it waits to repeat a call.
    const hasEnded = await Promise.race([ended, sleep(LOOK_EVERY_MS, false)]);
    looked.abort();
    if (hasEnded) return true;
    if (isGivenUp()) return false;
  }
}

/** Returns when the workflow closed, by the server's clock. Callers learn of it later, and may have acted meanwhile. */
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

/** The end of a session as all callers can read it from then on, without a worker. */
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
