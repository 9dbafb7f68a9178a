import type { ValidationFailure } from '../contract/validate-session-request';
import { PaysessionError } from './paysession-error';

/** `INVALID_REQUEST`: the request breaks the contract. `failures` lists every field (contract A21). */
export class InvalidRequestError extends PaysessionError {
  override readonly name = 'InvalidRequestError';

  constructor(
    /** Every field that is wrong, and why. */
    readonly failures: readonly ValidationFailure[],
  ) {
    super('INVALID_REQUEST', `The request is invalid, nothing was started: ${listFailures(failures)}`);
  }
}

/** `INVALID_SETTINGS`: settings are missing or malformed. `failures` lists each by name. */
export class SettingsError extends PaysessionError {
  override readonly name = 'SettingsError';

  constructor(
    /** Every setting that is wrong, by its name, and why. */
    readonly failures: readonly ValidationFailure[],
  ) {
    super('INVALID_SETTINGS', `Settings are missing or malformed: ${listFailures(failures)}`);
  }
}

/** `SESSION_CONFLICT`: the key belongs to a session that was started with another request. */
export class SessionConflictError extends PaysessionError {
  override readonly name = 'SessionConflictError';

  constructor(
    /** The key that is taken. */
    readonly key: string,
  ) {
    super(
      'SESSION_CONFLICT',
      `The key "${key}" already belongs to a session with another request. Use a new key for a new payment.`,
    );
  }
}

/** `SESSION_NOT_FOUND`: no session has this key in the namespace. */
export class SessionNotFoundError extends PaysessionError {
  override readonly name = 'SessionNotFoundError';

  constructor(
    /** The key that no session has. */
    readonly key: string,
  ) {
    super('SESSION_NOT_FOUND', `No payment session has the key "${key}". Check the key and the namespace.`);
  }
}

export function listFailures(failures: readonly ValidationFailure[]): string {
  return failures.map(({ path, message }) => `${path} ${message}`).join('; ');
}
