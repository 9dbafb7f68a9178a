export { PaymentService } from './payment-service';
export type { CallOptions, PaymentServiceOptions, ServiceAccount } from './options';
export type { CreateOutcome } from './create-outcome';
