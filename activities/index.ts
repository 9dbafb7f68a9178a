export { createActivities } from './payment-activities';
export type { ActivitiesOptions, ServiceDirectory, StateReader } from './payment-activities';
export type {
  AccountInput,
  CancelResult,
  CreateSessionInput,
  FindResult,
  PaymentActivities,
  PollResult,
  PollSessionInput,
  ReadSessionInput,
  SessionInput,
} from './types';
export { WaitingRoom } from '../src/service';
export type { CreateOutcome, PacedService } from '../src/service';
export type { ExpectedSession } from '../src/contract/snapshot';
