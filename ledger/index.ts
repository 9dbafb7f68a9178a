export {
  PaymentLedger,
  type Erasure,
  type ExplainedOutcome,
  type HandledReturn,
  type LineExplanation,
} from './payment-ledger';
export type { PaymentLedgerOptions } from './payment-ledger';
export type { ReconciledLine, ReconcileOptions } from './reconciliation/reconcile';
export type { ReconciliationTotals } from './reconciliation/totals';
export type {
  ReconciliationRun,
  UnmatchedLine,
  UnmatchedPage,
  UnmatchedPageOptions,
  UnmatchedSum,
  UnmatchedTotals,
} from './reconciliation/unmatched-lines';
export type { PaymentFilter } from './sessions/filter';
export type { ArrivalDay, PaymentPage, PaymentPageOptions, PaymentTotals } from './sessions/ledger-payments';
export type { LedgerSession } from './sessions/summary';
export { LedgerDatabase } from './postgres/database';
export { migrate, plannedMigrations } from './postgres/migrate';
export type { LedgerEntry, LedgerFact } from '../src/protocol/ledger/facts';
export { sweepLedger } from './sweep';
export type { SweepOptions, SweptSession } from './sweep';
export { newSigningKey, readSigningKey, readVerifierKey } from './log/signed-note';
export type { Checkpoint } from './log/signed-note';
export type { EntryProof } from './log/checkpoints';
export type { LedgerFault } from './log/fault';
export type { CheckpointOptions } from './log/compare-checkpoints';
export type { VerifiedLedger, VerifyOptions } from './log/verify';
export { checkpointFolder } from './log/checkpoint-store';
export type { CheckpointStore } from './log/checkpoint-store';
export { keepLedger } from './log/keep-ledger';
export type { KeeperEvent, KeepOptions } from './log/keep-ledger';
export type {
  OpsEvent,
  WebhookEvent,
  WebhookData,
  WebhookKind,
  WebhookPayment,
  WebhookPing,
} from '../src/protocol/webhooks';
export type { WebhookEndpoint } from '../src/settings/webhooks/endpoints';
export { webhookPost } from './webhooks/post';
export { sendWebhooks } from './webhooks/send-webhooks';
export type { SendWebhooksOptions } from './webhooks/send-webhooks';
