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
} from '../src/protocol/activities';
export { WaitingRoom } from '../src/service';
export type { CreateOutcome } from '../src/protocol/service-calls';
export type { PacedService } from '../src/service';
export type { ExpectedSession } from '../src/contract/snapshot';
