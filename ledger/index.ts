export { PaymentLedger } from './payment-ledger';
export type { PaymentLedgerOptions } from './payment-ledger';
export { LedgerDatabase } from './postgres/database';
export { migrate, plannedMigrations } from './schema/migrate';
export type { Migration } from './schema/migrations';
export type { LedgerClaim, LedgerClaimAnswer, LedgerEntry, LedgerFact } from '../src/protocol/ledger/facts';
export { sweepLedger } from './sweep';
export type { SweepOptions, SweptSession } from './sweep';
