import { expect, test } from '@jest/globals';
import { testLedger } from '../../support/ledger/test-ledger';
import { eft } from '../../support/requests';
import { paysession } from '../../support/cli/run-paysession';
import type { LedgerClaim } from '../../../src/protocol/ledger/facts';

const request = eft();

const claimOf = (key: string, at: string, own: Partial<LedgerClaim> = {}): LedgerClaim => ({
  key,
  fingerprint: 'same',
  firstRunId: 'run-1',
  account: 'default',
  request,
  at,
  ...own,
});

/** Creates a ledger with two sessions: one is paid, and one has failed. */
async function ledgerOfTwo() {
  const { url, ledger } = await testLedger();
  await ledger.claim(claimOf('order-1', '2026-03-01T12:00:00.000Z', { referenceId: 'ref-1' }));
  await ledger.record({ key: 'order-1', firstRunId: 'run-1' }, [
    {
      kind: 'ended',
      at: '2026-03-01T13:00:00.000Z',
      firstRunId: 'run-1',
      paid: true,
      status: 'Completed',
      code: 'EFT0301',
      leftNothing: false,
    },
    { kind: 'returned', at: '2026-03-05T00:00:00.000Z', amount: 25, code: 'NSF' },
  ]);
  await ledger.claim(claimOf('order-2', '2026-03-02T12:00:00.000Z', { account: 'west' }));
  await ledger.record({ key: 'order-2', firstRunId: 'run-1' }, [
    {
      kind: 'ended',
      at: '2026-03-02T13:00:00.000Z',
      firstRunId: 'run-1',
      paid: false,
      failure: 'CREATE_ABANDONED',
      leftNothing: false,
    },
  ]);
  return { url, env: { PAYSESSION_LEDGER_URL: url } };
}

test('the command ledger list lists the sessions of a customer, with a column for customers', async () => {
  const { url, ledger } = await testLedger();
  const env = { PAYSESSION_LEDGER_URL: url };
  const metadata = { customer: 'cus_42', note: 'VIP' };
  await ledger.claim(claimOf('order-1', '2026-03-01T12:00:00.000Z', { metadata, searchable: ['customer'] }));
  await ledger.claim(claimOf('order-2', '2026-03-02T12:00:00.000Z', { metadata }));
  const { stdout } = await paysession(['ledger', 'list', '--customer', 'cus_42'], { env });
  expect(stdout).toMatch(
    /^KEY .* CUSTOMER +ACCOUNT .*\norder-1 .* cus_42 +default .*\n1 session; \$25\.00\.\n$/,
  );
  const shown = await paysession(['ledger', 'show', 'order-1'], { env });
  expect(shown.stdout).toContain('customer=cus_42');
  expect(shown.stdout).not.toContain('VIP');
  const refused = await paysession(['ledger', 'list', '--metadata', 'customer'], { env });
  expect(refused.stderr).toContain('must be a name and a value, such as customer=cus_42');
});

test('the command ledger list lists sessions as a table or as JSON, without personal data', async () => {
  const { env } = await ledgerOfTwo();
  const table = await paysession(['ledger', 'list'], { env });
  expect(table.code).toBe(0);
  const [head, first, second] = table.stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(head).toEqual([
    'KEY',
    'KIND',
    'STATE',
    'PAID',
    'AMOUNT',
    'REFERENCE',
    'ACCOUNT',
    'CLAIMED',
    'ENDED',
    'MONEY',
  ]);
  expect(first?.slice(0, 5)).toEqual(['order-2', 'EFT', 'failed CREATE_ABANDONED', 'no', '$25.00']);
  expect(second).toEqual([
    ...['order-1', 'EFT', 'Completed EFT0301', 'yes', '$25.00', 'ref-1', 'default'],
    ...[
      '2026-03-01T12:00:00.000Z',
      '2026-03-01T13:00:00.000Z',
      'returned 2026-03-05 NSF: Not sufficient funds',
    ],
  ]);
  const atOnce = await paysession(['ledger', 'list', '--json'], { env });
  expect(JSON.parse(atOnce.stdout)).toMatchObject([{ key: 'order-2' }, { key: 'order-1' }]);
  const json = await paysession(['ledger', 'list', '--jsonl', '--limit', '1'], { env });
  expect(
    json.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    expect.objectContaining({
      key: 'order-2',
      outcome: 'failed',
      failure: 'CREATE_ABANDONED',
      account: 'west',
    }),
  ]);
  for (const { stdout } of [table, json]) expect(stdout).not.toContain(request.payor.email);
});

test.each([
  [['--day', '2026-03-01'], ['order-1']],
  [['--reference', 'ref-1'], ['order-1']],
  [['--account', 'west'], ['order-2']],
  [
    ['--amount', '25.00'],
    ['order-2', 'order-1'],
  ],
  [['--outcome', 'ended'], ['order-1']],
  [['--paid'], ['order-1']],
  [['--unpaid'], ['order-2']],
  [['--outcome', 'open'], []],
])('the command ledger list with %j lists the matching sessions', async (args, keys) => {
  const { env } = await ledgerOfTwo();
  const { stdout, code } = await paysession(['ledger', 'list', '--jsonl', ...args], { env });
  const lines = stdout.split('\n').filter(Boolean);
  expect(lines.map((line) => (JSON.parse(line) as { readonly key: string }).key)).toEqual(keys);
  expect(code).toBe(0);
});

test.each([
  ['--day', '2026-02-30', 'must be a day such as'],
  ['--day', '2026-3-1', 'must be a day such as'],
  ['--amount', '25.005', 'must be an amount in dollars'],
  ['--amount', '0', 'must be an amount in dollars'],
  ['--outcome', 'over', 'ended, failed, open'],
])('the command ledger list refuses %s %s', async (option, value, message) => {
  const answer = await paysession(['ledger', 'list', option, value]);
  expect(answer).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});
