// Before all that needs them.
import './packages';
export { createSandbox } from './sandbox';
export type { ListenOptions, PlainAction, Sandbox } from './sandbox';
export type { CodeMember, SandboxOptions } from './options';
export { DEFAULT_CLIENT, loadSandboxClients, parseSandboxClients } from './clients/clients';
export type { BankAccount, SandboxClient } from './clients/clients';
export { SCENARIOS } from './sessions/scenarios';
export type { PlannedEvent, Scenario, ScenarioStep } from './sessions/scenarios';
export { manualClock, systemClock } from './clock';
export type { Clock, ManualClock } from './clock';
export type { SandboxCall } from './observing/calls';
export type { MailKind, SandboxMail } from './mail/mail';
export type { CallPhase, Fault, FaultyRoute, Hold } from './observing/faults';
export type { SandboxSession, SessionOptions } from './sessions/session';
export type { ActResult } from './sessions/session-store';
export type { FlowProgress, OpenStep } from './sessions/flow-progress';
export type {
  AmountBounds,
  PlainEvent,
  Refusal,
  SessionEvent,
  SessionState,
  SessionStep,
} from './sessions/transitions';
export type { RouteName } from './http/routes';
