/** The testing kit: the whole system in virtual time, replay and export of recorded sessions. */

// First, because everything below needs these packages.
import './packages';
import '../worker/packages';
export { createPaymentWorld } from './world/create-world';
export type { PaymentWorld, PaymentWorldOptions, PaymentWorldWithLedger } from './world/payment-world';
export type { WorldPayor } from './world/payor';
export type { WorldService } from './world/service';
export type { WorldAccount, WorldAccounts } from './world/world-services';
export { replayHistories, replayOpenSessions } from './replay/replay-histories';
export type {
  Divergence,
  OpenReplayOptions,
  ReplayOptions,
  ReplayReport,
  SessionsAtEngine,
} from './replay/replay-histories';
export { parseHistory, readHistories } from './replay/recorded-history';
export type { RecordedHistory } from './replay/recorded-history';
export type { EventName } from './replay/history-prefixes';
export { exportSession } from './export/export-session';
export type { ExportedHistory, ExportOptions } from './export/export-session';
