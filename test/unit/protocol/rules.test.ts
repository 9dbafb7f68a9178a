import { describe, expect, test } from '@jest/globals';
import type { SessionPolicy } from '../../../src';
import { decidedByFailures, resolutionFailures } from '../../../src/protocol/decisions';
import {
  accountFailures,
  inputFailures,
  keyFailures,
  referenceFailures,
  requestShapeFailures,
  POLICY_RULES,
  policyFailures,
} from '../../../src/protocol/input';
import { isSessionId } from '../../../src/contract';
import { eft } from '../../support/requests';

const EMOJI = '\u{1F341}';
const LONE_SURROGATE = 'a\uD83C';

describe('a session’s key', () => {
  test.each([
    ['two hundred characters', 'k'.repeat(200)],
    ['two hundred emoji, which count as two hundred characters', EMOJI.repeat(200)],
    ['spaces and letters of any language', 'commande n° 7 — été'],
    ['three dots', '...'],
    ['a dot and a slash', '../../protocol'],
    ['a dot and a letter', '.a'],
    ['an escaped dot', '%2e'],
    ['a space and a dot', ' .'],
  ])('may be %s', (_name, key) => {
    expect(keyFailures(key)).toEqual([]);
  });

  test.each([
    ['a number', 7],
    ['undefined', undefined],
    ['an empty text', ''],
    ['201 characters', 'k'.repeat(201)],
    ['201 emoji', EMOJI.repeat(201)],
    ['a text with a line feed', 'a\nb'],
    ['a text with a control character', 'a\u0085b'],
    ['a text with a line separator', 'a\u2028b'],
    ['a text with a paragraph separator', 'a\u2029b'],
    ['a text with half a surrogate pair', LONE_SURROGATE],
    ['one dot', '.'],
    ['two dots', '..'],
  ])('may not be %s', (_name, key) => {
    expect(keyFailures(key)).toMatchObject([{ path: 'key' }]);
  });
});

describe('the account of a session’s input', () => {
  test.each([undefined, null, 'shop', EMOJI.repeat(100)])('may be %j', (account) => {
    expect(accountFailures(account)).toEqual([]);
  });

  test.each(['', {}, EMOJI.repeat(101), 'a\tb', LONE_SURROGATE])('may not be %j', (account) => {
    expect(accountFailures(account)).toMatchObject([{ path: 'account' }]);
  });
});

describe('the reference of a session’s input', () => {
  test.each([undefined, null, 'r', 'any\ncharacters', EMOJI.repeat(100)])('may be %j', (reference) => {
    expect(referenceFailures(reference)).toEqual([]);
  });

  test.each(['', 7, EMOJI.repeat(101), LONE_SURROGATE])('may not be %j', (reference) => {
    expect(referenceFailures(reference)).toMatchObject([{ path: 'request.referenceId' }]);
  });
});

describe('a session’s policy', () => {
  test('has a rule for each field', () => {
    const ruled: Record<keyof Required<SessionPolicy>, unknown> = POLICY_RULES;
    const names: readonly (keyof SessionPolicy)[] = Object.keys(ruled) as (keyof typeof POLICY_RULES)[];
    expect(names).toContain('deadline');
  });

  test('may have missing fields, and fields that are null', () => {
    expect(policyFailures({ deadline: null, fastestPoll: '1s', indexReference: false })).toEqual([]);
    expect(policyFailures(undefined)).toEqual([]);
    expect(policyFailures(null)).toEqual([]);
  });

  test.each([
    ['deadlne', 'deadline'],
    ['Deadline', 'deadline'],
    ['fastestPol', 'fastestPoll'],
    ['onUnknownCreat', 'onUnknownCreate'],
  ])('with the unknown field %s is refused, and the message suggests %s', (name, meant) => {
    expect(policyFailures({ [name]: '2h' })).toEqual([
      { path: `policy.${name}`, message: `is not a field of policy; did you mean ${meant}?` },
    ]);
  });

  test('with a field that resembles no known field is refused without a suggestion', () => {
    expect(policyFailures({ colour: 'red' })).toEqual([
      { path: 'policy.colour', message: 'is not a field of policy' },
    ]);
  });

  test.each([
    [{ deadline: 'soon' }, 'policy.deadline'],
    [{ deadline: -1 }, 'policy.deadline'],
    [{ fastestPoll: '400d' }, 'policy.fastestPoll'],
    [{ onUnknownCreate: 'maybe' }, 'policy.onUnknownCreate'],
    [{ indexReference: 'no' }, 'policy.indexReference'],
    [{ fastestPoll: '10m', slowestPoll: '5m' }, 'policy.slowestPoll'],
    [{ fastestPoll: '2d', slowestUnsignedPoll: '1d' }, 'policy.slowestUnsignedPoll'],
    ['soon', 'policy'],
    [[], 'policy'],
  ])('may not be %j', (policy, path) => {
    expect(policyFailures(policy)).toMatchObject([{ path }]);
  });

  test('with a thousand wrong fields is refused with a short message', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `${'x'.repeat(10_000)}\n${index}`);
    const failures = policyFailures(Object.fromEntries(names.map((name) => [name, 1])));
    expect(JSON.stringify(failures).length).toBeLessThan(2_000);
  });
});

describe('a session’s input', () => {
  const input = (changes: object = {}) => ({ key: 'order-1', request: eft(), ...changes });
  const paths = (given: unknown) => inputFailures(given, requestShapeFailures).map(({ path }) => path);

  test('with an unknown field is refused, and the message suggests the nearest name', () => {
    expect(inputFailures(input({ polcy: {} }), requestShapeFailures)).toEqual([
      { path: 'polcy', message: 'is not a field of the input; did you mean policy?' },
    ]);
  });

  test('may have unknown fields in its request', () => {
    expect(paths(input({ request: { ...eft(), colour: 'red' } }))).toEqual([]);
  });

  test('is refused with all of its faults', () => {
    const given = { key: '', account: '', request: { amount: '1' }, policy: { deadline: '' }, more: 1 };
    expect(paths(given)).toEqual([
      'more',
      'key',
      'account',
      'request.amount',
      'request.options',
      'request.payor',
      'policy.deadline',
    ]);
  });

  test.each([
    ['deep arrays', () => Array.from({ length: 50_000 }).reduce((inner) => [inner], 1)],
    ['deep objects', () => Array.from({ length: 50_000 }).reduce((inner) => ({ inner }), 1)],
    [
      'a value that contains itself',
      () => {
        const value: Record<string, unknown> = {};
        value['self'] = value;
        return value;
      },
    ],
    [
      'a value that repeats its parts exponentially',
      () => Array.from({ length: 30 }).reduce((inner) => [inner, inner, inner], 1),
    ],
  ])('may not contain %s', (_name, deep) => {
    expect(paths(input({ request: { ...eft(), deep: deep() } }))).toEqual(['input']);
  });

  test('must have a request that can be written as JSON', () => {
    expect(inputFailures({ key: 'order-7', request: { extra: 1n } }, () => [])).toEqual([
      { path: 'request', message: 'must be JSON' },
    ]);
  });

  test('may have a request of at most 64 KiB', () => {
    const large = (length: number) => input({ request: { ...eft(), note: EMOJI.repeat(length) } });
    expect(paths(large(16_000))).toEqual([]);
    expect(paths(large(16_400))).toEqual(['request']);
  });
});

describe('a person’s resolution of a parked session', () => {
  const sessionId = '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1';

  test.each([
    { sessionId },
    { retry: true },
    { abandon: true, by: 'Avery', reason: 'not in the list\nof the service' },
    { retry: true, by: EMOJI.repeat(200), reason: EMOJI.repeat(500) },
  ])('may be %j', (answer) => {
    expect(resolutionFailures(answer)).toEqual([]);
  });

  test.each([
    [{}, 'the resolution'],
    [null, 'the resolution'],
    [{ retry: false }, 'the resolution'],
    [{ retry: true, abandon: true }, 'the resolution'],
    [{ retry: true, reasn: 'x' }, 'reasn'],
    [{ sessionId: 'not-a-uuid' }, 'sessionId'],
    [{ sessionId: '../../x' }, 'sessionId'],
    [{ sessionId: `${sessionId}\n` }, 'sessionId'],
    [{ retry: true, by: '' }, 'by'],
    [{ retry: true, by: 'b'.repeat(201) }, 'by'],
    [{ retry: true, reason: 'r'.repeat(501) }, 'reason'],
  ])('may not be %j', (answer, path) => {
    expect(resolutionFailures(answer).map((failure) => failure.path)).toContain(path);
  });

  test('has a session id that is a UUID, in upper or lower case', () => {
    expect(isSessionId(sessionId.toUpperCase())).toBe(true);
    expect(isSessionId(sessionId.replaceAll('-', ''))).toBe(false);
  });
});

describe('the name and reason of a decision', () => {
  test.each([
    undefined,
    null,
    {},
    { by: null, reason: null },
    { by: EMOJI.repeat(200) },
    { reason: EMOJI.repeat(500) },
    { by: 'Avery', reason: 'two\nlines' },
  ])('may be %j', (argument) => {
    expect(decidedByFailures(argument)).toEqual([]);
  });

  test.each([
    ['Avery', 'the argument'],
    [['Avery'], 'the argument'],
    [{ by: '' }, 'by'],
    [{ by: 7 }, 'by'],
    [{ by: EMOJI.repeat(201) }, 'by'],
    [{ by: LONE_SURROGATE }, 'by'],
    [{ reason: EMOJI.repeat(501) }, 'reason'],
    [{ by: 'Avery', reasn: 'x' }, 'reasn'],
  ])('may not be %j', (argument, path) => {
    expect(decidedByFailures(argument).map((failure) => failure.path)).toEqual([path]);
  });
});
