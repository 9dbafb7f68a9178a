import type { PaymentLedger } from '../../../../ledger';
import { CLAIM } from '../claim';

export const AT = '2026-03-01T12:00:01.000Z';

/** Has a ledger know a session that was opened. Told once more, it changes nothing. */
export async function recordOpened(ledger: PaymentLedger, key: string): Promise<void> {
  await ledger.claim({ ...CLAIM, key });
  await ledger.record({ key, firstRunId: CLAIM.firstRunId }, [
    { kind: 'opened', at: AT, sessionId: `id-of-${key}`, how: 'create' },
    { kind: 'state', at: AT, number: 1, status: 'Initiated', code: 'EFT0101', source: 'create' },
  ]);
}

/** Has it know that the session was paid, and ended. */
export async function recordPaid(ledger: PaymentLedger, key: string): Promise<void> {
  await ledger.record({ key, firstRunId: CLAIM.firstRunId }, [
    { kind: 'state', at: AT, number: 2, status: 'Completed', code: 'EFT0301', source: 'poll' },
  ]);
  await ledger.record({ key, firstRunId: CLAIM.firstRunId }, [
    {
      kind: 'ended',
      at: AT,
      firstRunId: CLAIM.firstRunId,
      paid: true,
      leftNothing: false,
      status: 'Completed',
      code: 'EFT0301',
    },
  ]);
}
