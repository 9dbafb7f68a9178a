import type { PaymentLedger } from '../../../ledger';
import type { LedgerEnd, LedgerClaim } from '../../../src/protocol/ledger/facts';
import { asking } from '../requests';
import { CLAIM } from './claim';

/** A payment to record in a ledger. */
export interface RecordedPayment {
  readonly key: string;
  readonly referenceId?: string;
  /** @default derived from the key */
  readonly sessionId?: string;
  /** @default 25 */
  readonly amount?: number;
  /** True if the payor may change the amount. */
  readonly amountModification?: true;
  readonly direction?: 'DEBIT' | 'CREDIT';
  readonly account?: string;
  /** The time of the claim. @default the time of `CLAIM` */
  readonly at?: string;
  /** The session’s end, or `null` if it is open. @default paid */
  readonly end?: Partial<LedgerEnd> | null;
}

export const PAID = { paid: true, status: 'Completed', code: 'EFT0301' } as const;
export const EXPIRED = { paid: false, status: 'Expired', code: 'EFT0601' } as const;

export const sessionIdOf = ({ key, sessionId = `session-of-${key}` }: RecordedPayment): string => sessionId;

/** Records a payment in a ledger. If the first call has no end, a second call can record the end. */
export async function recordPayment(ledger: PaymentLedger, payment: RecordedPayment): Promise<void> {
  const { key, at = CLAIM.at, end = PAID } = payment;
  const firstRunId = `run-of-${key}`;
  await ledger.recordEnded(claimOf(payment), [
    { kind: 'opened', at, sessionId: sessionIdOf(payment), how: 'create' },
    ...(end === null
      ? []
      : [{ kind: 'ended', at, firstRunId, paid: false, leftNothing: false, ...end } as const]),
  ]);
}

function claimOf({
  key,
  referenceId,
  amount = 25,
  amountModification,
  direction = 'DEBIT',
  account = 'default',
  at = CLAIM.at,
}: RecordedPayment): LedgerClaim {
  const { request } = CLAIM;
  const asked = direction === 'DEBIT' ? request : { ...request, type: 'e-Transfer' as const, direction };
  return {
    key,
    fingerprint: `fingerprint-of-${key}`,
    firstRunId: `run-of-${key}`,
    account,
    request: asking({ ...asked, amount }, { ...(amountModification && { amountModification }) }),
    at,
    ...(referenceId !== undefined && { referenceId }),
  };
}
