import { describe, expect, test } from '@jest/globals';
import { ERROR_CODES, explain, PaysessionError, ServiceError, type ErrorCode } from '../../../src/errors';
import { SessionFailedError } from '../../../src/sessions/session-errors';

const { meaning, remedy } = ERROR_CODES.SERVICE_REQUEST_REJECTED;
const rejected = {
  code: 'SERVICE_REQUEST_REJECTED',
  message: 'Creating the session failed: the service answered 400.',
  problem: { detail: 'amount is above the maximum' },
} as const;

describe('explain', () => {
  test('returns a code’s meaning and what to do next', () => {
    expect(explain('SERVICE_REQUEST_REJECTED')).toBe(`${meaning} ${remedy}`);
  });

  test('returns for a failure what happened, the payment service’s words, and what to do next', () => {
    expect(explain(rejected)).toBe(
      `Creating the session failed: the service answered 400. The payment service says: “amount is above the maximum” ${remedy}`,
    );
  });

  test('says what to do next only once', () => {
    expect(explain({ ...rejected, message: explain('SERVICE_REQUEST_REJECTED') })).toBe(
      `${meaning} ${remedy} The payment service says: “amount is above the maximum”`,
    );
  });

  test('returns an error’s message, which says what to do next', () => {
    const error = new PaysessionError('PORT_IN_USE', 'Port 80 is in use. Choose another one.');
    expect(explain(error)).toBe('Port 80 is in use. Choose another one.');
  });

  test.each([
    ['a failed call', new ServiceError(rejected)],
    ['a failed session', new SessionFailedError('order-1', rejected)],
  ])('adds the payment service’s words to the message of %s', (_name, error) => {
    expect(explain(error)).toBe(`${error.message} The payment service says: “amount is above the maximum”`);
  });

  test('returns only the message if the code is unknown', () => {
    const failure = { code: 'SERVICE_ON_HOLIDAY' as ErrorCode, message: 'The service is on holiday.' };
    expect(explain(failure)).toBe('The service is on holiday.');
  });
});

describe('the message of a failed session', () => {
  test('says what to do next, and leaves out the payment service’s words, which may quote the request', () => {
    const { message } = new SessionFailedError('order-1', rejected);
    expect(message).toBe(
      `Session "order-1": Creating the session failed: the service answered 400. ${remedy}`,
    );
  });
});
