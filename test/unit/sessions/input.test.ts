import { describe, expect, test } from '@jest/globals';
import { explain, InvalidRequestError, type PaymentSessionInput, SessionConflictError } from '../../../src';
import { differingPaths, inputFailures } from '../../../src/protocol/input';
import { fingerprintOf, prepareStart } from '../../../src/sessions/start/prepare-start';
import { eft } from '../../support/requests';
import { lastFailure } from '../../../src/sessions/start/open';

const input = (changes: object = {}): PaymentSessionInput => ({ key: 'order-1', request: eft(), ...changes });

const nested = (levels: number): unknown => (levels === 0 ? 0 : [nested(levels - 1)]);

function circular(): unknown {
  const one: unknown[] = [];
  one.push({ one });
  return one;
}

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

  test.each(['.', '..'])(
    'may not have the key "%s", because the URL of a page cannot contain this key',
    (key) => {
      expect(failingPaths(input({ key }))).toEqual(['key']);
    },
  );

  test.each([undefined, null, 'order-1', 7, []])('must be an object, not %j', (given) => {
    expect(failingPaths(given)).toEqual(['input']);
  });

  test.each([
    ['nests too deeply', () => nested(40), 'must not nest deeper than 32 levels'],
    ['has too many members', () => Array<number>(100_000).fill(0), 'must not have more than 100000 members'],
    ['refers to itself', () => circular(), 'must not refer to itself'],
    [
      'refers to itself after many other members',
      () => [...Array<number>(50_000).fill(0), circular()],
      'must not refer to itself',
    ],
  ])('is refused with the reason if it %s', (_, extra, message) => {
    expect(inputFailures(input({ extra: extra() }), () => [])).toEqual([{ path: 'input', message }]);
  });

  test('may contain one object twice', () => {
    const part = {};
    expect(failingPaths(input({ policy: part, metadata: part }))).toEqual([]);
  });

  test('is refused with the path `request` if it has no request', () => {
    expect(failingPaths(input({ request: undefined }))).toEqual(['request']);
  });
});

test('a prepared start has a copy of the input, so the caller may change the input’s objects afterwards', () => {
  const payor = { ...eft().payor };
  const request = { ...eft(), payor };
  const given = { ...input({ request }) };
  const { key, fingerprint, options } = prepareStart(given, 'payment-sessions');
  Object.assign(payor, { email: 'other@example.com' });
  Object.assign(request, { amount: 99 });
  Object.assign(given, { key: 'order-2' });
  expect(options.args).toEqual([input()]);
  expect(fingerprint).toBe(fingerprintOf(options.args[0]));
  expect(key).toBe(options.args[0].key);
});

describe('the fingerprint of a session’s input', () => {
  test('does not depend on the order of members, the policy or the metadata', () => {
    const reordered = Object.fromEntries(Object.entries(eft()).reverse());
    const same = [
      input(),
      input({ request: reordered }),
      input({ policy: { deadline: '1h' } }),
      input({ account: 'default' }),
      // Metadata are the caller's labels of the payment. They do not identify the payment.
      input({ metadata: { customer: 'cus_42' } }),
    ];
    expect(new Set(same.map(fingerprintOf)).size).toBe(1);
  });

  test('differs for another request or account', () => {
    const different = [input(), input({ request: { ...eft(), amount: 26 } }), input({ account: 'other' })];
    expect(new Set(different.map(fingerprintOf)).size).toBe(3);
  });

  test('is a hash, and contains nothing of the request', () => {
    expect(fingerprintOf(input())).toMatch(/^[\w-]{43}$/);
  });
});

describe('a field in the wrong object of an input', () => {
  test.each([
    ['referenceId', 'request.referenceId'],
    ['amount', 'request.amount'],
    ['amonut', 'request.amount'],
    ['deadline', 'policy.deadline'],
    ['acount', 'account'],
    ['metdata', 'metadata'],
    ['searchableMetadata', 'policy.searchableMetadata'],
  ])('is refused with a suggestion: %s may mean %s', (name, meant) => {
    const input = { key: 'order-1', request: eft(), [name]: 'x' };
    expect(inputFailures(input, () => [])).toEqual([
      { path: name, message: `is not a field of the input; did you mean ${meant}?` },
    ]);
  });
});

test('the difference of two inputs is a list of paths, without values', () => {
  const one = { key: 'order-1', request: eft() };
  const other = {
    key: 'order-1',
    account: 'second',
    request: { ...eft(), amount: 26, payor: { ...eft().payor, email: 'other@example.com' } },
  };
  expect(differingPaths(one, other)).toEqual(['account', 'request.amount', 'request.payor.email']);
  expect(new SessionConflictError('order-1', differingPaths(one, other)).message).toBe(
    'The key "order-1" belongs to a session with a different request. They differ in account, request.amount, request.payor.email. Use a new key for a new payment. The same request attaches to the existing session.',
  );
});

test.each([
  [
    'Creating the session failed: the service answered 500. ' + explain('SERVICE_FAILED'),
    'SERVICE_FAILED',
    3,
    'the service answered 500 (SERVICE_FAILED), 3 create requests.',
  ],
  [
    'Getting an access token failed: nothing was sent (ECONNREFUSED). ' + explain('SERVICE_UNREACHABLE'),
    'SERVICE_UNREACHABLE',
    1,
    'nothing was sent (ECONNREFUSED) (SERVICE_UNREACHABLE), 1 attempt.',
  ],
  [
    explain('UNKNOWN_ACCOUNT'),
    'UNKNOWN_ACCOUNT',
    2,
    'The worker has no credentials for the session’s account (UNKNOWN_ACCOUNT), 2 attempts.',
  ],
] as const)(
  'the last failure of a session that still waits is shortened: "%s"',
  (message, code, failures, text) => {
    expect(lastFailure({ code, message, failures })).toBe(text);
  },
);
