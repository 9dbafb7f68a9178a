export type { ExpectedSession } from '../src/contract/identity';
export type { SessionLedger } from './ledger';
export { createActivities } from './payment-activities';
export type { ActivitiesOptions, CancelResumer, Claims, ServiceDirectory, StateReader } from './dependencies';
export type {
  AccountInput,
  CancelResult,
  CreateSessionInput,
  FindResult,
  FollowSessionInput,
  LookedUpCreate,
  LookUpCreateInput,
  PaymentActivities,
  PollResult,
  PollSessionInput,
  ReadSessionInput,
  SessionInput,
  ClaimInput,
  ClaimResult,
  CreateOutcome,
} from '../src/protocol/activities';
export type { NewsListener, PollTracer } from './follow-session';
export { HeldSessions } from './held-sessions';
export type { HeldSessionsOptions } from './held-sessions';
export type { ActivityCompletion } from './attempt';
export type { PacedService } from '../src/service';
