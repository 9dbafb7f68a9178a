import { expect, test } from '@jest/globals';
import { connectTo, newDatabase } from '../../support/ledger/test-ledger';

test('a statement in a transaction, such as a migration’s, may run longer than the ledger’s limit for single statements', async () => {
  const database = connectTo(await newDatabase());
  const slow = "select 'done' as answer from pg_sleep(8)";
  const [inside, alone] = await Promise.allSettled([
    database.transaction((statements) => statements.query(slow)),
    database.query(slow),
  ]);
  expect(inside).toMatchObject({ status: 'fulfilled', value: [{ answer: 'done' }] });
  expect(alone).toMatchObject({ status: 'rejected', reason: { code: 'LEDGER_UNAVAILABLE' } });
});
