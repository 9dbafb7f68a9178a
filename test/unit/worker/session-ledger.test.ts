import { afterEach, expect, jest, test } from '@jest/globals';
import { KeyRing } from '../../../src/encryption';
import { PaysessionError, type ErrorCode } from '../../../src/errors';
import { CLAIM } from '../../support/ledger/claim';
import { sessionLedger, type LedgerCall } from '../../../worker/session-ledger';

const away = () => Promise.reject(new PaysessionError('LEDGER_UNAVAILABLE', 'away'));

afterEach(() => {
  jest.restoreAllMocks();
});

/** Returns a ledger whose state tests set, with its worker's log, its counted calls, and its reports of being away. */
function watched() {
  const state: { isAway: boolean; follower?: string; refusal?: ErrorCode; failure?: Error } = {
    isAway: true,
  };
  const answer = <T>(value: T) => (state.isAway ? away() : Promise.resolve(value));
  const logged: string[] = [];
  const counted: (readonly [LedgerCall, boolean])[] = [];
  const reported: boolean[] = [];
  const ledger = sessionLedger({
    ledger: {
      claim: () => answer({ outcome: 'claimed' } as const),
      record: () =>
        state.failure !== undefined
          ? Promise.reject(state.failure)
          : state.refusal === undefined
            ? answer(1)
            : Promise.reject(new PaysessionError(state.refusal, state.refusal)),
      recordEnded: () => answer(1),
      followerOf: () => answer(state.follower),
      check: () => answer(undefined),
    },
    readClaim: () => Promise.resolve(undefined),
    log: { warn: (message) => logged.push(message), info: (message) => logged.push(message) },
    observer: {
      called: (call, _ms, succeeded) => counted.push([call, succeeded]),
      away: (isAway) => reported.push(isAway),
    },
  });
  return { ledger, state, logged, counted, reported };
}

test('an outage of the ledger is logged once, and so is its end, while each call is counted', async () => {
  const { ledger, state, logged, counted } = watched();
  await ledger.record(CLAIM, []);
  await ledger.recordEnd(CLAIM, []);
  state.isAway = false;
  await ledger.record(CLAIM, []);
  expect(logged).toEqual(['the ledger does not record: away', 'the ledger answers again']);
  expect(counted).toEqual([
    ['record', false],
    ['end', false],
    ['record', true],
  ]);
});

test('a ledger that refuses an adoption because another key follows the session does not count as away', async () => {
  const { ledger, state, logged, counted, reported } = watched();
  Object.assign(state, { isAway: false, follower: 'order-7', refusal: 'SESSION_FOLLOWED' });
  const adopted = await ledger.adopt(CLAIM, { sessionId: 'session-1', at: '2026-05-06T14:00:00Z' });
  expect(adopted).toBe('order-7');
  expect([logged, counted, reported]).toEqual([[], [['record', true]], [false]]);
});

test.each([
  ['SESSION_FOLLOWED', 'followed'],
  ['LEDGER_TAMPERED', 'tampered'],
  ['ENCRYPTION_TAMPERED', 'tampered'],
  ['ENCRYPTION_KEY_MISSING', 'unreadable'],
  ['ENCRYPTION_REQUIRED', 'unreadable'],
] as const)(
  'a ledger that refuses one session with %s does not count as away, and its caller learns that the session is %s',
  async (code, fault) => {
    const { ledger, state, logged, reported } = watched();
    Object.assign(state, { isAway: false, refusal: code });
    expect(await ledger.record(CLAIM, [])).toBe(fault);
    expect([logged, reported]).toEqual([[code], []]);
  },
);

test('a ledger that is away, or that records the facts, finds no fault of the session', async () => {
  const { ledger, state } = watched();
  expect(await ledger.record(CLAIM, [])).toBeUndefined();
  state.isAway = false;
  expect(await ledger.record(CLAIM, [])).toBeUndefined();
});

test('a ledger whose encryption keys cannot be fetched counts as away, because no session can be recorded', async () => {
  const { ledger, state, reported } = watched();
  const ring = new KeyRing(() => Promise.reject(new Error('the key service is away')));
  Object.assign(state, { isAway: false, failure: await ring.current().catch((error: unknown) => error) });
  await ledger.record(CLAIM, []);
  expect(reported).toEqual([true]);
});

/** Lets the worker check the ledger once. */
function check({ ledger }: ReturnType<typeof watched>): Promise<void> {
  const over = new AbortController();
  ledger.watch(over.signal);
  over.abort();
  return new Promise((resolve) => setImmediate(resolve));
}

test('a ledger without calls is checked, and reported as away or back', async () => {
  const world = watched();
  await check(world);
  world.state.isAway = false;
  await check(world);
  expect(world.counted).toEqual([
    ['check', false],
    ['check', true],
  ]);
  expect(world.reported).toEqual([true, false]);
});

test('a ledger that can be read but refuses entries counts as away until it accepts one, or refuses none for 40 seconds', async () => {
  const world = watched();
  const { ledger, state, reported } = world;
  const now = jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
  await ledger.record(CLAIM, []);
  state.isAway = false;
  await check(world);
  expect(reported).toEqual([true]);
  await ledger.record(CLAIM, []);
  expect(reported).toEqual([true, false]);
  state.isAway = true;
  await ledger.record(CLAIM, []);
  state.isAway = false;
  now.mockReturnValue(1_039_999);
  await check(world);
  expect(reported).toEqual([true, false, true]);
  now.mockReturnValue(1_040_000);
  await check(world);
  expect(reported).toEqual([true, false, true, false]);
});
