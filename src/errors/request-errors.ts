import type { ValidationFailure } from '../contract/validate-session-request';
import { brand } from './brand';
import { listFailures, withRemedy } from './explain';
import { PaysessionError } from './paysession-error';

/** `INVALID_REQUEST`: the request breaks the contract. `failures` lists every field (contract A21). */
export class InvalidRequestError extends PaysessionError {
  static {
    brand(this, 'InvalidRequestError');
  }

  override readonly name = 'InvalidRequestError';

  constructor(
    /** Every field that is wrong, and why. */
    readonly failures: readonly ValidationFailure[],
  ) {
    super('INVALID_REQUEST', `The request is invalid; nothing was started: ${listFailures(failures)}`);
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

/** `SESSION_CONFLICT`: the key belongs to a session that was started with a different request. */
export class SessionConflictError extends PaysessionError {
  static {
    brand(this, 'SessionConflictError');
  }

  override readonly name = 'SessionConflictError';

  constructor(
    /** The key that is taken. */
    readonly key: string,
    /** The paths at which the requests differ, such as `request.amount`, ten at most; empty where that is not known. */
    readonly differences: readonly string[] = [],
  ) {
    const code = 'SESSION_CONFLICT';
    const where = differences.length === 0 ? '' : ` They differ in ${differences.join(', ')}.`;
    super(code, withRemedy(code, `The key "${key}" belongs to a session with a different request.${where}`));
  }
}

/** `SESSION_NOT_FOUND`: no session has this key in the namespace, or what is asked of it is gone. */
export class SessionNotFoundError extends PaysessionError {
  static {
    brand(this, 'SessionNotFoundError');
  }

  override readonly name = 'SessionNotFoundError';

  constructor(
    /** The key that no session has. */
    readonly key: string,
    message = withRemedy('SESSION_NOT_FOUND', `No payment session has the key "${key}".`),
  ) {
    super('SESSION_NOT_FOUND', message);
  }
}
