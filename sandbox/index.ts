export { createSandbox } from './sandbox';
export type { ListenOptions, PlainAction, Sandbox } from './sandbox';
export type { CodeMember, SandboxOptions } from './options';
export { DEFAULT_CLIENT, loadSandboxClients, parseSandboxClients } from './clients';
export type { BankAccount, SandboxClient } from './clients';
export { SCENARIOS } from './scenarios';
export type { PlannedEvent, Scenario, ScenarioStep } from './scenarios';
export { manualClock, systemClock } from './clock';
export type { Clock, ManualClock } from './clock';
export type { SandboxCall } from './calls';
export type { MailKind, SandboxMail } from './mail';
export type { CallPhase, Fault, FaultyRoute, Hold } from './faults';
export type { SandboxSession, SessionOptions } from './session';
export type { ActResult } from './session-store';
export type { FlowProgress, OpenStep } from './flow/progress';
export type {
  AmountBounds,
  PlainEvent,
  Refusal,
  SessionEvent,
  SessionState,
  SessionStep,
} from './transitions';
export type { RouteName } from './routes';
