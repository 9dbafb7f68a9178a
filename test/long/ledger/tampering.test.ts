import { expect, test } from '@jest/globals';
import { RECORDED_SCHEMA } from '../../../ledger/postgres/recorded-schema';
import { faultAfter } from '../../support/ledger/fault-after';
import { keptLedger } from '../../support/ledger/kept-ledger';
import { NO_EVIDENCE, RandomTamperings, type Made } from '../../support/ledger/random-tamperings';
import { seededRandom, testSeed } from '../../support/seed';

const RUNS = Number(process.env['PAYSESSION_TEST_RUNS'] ?? 10);
const CHANGES = RUNS * 10;

test(
  'ledger verify finds each random change by the database’s owner',
  async () => {
    const { database, since, verifierKey } = await keptLedger();
    const tamperings = await RandomTamperings.of(database, seededRandom(testSeed()));
    const missed: (Made & { readonly found?: string })[] = [];
    for (let count = 0; count < CHANGES; count += 1) {
      let made: Made | undefined;
      const fault = await faultAfter(database, { since, verifierKey }, async (statements) => {
        made = await tamperings.make(statements);
      });
      // The owner could drop a constraint, change a row and restore the constraint. So a changed row counts as found only if the
      // verification finds the row itself, and not a changed schema.
      const isFound = fault !== undefined && !(made?.isOfRows === true && fault.kind === 'schema');
      if (made !== undefined && !isFound) missed.push({ ...made, ...(fault && { found: fault.message }) });
    }
    expect(missed).toEqual([]);
  },
  60_000 + RUNS * 20_000,
);

test('all exceptions of the verification name existing tables and columns of the ledger', () => {
  const named = Object.keys(NO_EVIDENCE).map((name) => `${name.includes('.') ? 'column' : 'table'} ${name}`);
  expect(Object.keys(RECORDED_SCHEMA)).toEqual(expect.arrayContaining(named));
});
