import type { LedgerFact, PaymentLedger } from '../../../ledger';
import { eft } from '../requests';
import { CLAIM } from './claim';
import { testLedger } from './test-ledger';
import type { LedgerClaim } from '../../../src/protocol/ledger/facts';

const opened = (sessionId: string): LedgerFact => ({
  kind: 'opened',
  at: '2026-03-01T12:00:00.000Z',
  sessionId,
  how: 'create',
});
export const ended = (at: string, paid: boolean): LedgerFact => ({
  kind: 'ended',
  at,
  firstRunId: CLAIM.firstRunId,
  paid,
  status: paid ? 'Completed' : 'Expired',
  leftNothing: false,
});
export const settled = (day: string): LedgerFact => ({
  kind: 'settled',
  at: `${day}T00:00:00.000Z`,
  amount: 1,
});
const returned = (day: string): LedgerFact => ({ kind: 'returned', at: `${day}T00:00:00.000Z`, amount: 1 });

const EXAMPLES: readonly (readonly [
  string,
  Partial<LedgerClaim>,
  number | undefined,
  readonly LedgerFact[],
])[] = [
  ['order-1', { at: '2026-03-01T12:00:00.000Z', referenceId: 'Spring/Boots-17' }, 25, []],
  [
    'order-2',
    { at: '2026-03-02T03:00:00.000Z', account: 'west' },
    0.1,
    [opened('s-2'), ended('2026-03-02T04:30:00.000Z', true)],
  ],
  [
    'order-3',
    { at: '2026-03-02T12:00:00.000Z', account: 'west', referenceId: 'boots' },
    0.2,
    [opened('s-3'), ended('2026-03-02T13:00:00.000Z', true), settled('2026-03-03')],
  ],
  [
    'other-4',
    { at: '2026-03-03T12:00:00.000Z' },
    1_250.5,
    [
      opened('5a1c0d52-0000-4000-8000-000000000004'),
      ended('2026-03-03T13:00:00.000Z', true),
      settled('2026-03-04'),
      returned('2026-03-05'),
    ],
  ],
  [
    'other-5',
    { at: '2026-03-04T12:00:00.000Z' },
    undefined,
    [opened('s-5'), ended('2026-03-04T13:00:00.000Z', false)],
  ],
];
/** Fills a new ledger with five payments: one is open, one is scheduled, one has arrived, one came back, and one expired. */
export async function exampleLedger(): Promise<PaymentLedger> {
  const { ledger } = await testLedger();
  for (const [key, claim, amount, facts] of EXAMPLES) {
    const { amount: _amount, ...open } = eft();
    const request = amount === undefined ? open : { ...open, amount };
    await ledger.claim({ ...CLAIM, ...claim, key, request });
    await ledger.record({ ...CLAIM, key }, facts);
  }
  return ledger;
}
