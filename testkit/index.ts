/** The testing kit. Runs the whole system in virtual time, replays recorded sessions, and exports sessions. */

// These imports come first, because everything below needs the packages that they check for.
import './packages';
import '../worker/packages';
export { createPaymentWorld } from './world/create-world';
export type { PaymentWorld, PaymentWorldOptions, PaymentWorldWithLedger } from './world/payment-world';
export type { WorldPayor } from './world/payor';
export type { WorldService } from './world/world-services';
export type { ReceivedWebhook, WebhookReceiver, WorldWebhooks } from './world/world-webhooks';
export { replayHistories, replayOpenSessions } from './histories/replay-histories';
export type { ReplayReport } from './histories/replay-histories';
export { parseHistory, readHistories } from './histories/recorded-history';
export type { RecordedHistory } from './histories/recorded-history';
export { exportSession } from './histories/export-session';
export type { ExportedHistory } from './histories/export-session';
