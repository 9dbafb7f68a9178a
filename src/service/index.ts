export { isReadableOnTheWay } from './address';
export { PaymentService } from './payment-service';
export type { IdentifiedSession } from './session-answer';
export type { CallOptions, PaymentServiceOptions, ServiceAccount, SessionCallOptions } from './options';
export { Pace } from './pace';
export type { Pause, PaceOptions } from './pace';
export { PacedService } from './paced-service';
export type { CreateOutcome, FailedCreate } from './create-outcome';
export { notSent } from './failures';
