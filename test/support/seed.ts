import { randomInt } from 'node:crypto';

/**
 * The seed of this run's random tests, which is printed; `PAYSESSION_TEST_SEED=42 npx jest …` runs the same again.
 */
export function testSeed(): number {
  const given = process.env['PAYSESSION_TEST_SEED'];
  const seed = given === undefined ? randomInt(2 ** 31) : Number(given);
  if (!Number.isInteger(seed)) throw new Error('PAYSESSION_TEST_SEED must be a whole number');
  process.stderr.write(`PAYSESSION_TEST_SEED=${seed}\n`);
  return seed;
}
