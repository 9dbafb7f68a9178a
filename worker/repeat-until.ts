import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs a step that never rejects, again and again with pauses between, until the signal aborts or the step returns no
 * pause. Keeps no process alive.
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
