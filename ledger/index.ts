export { PaymentLedger } from './payment-ledger';
export type { PaymentLedgerOptions } from './payment-ledger';
export type { Erasure } from './erasure';
export type { HandledReturn } from './handled-return';
export type { RewrapProgress } from './rewrap';
export type { ReconciliationColumns } from './reconciliation/columns';
export type { FileLine } from './reconciliation/file-line';
export type { UnmatchedReason } from './reconciliation/match';
export type { ReconciledLine, ReconcileOptions } from './reconciliation/reconcile';
export { ReconciliationTally } from './reconciliation/totals';
export type { ReconciliationTotals, Total } from './reconciliation/totals';
export type { TemporalNamespace } from '../src/sessions';
export type { EnvironmentMisfit, EnvironmentUse, LedgerNamespaces } from './namespaces';
export type { DayFigure, DaysOptions, Figure } from './payments/daily-figures';
export type { PaymentFilter } from './payments/filter';
export type {
  LedgerPayments,
  PaymentOrder,
  PaymentPage,
  PaymentPageOptions,
  PaymentPlace,
  PaymentSum,
  PaymentTotals,
} from './payments/ledger-payments';
export type { Direction, LedgerOutcome, LedgerSession, MoneyPlace } from './sessions/summary';
export { LedgerDatabase } from './postgres/database';
export { migrate, plannedMigrations } from './schema/migrate';
export type { Migration } from './schema/migrations';
export { rightsOf } from './schema/rights';
export type { LedgerRoles } from './schema/rights';
export type { LedgerClaim, LedgerClaimAnswer, LedgerEntry, LedgerFact } from '../src/protocol/ledger/facts';
export { sweepLedger } from './sweep';
export type { SweepOptions, SweptSession } from './sweep';
export { isOrigin, newSigningKey, readSigningKey, readVerifierKey } from './log/signed-note';
export type { Checkpoint, CheckpointSigner } from './log/signed-note';
export type { MadeCheckpoint } from './log/checkpoints';
export type { LedgerFault } from './log/fault';
export type { CheckpointOptions } from './log/compare-checkpoints';
export type { VerifiedLedger, VerifyOptions } from './log/verify';
export { checkpointsIn } from './log/signed-note';
export type { EntryProof } from './log/proof';
export { checkpointFolder } from './keep/checkpoint-store';
export type { CheckpointStore } from './keep/checkpoint-store';
export { keepLedger } from './keep/keep-ledger';
export type { KeeperEvent, KeeperJob, KeepOptions } from './keep/keep-ledger';
export { KeeperMetrics } from './keep/keeper-metrics';
export type {
  WebhookEvent,
  WebhookData,
  WebhookKind,
  WebhookPayment,
  WebhookState,
} from '../src/protocol/webhooks';
export type { WebhookEndpoint } from '../src/settings/webhooks/endpoints';
export type { EndpointStanding } from './webhooks/endpoints';
export { webhookPost } from './webhooks/post';
export type { Delivery, WebhookMessage, WebhookPost } from './webhooks/post';
export { sendWebhooks } from './webhooks/send-webhooks';
export type { DeliveryEvent } from './webhooks/delivery-event';
export type { SendWebhooksOptions } from './webhooks/send-webhooks';
