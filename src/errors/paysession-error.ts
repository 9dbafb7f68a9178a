import type { ErrorCode } from './codes';
import type { ValidationFailure } from '../contract/validate-session-request';
import { listFailures, withRemedy, type ServiceFailure } from './failures';

/**
 * The base class of all errors with an error code. To distinguish errors, compare `code`, not the message. {@link ERROR_CODES} lists all
 * codes. The message says what happened and what to do next. `instanceof` also works if the error comes from another installed copy of
 * the package.
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
    /** The kind of error. Compare the code, not the message. */
    readonly code: ErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/**
 * True if a caught value is a {@link PaysessionError} and, if you pass a code, has that code.
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
 * `INVALID_REQUEST`: the request breaks the contract, or another part of the input is invalid. `failures` lists the invalid fields.
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
    /** The invalid fields, and the rule that each breaks. Lists at most ten unknown fields of one object. */
    readonly failures: readonly ValidationFailure[],
  ) {
    super('INVALID_REQUEST', `The request is invalid; nothing was sent: ${listFailures(failures)}`);
  }
}

/** `INVALID_SETTINGS`: settings are missing or malformed. `failures` lists them. */
export class SettingsError extends PaysessionError {
  static {
    brand(this, 'SettingsError');
  }

  override readonly name = 'SettingsError';

  constructor(
    /** The name of each invalid setting, and the rule that it breaks. */
    readonly failures: readonly ValidationFailure[],
  ) {
    super('INVALID_SETTINGS', `Settings are missing or malformed: ${listFailures(failures)}`);
  }
}

/** `SESSION_CONFLICT`: the key already has a session, and the start cannot attach to it. Usually the requests differ. */
export class SessionConflictError extends PaysessionError {
  static {
    brand(this, 'SessionConflictError');
  }

  override readonly name = 'SessionConflictError';

  constructor(
    /** The key that is taken. */
    readonly key: string,
    /** The paths at which the two inputs differ, such as `request.amount`. At most ten; empty if they are not known. */
    readonly differences: readonly string[] = [],
  ) {
    const code = 'SESSION_CONFLICT';
    const where = differences.length === 0 ? '' : ` They differ in ${differences.join(', ')}.`;
    super(code, withRemedy(code, `The key "${key}" belongs to a session with a different request.${where}`));
  }
}

/**
 * `SESSION_NOT_FOUND`: no session in the namespace has this key. Or the call needs the session's workflow or result, which has been
 * dropped or erased.
 */
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

/** The error of a failed call to the payment service. */
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
 * Converts the error of a server that cannot listen on its port. Returns `PORT_IN_USE` if another program has the port, and
 * `INVALID_SETTINGS` if this user has no permission. Returns other errors unchanged.
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
 * Makes `instanceof` recognize an error class by a symbol of the global symbol registry. All installed copies of the package share the
 * registry, so one copy recognizes the errors of another copy. Subclasses that are not branded are recognized as usual.
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
 * Returns the name of an error, or the type of any other value. With the name, code can recognize errors of Temporal's client without
 * loading that client. A name contains no personal data.
 */
export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/**
 * The reason why the ledger refuses one session:
 * - `followed`: another key has claimed the session.
 * - `tampered`: the session's data was changed.
 * - `unreadable`: the session's data cannot be decrypted here.
 */
export type SessionFault = 'followed' | 'tampered' | 'unreadable';

/** The error codes with which the ledger refuses one session, although the ledger itself is available. */
const OF_ONE_SESSION: Partial<Record<string, SessionFault>> = {
  SESSION_FOLLOWED: 'followed',
  LEDGER_TAMPERED: 'tampered',
  ENCRYPTION_TAMPERED: 'tampered',
  ENCRYPTION_KEY_MISSING: 'unreadable',
  ENCRYPTION_REQUIRED: 'unreadable',
};

/**
 * Returns the reason why the ledger has refused one session. Returns `undefined` for an error that concerns all sessions, such as an
 * outage of the ledger or of the source of its keys. If the key source has failed, the error `ENCRYPTION_KEY_MISSING` has a cause.
 */
export const faultOfSession = (error: unknown): SessionFault | undefined =>
  isPaysessionError(error) && (error.code !== 'ENCRYPTION_KEY_MISSING' || error.cause === undefined)
    ? OF_ONE_SESSION[error.code]
    : undefined;
