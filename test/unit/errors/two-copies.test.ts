import { describe, expect, jest, test } from '@jest/globals';
import {
  InvalidRequestError,
  isPaysessionError,
  PaysessionError,
  ServiceError,
  SessionConflictError,
  SessionNotFoundError,
  SettingsError,
} from '../../../src/errors';
import type * as Errors from '../../../src/errors';
import type * as SessionErrors from '../../../src/sessions/session-errors';
import { SessionFailedError } from '../../../src/sessions/session-errors';

/** The error classes of another copy of the package, as two dependencies of one project may install it. */
interface Copy {
  readonly errors: typeof Errors;
  readonly sessions: typeof SessionErrors;
}

function anotherCopy(): Copy {
  let copy: Copy | undefined;
  jest.isolateModules(() => {
    copy = {
      errors: jest.requireActual('../../../src/errors'),
      sessions: jest.requireActual('../../../src/sessions/session-errors'),
    };
  });
  if (copy === undefined) throw new Error('no copy was loaded');
  return copy;
}

const { errors, sessions } = anotherCopy();

const failure = { code: 'SERVICE_FAILED', message: 'The payment service failed.' } as const;

const OF_THE_OTHER_COPY = [
  ['InvalidRequestError', InvalidRequestError, new errors.InvalidRequestError([])],
  ['SettingsError', SettingsError, new errors.SettingsError([])],
  ['SessionConflictError', SessionConflictError, new errors.SessionConflictError('order-1')],
  ['SessionNotFoundError', SessionNotFoundError, new errors.SessionNotFoundError('order-1')],
  ['ServiceError', ServiceError, new errors.ServiceError(failure)],
  ['SessionFailedError', SessionFailedError, new sessions.SessionFailedError('order-1', failure)],
] as const;

describe('an error of another installed copy of the package', () => {
  test('is of another class object', () => {
    expect(errors.PaysessionError).not.toBe(PaysessionError);
  });

  test.each(OF_THE_OTHER_COPY)(
    'is recognized as %s and as a paysession error',
    (_name, errorClass, error) => {
      expect(error instanceof errorClass).toBe(true);
      expect(isPaysessionError(error)).toBe(true);
      expect(isPaysessionError(error, error.code)).toBe(true);
      expect(isPaysessionError(error, 'PORT_IN_USE')).toBe(false);
    },
  );

  test.each(OF_THE_OTHER_COPY)(
    'of class %s is not recognized as another class',
    (name, _errorClass, error) => {
      const known = OF_THE_OTHER_COPY.filter(([, errorClass]) => error instanceof errorClass);
      expect(known.map(([each]) => each)).toEqual([name]);
    },
  );
});

describe('a user’s subclass of an error class', () => {
  class OwnError extends SettingsError {}

  test('creates instances of itself and of its parent classes', () => {
    const own = new OwnError([]);
    expect([own instanceof OwnError, own instanceof SettingsError, isPaysessionError(own)]).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('does not recognize an instance of its parent class', () => {
    expect(new SettingsError([]) instanceof OwnError).toBe(false);
  });
});

test.each([
  ['an error of Node', new Error('INVALID_REQUEST')],
  ['an object with a code', { code: 'INVALID_REQUEST', name: 'PaysessionError', message: '' }],
  ['undefined', undefined],
  ['null', null],
  ['a text', 'INVALID_REQUEST'],
])('%s is not a paysession error', (_name, value) => {
  expect(isPaysessionError(value)).toBe(false);
});
