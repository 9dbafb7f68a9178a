import { brand } from './brand';
import type { ErrorCode } from './codes';

/**
 * Base of every error that paysession throws. Match on `code`, never on the message, which says what happened and what to
 * do next. `instanceof` holds across installed copies of the package.
 */
export class PaysessionError extends Error {
  static {
    brand(this, 'PaysessionError');
  }

  override readonly name: string = 'PaysessionError';

  constructor(
    /** What went wrong: match on it, never on the message. */
    readonly code: ErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/**
 * Whether a caught value is a paysession error, of the given code where one is named.
 *
 * @example
 * ```ts
 * try {
 *   await sessions.get('order-1042').state();
 * } catch (error) {
 *   if (!isPaysessionError(error, 'SESSION_NOT_FOUND')) throw error;
 * }
 * ```
 */
export function isPaysessionError(error: unknown, code?: ErrorCode): error is PaysessionError {
  return error instanceof PaysessionError && (code === undefined || error.code === code);
}
