import type { ErrorCode } from './codes';
import type { ValidationFailure } from '../contract/validate-session-request';
import { listFailures, withRemedy, type ServiceFailure } from './failures';

/**
 * Base of every error with a code of paysession. Match on `code`, never on the message, which says what happened and what to do next.
 * {@link ERROR_CODES} lists every code. `instanceof` works across installed copies of the package.
 *
 * @example
 * ```ts
 * try {
 *   await sessions.open({ key: 'order-1042', request });
 * } catch (error) {
 *   if (error instanceof PaysessionError) console.error(error.code, error.message);
 *   else throw error;
 * }
 * ```
 */
export class PaysessionError extends Error {
  static {
    brand(this, 'PaysessionError');
  }

  override readonly name: string = 'PaysessionError';

  constructor(
    /** The kind of error. Match on the code, never on the message. */
    readonly code: ErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/**
 * True if a caught value is a {@link PaysessionError}, of the given code if one is named.
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

/**
 * `INVALID_REQUEST`: the request breaks the contract, or another part of the input is invalid. `failures` lists the invalid fields
 * (contract A21).
 *
 * @example
 * ```ts
 * if (error instanceof InvalidRequestError) for (const { path, message } of error.failures) console.log(path, message);
 * ```
 */
export class InvalidRequestError extends PaysessionError {
  static {
    brand(this, 'InvalidRequestError');
  }

  override readonly name = 'InvalidRequestError';

  constructor(
    /** The fields that are wrong, and why. Of an object's unknown fields, ten at most. */
    readonly failures: readonly ValidationFailure[],
  ) {
    super('INVALID_REQUEST', `The request is invalid; nothing was sent: ${listFailures(failures)}`);
  }
}

/** `INVALID_SETTINGS`: settings are missing or malformed. `failures` lists each by name. */
export class SettingsError extends PaysessionError {
  static {
    brand(this, 'SettingsError');
  }

  override readonly name = 'SettingsError';

  constructor(
    /** Every setting that is wrong, by its name, and why. */
    readonly failures: readonly ValidationFailure[],
  ) {
    super('INVALID_SETTINGS', `Settings are missing or malformed: ${listFailures(failures)}`);
  }
}

/** `SESSION_CONFLICT`: the key belongs to a session that the start cannot attach to, usually because its request is different. */
export class SessionConflictError extends PaysessionError {
  static {
    brand(this, 'SessionConflictError');
  }

  override readonly name = 'SessionConflictError';

  constructor(
    /** The key that is taken. */
    readonly key: string,
    /** The paths at which the inputs differ, such as `request.amount`, ten at most; empty if they are not known. */
    readonly differences: readonly string[] = [],
  ) {
    const code = 'SESSION_CONFLICT';
    const where = differences.length === 0 ? '' : ` They differ in ${differences.join(', ')}.`;
    super(code, withRemedy(code, `The key "${key}" belongs to a session with a different request.${where}`));
  }
}

/** `SESSION_NOT_FOUND`: no session in the namespace has this key, or the session's workflow or result that the call needs is gone. */
export class SessionNotFoundError extends PaysessionError {
  static {
    brand(this, 'SessionNotFoundError');
  }

  override readonly name = 'SessionNotFoundError';

  constructor(
    /** The requested key. */
    readonly key: string,
    message = withRemedy('SESSION_NOT_FOUND', `No payment session has the key "${key}".`),
  ) {
    super('SESSION_NOT_FOUND', message);
  }
}

/** A failed call to the payment service. `failure` is the call's failure as plain data. */
export class ServiceError extends PaysessionError {
  static {
    brand(this, 'ServiceError');
  }

  override readonly name = 'ServiceError';

  constructor(
    /** The failure of the call, as plain data. */
    readonly failure: ServiceFailure,
  ) {
    super(failure.code, failure.message);
  }
}

/**
 * Returns `PORT_IN_USE` if another program has the port, and `INVALID_SETTINGS` if this user may not listen on it, each with a remedy.
 * Returns other errors unchanged.
 */
export function toPortError(
  error: unknown,
  port: number,
  choose = 'Choose another port, or 0 for a free one,',
): unknown {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  if (code === 'EACCES') {
    const message = `This user may not listen on port ${port}: below 1024, most systems require a permission. ${choose} or give this user the permission.`;
    return new PaysessionError('INVALID_SETTINGS', message, { cause: error });
  }
  if (code !== 'EADDRINUSE') return error;
  const message = `Port ${port} is in use by another program. ${choose} or stop that program.`;
  return new PaysessionError('PORT_IN_USE', message, { cause: error });
}

type ErrorClass = (abstract new (...args: never[]) => Error) & { readonly prototype: Error };

/**
 * Makes `instanceof` recognise an error class by a mark in the symbol registry. All copies of the package share the registry, so one copy
 * may catch what another one throws. A subclass without a mark of its own is recognised as usual.
 */
export function brand(errorClass: ErrorClass, name: string): void {
  const mark = Symbol.for(`paysession.${name}`);
  Object.defineProperty(errorClass.prototype, mark, { value: true });
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    value(this: ErrorClass, value: unknown): boolean {
      if (this === errorClass) return typeof value === 'object' && value !== null && mark in value;
      return Function.prototype[Symbol.hasInstance].call(this, value);
    },
  });
}

/**
 * Returns the name of an error; the type of any other value. Names identify errors of Temporal's client where that client is not
 * loaded, and contain nothing personal.
 */
export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/**
 * A fault of one session in the ledger. `followed`: another key's claim has the session. `tampered`: the session's data was changed.
 * `unreadable`: the data cannot be decrypted here.
 */
export type SessionFault = 'followed' | 'tampered' | 'unreadable';

/** The error codes with which the ledger refuses one session, each with the session's fault. The ledger itself is available. */
const OF_ONE_SESSION: Partial<Record<string, SessionFault>> = {
  SESSION_FOLLOWED: 'followed',
  LEDGER_TAMPERED: 'tampered',
  ENCRYPTION_TAMPERED: 'tampered',
  ENCRYPTION_KEY_MISSING: 'unreadable',
  ENCRYPTION_REQUIRED: 'unreadable',
};

/**
 * Returns the fault of the one session that an error of the ledger is about; `undefined` for all other errors, such as an outage of the
 * ledger, or of the source of its keys. An `ENCRYPTION_KEY_MISSING` has a cause only if that source failed.
 */
export const faultOfSession = (error: unknown): SessionFault | undefined =>
  isPaysessionError(error) && (error.code !== 'ENCRYPTION_KEY_MISSING' || error.cause === undefined)
    ? OF_ONE_SESSION[error.code]
    : undefined;
