import { eft } from '../requests';
import type { LedgerClaim } from '../../../src/protocol/ledger/facts';

/** A claim of a key, which tests change as needed. */
export const CLAIM: LedgerClaim = {
  key: 'order-1',
  fingerprint: 'same',
  firstRunId: 'run-1',
  account: 'default',
  request: eft(),
  at: '2026-03-01T12:00:00.000Z',
};
