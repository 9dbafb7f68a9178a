export type { ExpectedSession } from '../src/contract/identity';
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
export type { NewsListener, PollTracer } from './follow/follow-session';
export type { SessionLedger } from './ledger/session-ledger';
export { HeldSessions } from './follow/held-sessions';
export type { HeldSessionsOptions } from './follow/held-sessions';
export type { ActivityCompletion } from './completion';
export type { PacedService } from '../src/service';
