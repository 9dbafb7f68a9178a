import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs a step repeatedly, until the signal aborts or the step returns `undefined`. The step returns the pause before its next run, in
 * milliseconds. The step must not reject. A pause does not keep the process alive.
 */
export async function repeatUntil(
  signal: AbortSignal,
  step: () => Promise<number | undefined>,
): Promise<void> {
  while (!signal.aborted) {
    const pauseMs = await step();
    if (pauseMs === undefined) return;
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
