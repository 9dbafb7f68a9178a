export { PaymentService } from './payment-service';
export { isReadableOnTheWay } from './options';
export type { CallOptions, PaymentServiceOptions, ServiceAccount, SessionCallOptions } from './options';
export { Pace } from './pace/pace';
export type { CallKind, Pause, PaceOptions } from './pace/pace';
export { PacedService } from './pace/paced-service';
export type {
  CancelOptions,
  CreateOptions,
  PacedCalls,
  PacedServiceOptions,
  PollOptions,
} from './pace/paced-service';
export { WaitingRoom } from './pace/waiting';
export type { ExchangeTracer, TracedExchange } from './http/exchange';
export { tellingOf } from './observer';
export type { CallClass, ServiceEvents, ServiceObserver, Tell } from './observer';
export { notSent } from './answers/failures';
