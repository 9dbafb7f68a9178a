/** The complete sandbox of the payment service. */

// First, because everything below needs these packages.
import './packages';
export { createSandbox } from './sandbox';
export type { ListenOptions, Sandbox } from './sandbox';
export type { CodeMember, SandboxOptions } from './options';
export { loadSandboxClients, parseSandboxClients } from './clients';
export { DEFAULT_CLIENT } from './default-client';
export type { BankAccount, SandboxClient } from './clients';
export { manualClock, systemClock } from './clock';
export type { Clock, ManualClock } from './clock';
export type { SandboxCall } from './calls/calls';
export type { CallPhase, Fault, FaultyRoute, Hold } from './calls/faults';
export type { RouteName } from './calls/routes';
export type { MailKind, SandboxMail } from './sessions/outbox';
export type { ReconciliationQuery } from './sessions/reconciliation-file';
export { SCENARIOS } from './sessions/scenarios';
export type { PlannedEvent, PlannedReturn, Scenario, ScenarioStep } from './sessions/scenarios';
export type { FlowProgress, OpenStep, SandboxSession, SessionOptions } from './sessions/session';
export type { EventResult } from './sessions/session-store';
export type {
  AmountBounds,
  EventRefusal,
  PlainEvent,
  SandboxSessionState,
  SessionEvent,
  SessionStep,
} from './sessions/transitions';
