import { setTimeout as sleep } from 'node:timers/promises';
import { PaysessionError, withRemedy } from '../../src/errors';
import { tasksOf, type StatusOf } from './quiet';

const LOOK_EVERY_MS = 50;
/** Looks at idle workers, not time, are counted: on a machine that hangs neither goes on. */
const LOOKS_UNTIL_STUCK = 600;

/**
 * Waits until time has skipped. Throws `PaysessionError` `ENGINE_STUCK` once the workers have had nothing to do for half a
 * minute: time then waits for a task that nobody has, for it does not skip while one is open.
 */
export async function unlessStuck(
  skipped: Promise<unknown>,
  workers: readonly StatusOf[],
  looksUntilStuck = LOOKS_UNTIL_STUCK,
): Promise<void> {
  const watch = new AbortController();
  try {
    await Promise.race([skipped, onceStuck(workers, looksUntilStuck, watch.signal)]);
  } finally {
    watch.abort();
  }
}

async function onceStuck(
  workers: readonly StatusOf[],
  looksUntilStuck: number,
  signal: AbortSignal,
): Promise<never> {
  for (let idle = 0; idle < looksUntilStuck; idle = tasksOf(workers) === 0 ? idle + 1 : 0) {
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  const message =
    'Virtual time is not advancing, though the world’s workers are idle: a task waits for a worker of its task queue, or has been lost (temporalio/sdk-java#3088).';
  throw new PaysessionError('ENGINE_STUCK', withRemedy('ENGINE_STUCK', message));
}
