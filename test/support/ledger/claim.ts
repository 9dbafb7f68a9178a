import { eft } from '../requests';
import type { LedgerClaim, LedgerFact } from '../../../src/protocol/ledger/facts';

/** A claim: the ledger’s record that a key belongs to one workflow. Tests change its fields as needed. */
export const CLAIM: LedgerClaim = {
  key: 'order-1',
  fingerprint: 'same',
  firstRunId: 'run-1',
  account: 'default',
  request: eft(),
  at: '2026-03-01T12:00:00.000Z',
};

/** Returns the state of a paid session that a poll saw at this time. */
export const paidState = (at: string): LedgerFact => ({
  kind: 'state',
  at,
  number: 3,
  status: 'Completed',
  code: 'EFT0301',
  source: 'poll',
});
