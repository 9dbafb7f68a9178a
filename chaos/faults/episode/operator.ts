import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, ERRORS_OF_RESTARTS } from './retry-until';
import type { World } from './world';

const READ_EVERY_MS = 700;

/**
 * Acts as an operator who repeatedly reads the list of parked sessions and decides about each of them. Returns a function that stops the
 * operator.
 */
export function operate(world: World): () => Promise<void> {
  const over = new AbortController();
  const shift = work(world, over.signal);
  return async () => {
    over.abort();
    await shift;
  };
}

async function work(world: World, signal: AbortSignal): Promise<void> {
  const runs = new Map<string, Promise<void>>();
  while (!signal.aborted) {
    try {
      for await (const { key } of world.sessions.list({ problem: 'parked', running: true })) {
        const run = world.lanes.map((lane) => lane.runs.get(key)).find((found) => found !== undefined);
        if (run === undefined || runs.has(key)) continue;
        runs.set(
          key,
          run.decide().finally(() => runs.delete(key)),
        );
      }
    } catch (error) {
      // The Temporal server is restarting.
      if (!ERRORS_OF_RESTARTS.includes(codeOf(error))) throw error;
    }
    await sleep(READ_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  await Promise.allSettled(runs.values());
}
