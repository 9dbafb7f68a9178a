import { expect, test } from '@jest/globals';
import { generateEntries } from '../../../bench/workloads/ledger/generated-entries';
import { generatePayments } from '../../../bench/workloads/ledger/generated-payments';
import { newSigningKey, readSigningKey } from '../../../ledger';
import { summaryFaults } from '../../../ledger/log/compare-tables';
import { testLedger } from '../../support/ledger/test-ledger';

test('in the ledger that the benchmarks generate, the table of claims agrees with the entries', async () => {
  const { ledger, database } = await testLedger();
  await generatePayments(database, 31_000);
  const differing = await database.snapshot(async (statements) => {
    for await (const place of summaryFaults(statements)) return place;
    return undefined;
  });
  expect(differing).toBeUndefined();
  const moved = await Promise.all(
    (['paid', 'settled', 'returned', 'unpaid'] as const).map((money) => ledger.payments.totals({ money })),
  );
  for (const { count } of moved) expect(count).toBeGreaterThan(0);
});

test('the entries that the benchmark of verifications generates can be verified', async () => {
  const { ledger, database } = await testLedger();
  const entries = await generateEntries(database, 50);
  const signer = readSigningKey(newSigningKey('shop.example/ledger'));
  if (signer === undefined) throw new Error('a new key cannot be read');
  await ledger.checkpoint(signer);
  const verified = await ledger.verify({ verifierKey: signer.verifierKey });
  expect(verified).toMatchObject({ entries });
  expect(verified).not.toHaveProperty('fault');
});
