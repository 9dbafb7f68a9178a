import { jest } from '@jest/globals';

/** The seed of this run's random tests, which is printed; `npx jest … --seed 42` runs the same again. */
export function testSeed(): number {
  const seed = jest.getSeed();
  process.stderr.write(`--seed ${seed}\n`);
  return seed;
}
