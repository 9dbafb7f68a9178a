export { createActivities } from './payment-activities';
export type { ServiceDirectory } from './payment-activities';
export type {
  AccountInput,
  CancelResult,
  CreateSessionInput,
  FindResult,
  PaymentActivities,
  PollResult,
  PollSessionInput,
  SessionInput,
} from './types';
