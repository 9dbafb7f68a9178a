export type { SessionLedger } from './ledger';
export { createActivities } from './payment-activities';
export type { ActivitiesOptions, Claims, ServiceDirectory, StateReader } from './dependencies';
export type { PaymentActivities } from '../src/protocol/activities';
export { HeldSessions } from './held-sessions';
export type { HeldSessionsOptions } from './held-sessions';
