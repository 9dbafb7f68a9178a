import { brand } from './brand';
import type { ServiceFailure } from './failures';
import { PaysessionError } from './paysession-error';

/** A failed call to the payment service; `failure` is the same as plain data. */
export class ServiceError extends PaysessionError {
  static {
    brand(this, 'ServiceError');
  }

  override readonly name = 'ServiceError';

  constructor(
    /** What went wrong, as plain data. */
    readonly failure: ServiceFailure,
    options?: { readonly cause?: unknown },
  ) {
    super(failure.code, failure.message, options);
  }
}
