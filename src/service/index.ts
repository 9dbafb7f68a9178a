export { isReadableOnTheWay } from './http/address';
export { PaymentService } from './payment-service';
export type { CallOptions, PaymentServiceOptions, ServiceAccount, SessionCallOptions } from './options';
export { Pace } from './pace/pace';
export type { CallKind, Pause, PaceOptions } from './pace/pace';
export { PacedService } from './paced-service';
export type { CreateOptions, PacedCalls, PacedServiceOptions, PollOptions } from './paced-service';
export { WaitingRoom } from './pace/waiting-room';
export { notSent } from './answers/failures';
