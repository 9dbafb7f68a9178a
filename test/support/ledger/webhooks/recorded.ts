import type { LedgerFact, PaymentLedger } from '../../../../ledger';
import { CLAIM } from '../claim';

export const AT = '2026-03-01T12:00:01.000Z';

/** Returns the facts of a session that has just opened. */
export const openedFacts = (key: string): readonly [LedgerFact, LedgerFact] => [
  { kind: 'opened', at: AT, sessionId: `id-of-${key}`, how: 'create' },
  { kind: 'state', at: AT, number: 1, status: 'Initiated', code: 'EFT0101', source: 'create' },
];

/** The facts of a session that was paid and ended. */
export const PAID_FACTS: readonly [LedgerFact, LedgerFact] = [
  { kind: 'state', at: AT, number: 2, status: 'Completed', code: 'EFT0301', source: 'poll' },
  {
    kind: 'ended',
    at: AT,
    firstRunId: CLAIM.firstRunId,
    paid: true,
    leftNothing: false,
    status: 'Completed',
    code: 'EFT0301',
  },
];

/** Records an opened session in a ledger. Recording it again changes nothing. */
export async function recordOpened(ledger: PaymentLedger, key: string): Promise<void> {
  await ledger.claim({ ...CLAIM, key });
  await ledger.record({ key, firstRunId: CLAIM.firstRunId }, openedFacts(key));
}

/** Records that the session was paid and ended. */
export async function recordPaid(ledger: PaymentLedger, key: string): Promise<void> {
  for (const fact of PAID_FACTS) await ledger.record({ key, firstRunId: CLAIM.firstRunId }, [fact]);
}
