/** The complete sandbox of the payment service. */

// First, because everything below needs these packages.
import './server/packages';
export { createSandbox } from './server/sandbox';
export type { ListenOptions, Sandbox } from './server/sandbox';
export type { CodeMember, SandboxOptions } from './options/options';
export { loadSandboxClients, parseSandboxClients } from './clients/clients';
export { DEFAULT_CLIENT } from './clients/default-client';
export type { BankAccount, SandboxClient } from './clients/clients';
export { SCENARIOS } from './sessions/scenarios';
export type { PlannedEvent, PlannedReturn, Scenario, ScenarioStep } from './sessions/scenarios';
export type { ReconciliationQuery } from './reconciliation/reconciliation-file';
export { manualClock, systemClock } from './clock/clock';
export type { Clock, ManualClock } from './clock/clock';
export type { SandboxCall } from './observing/calls';
export type { MailKind, SandboxMail } from './mail/mail';
export type { CallPhase, Fault, FaultyRoute, Hold } from './observing/faults';
export type { SandboxSession, SessionOptions } from './sessions/session';
export type { EventResult } from './sessions/session-store';
export type { FlowProgress, OpenStep } from './sessions/flow-progress';
export type {
  AmountBounds,
  EventRefusal,
  PlainEvent,
  SessionEvent,
  SandboxSessionState,
  SessionStep,
} from './sessions/transitions';
export type { RouteName } from './http/routes';
