export { createPaymentWorld } from './payment-world';
export type { PaymentWorld, PaymentWorldOptions } from './payment-world';
export type { Payor } from './payor';
export type { WorldService } from './service';
