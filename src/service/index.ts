export { isReadableOnTheWay } from './address';
export { PaymentService } from './payment-service';
export type { CallOptions, PaymentServiceOptions, ServiceAccount, SessionCallOptions } from './options';
export { Pace } from './pace';
export type { CallKind, Pause, PaceOptions } from './pace';
export { PacedService } from './paced-service';
export type { CreateOptions, PacedCalls, PacedServiceOptions, PollOptions } from './paced-service';
export { WaitingRoom } from './waiting-room';
export { notSent } from './failures';
