import { jest } from '@jest/globals';

/** Returns the seed of this run's random tests, and prints it. `npx jest FILE --seed 42` repeats a run with the seed 42. */
export function testSeed(): number {
  const seed = jest.getSeed();
  process.stderr.write(`--seed ${seed}\n`);
  return seed;
}

/** Returns a replacement for `Math.random` whose numbers depend only on the seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
