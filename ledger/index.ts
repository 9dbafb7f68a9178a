export { PaymentLedger, type Erasure } from './payment-ledger';
export type { PaymentLedgerOptions } from './payment-ledger';
export type { RewrapProgress } from './rewrap';
export type { FileLine, ReconciliationColumns } from './reconciliation/file-line';
export type { UnmatchedReason } from './reconciliation/match';
export type { ReconciledLine, ReconcileOptions } from './reconciliation/reconcile';
export { ReconciliationTally } from './reconciliation/totals';
export type { ReconciliationTotals, Total } from './reconciliation/totals';
export type { TemporalNamespace } from '../src/sessions';
export type { EnvironmentMisfit, EnvironmentUse, LedgerNamespaces } from './namespaces';
export type { PaymentFilter } from './sessions/filter';
export type {
  LedgerPayments,
  PaymentOrder,
  PaymentPage,
  PaymentPageOptions,
  PaymentPlace,
  PaymentSum,
  PaymentTotals,
  DayFigure,
  DaysOptions,
  Figure,
} from './sessions/ledger-payments';
export type { Direction, LedgerOutcome, LedgerSession, MoneyPlace } from './sessions/summary';
export { LedgerDatabase } from './postgres/database';
export { migrate, plannedMigrations, type Migration } from './postgres/migrate';
export { rightsOf } from './postgres/rights';
export type { LedgerRoles } from './postgres/rights';
export type { LedgerClaim, LedgerClaimAnswer, LedgerEntry, LedgerFact } from '../src/protocol/ledger/facts';
export { sweepLedger } from './sweep';
export type { SweepOptions, SweptSession } from './sweep';
export { isOrigin, newSigningKey, readSigningKey, readVerifierKey } from './log/signed-note';
export type { Checkpoint, CheckpointSigner } from './log/signed-note';
export type { MadeCheckpoint, EntryProof } from './log/checkpoints';
export type { LedgerFault } from './log/fault';
export type { CheckpointOptions } from './log/compare-checkpoints';
export type { VerifiedLedger, VerifyOptions } from './log/verify';
export { checkpointsIn } from './log/signed-note';
export { checkpointFolder } from './log/checkpoint-store';
export type { CheckpointStore } from './log/checkpoint-store';
export { keepLedger } from './log/keep-ledger';
export type { KeeperEvent, KeeperJob, KeepOptions } from './log/keep-ledger';
export { KeeperMetrics } from './log/keeper-metrics';
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
