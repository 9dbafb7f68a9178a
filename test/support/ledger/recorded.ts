import type { LedgerFact, PaymentLedger } from '../../../ledger';
import { fingerprintOf } from '../../../src/sessions';
import type { SessionResult } from '../../../src';
import { CLAIM } from './claim';

/** Records a paid session in a ledger, and returns its result. Temporal has no workflow of this session. */
export async function recordPaid(ledger: PaymentLedger, key: string): Promise<SessionResult> {
  const { account, request, at } = CLAIM;
  const sessionId = '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1';
  const paid = { paid: true, status: 'Completed', code: 'EFT0301', amount: 25 } as const;
  const decision = {
    decision: 'refresh',
    by: 'ann',
    reason: 'asked by phone',
    result: 'applied',
    at,
  } as const;
  const result: SessionResult = {
    key,
    kind: 'EFT',
    referenceId: null,
    ...paid,
    sessionId,
    checkoutUrl: `https://pay.example/app/?sessionId=${sessionId}`,
    stateHistory: [
      { status: 'Initiated', code: 'EFT0101', firstSeenAt: at, source: 'create' },
      { status: 'Completed', code: 'EFT0301', firstSeenAt: at, source: 'poll' },
    ],
    anomalies: [],
    decisions: [decision],
  };
  const ended: LedgerFact = { kind: 'ended', at, firstRunId: 'run-1', ...paid, leftNothing: false, result };
  const opened: LedgerFact = { kind: 'opened', at, sessionId, how: 'create' };
  const claim = { ...CLAIM, key, fingerprint: fingerprintOf({ key, account, request }) };
  await ledger.recordEnded(claim, [opened, { kind: 'decision', number: 1, ...decision }, ended]);
  return result;
}
