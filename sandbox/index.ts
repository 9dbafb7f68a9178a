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
export type {
  EventResult,
  /** The same by its older name. */
  EventResult as ActResult,
} from './sessions/session-store';
export type { FlowProgress, OpenStep } from './sessions/flow-progress';
export type {
  AmountBounds,
  EventRefusal,
  /** The same by its older name. */
  EventRefusal as Refusal,
  PlainEvent,
  /** The same by its older name. */
  PlainEvent as PlainAction,
  SessionEvent,
  SandboxSessionState,
  /** The same by its older name, which the package's own `SessionState` has, too. */
  SandboxSessionState as SessionState,
  SessionStep,
} from './sessions/transitions';
export type { RouteName } from './http/routes';
