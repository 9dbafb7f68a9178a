import { describe, expect, test } from '@jest/globals';
import { InvalidRequestError, type PaymentSessionInput } from '../../../src';
import { fingerprintOf, prepareStart } from '../../../src/sessions/start/prepare-start';
import { eft } from '../../support/requests';

const input = (changes: object = {}): PaymentSessionInput => ({ key: 'order-1', request: eft(), ...changes });

function failingPaths(given: unknown): string[] {
  try {
    prepareStart(given, 'payment-sessions');
    return [];
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    return error.failures.map(({ path }) => path);
  }
}

describe('the input of a session', () => {
  test('is checked as a whole: key, account, request and policy', () => {
    expect(failingPaths(input())).toEqual([]);
    expect(
      failingPaths(input({ key: '', account: 'a\nb', request: { ...eft(), amount: 0.001, type: 'EFT2' } })),
    ).toEqual(['key', 'account', 'request.type', 'request.amount', 'request.amount']);
    expect(failingPaths(input({ policy: { deadline: 'soon' } }))).toEqual(['policy.deadline']);
    expect(failingPaths(input({ policy: 'soon' }))).toEqual(['policy']);
  });

  test.each(['.', '..'])('has no key "%s", to which no address of a page leads', (key) => {
    expect(failingPaths(input({ key }))).toEqual(['key']);
  });

  test.each([undefined, null, 'order-1', 7, []])('must be an object, not %j', (given) => {
    expect(failingPaths(given)).toEqual(['input']);
  });

  test('without a request names the request', () => {
    expect(failingPaths(input({ request: undefined }))).toEqual(['request']);
  });
});

describe('the fingerprint', () => {
  test('is the same whatever the order of members and the policy', () => {
    const reordered = Object.fromEntries(Object.entries(eft()).reverse());
    const same = [
      input(),
      input({ request: reordered }),
      input({ policy: { deadline: '1h' } }),
      input({ account: 'default' }),
    ];
    expect(new Set(same.map(fingerprintOf)).size).toBe(1);
  });

  test('differs for another request or account', () => {
    const different = [input(), input({ request: { ...eft(), amount: 26 } }), input({ account: 'other' })];
    expect(new Set(different.map(fingerprintOf)).size).toBe(3);
  });

  test('holds nothing of the request', () => {
    expect(fingerprintOf(input())).toMatch(/^[\w-]{43}$/);
  });
});
