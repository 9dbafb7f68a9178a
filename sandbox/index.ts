/** The complete sandbox of the payment service. */

// First, so that a missing package is reported before a module below loads it.
import './packages';
export { createSandbox } from './sandbox';
export type { Sandbox } from './sandbox';
export type { SandboxOptions } from './options';
export { loadSandboxClients } from './clients';
export type { SandboxClient } from './clients';
export { manualClock } from './clock';
export type { Clock, ManualClock } from './clock';
export type { Fault } from './calls/faults';
export type { SandboxMail } from './sessions/mails';
export { SCENARIOS } from './sessions/scenarios';
export type { Scenario } from './sessions/scenarios';
export type { SandboxSession, SessionOptions } from './sessions/session';
export type { SessionEvent } from './sessions/transitions';
