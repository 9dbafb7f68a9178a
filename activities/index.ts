export { createActivities } from './payment-activities';
export type { ActivityOptions, ServiceDirectory, StateReader } from './payment-activities';
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
