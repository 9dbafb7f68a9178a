import { afterEach, expect, jest, test } from '@jest/globals';
import { KeyRing } from '../../../src/encryption';
import { PaysessionError, type ErrorCode } from '../../../src/errors';
import { CLAIM } from '../../support/ledger/claim';
import { sessionLedger, type LedgerCall } from '../../../worker/session-ledger';

const unavailable = () => Promise.reject(new PaysessionError('LEDGER_UNAVAILABLE', 'away'));

afterEach(() => {
  jest.restoreAllMocks();
});

/**
 * Returns a worker's ledger, whose state the tests set. Also returns the worker's log, the counted calls to the ledger, and the
 * reports that the ledger is unavailable (true) or available again (false).
 */
function watched() {
  const state: { isUnavailable: boolean; follower?: string; refusal?: ErrorCode; failure?: Error } = {
    isUnavailable: true,
  };
  const answer = <T>(value: T) => (state.isUnavailable ? unavailable() : Promise.resolve(value));
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
      away: (isUnavailable) => reported.push(isUnavailable),
    },
  });
  return { ledger, state, logged, counted, reported };
}

test('an outage of the ledger is logged once at its beginning and once at its end, and each call is counted', async () => {
  const { ledger, state, logged, counted } = watched();
  await ledger.record(CLAIM, []);
  await ledger.recordEnd(CLAIM, []);
  state.isUnavailable = false;
  await ledger.record(CLAIM, []);
  expect(logged).toEqual(['the ledger does not record: away', 'the ledger answers again']);
  expect(counted).toEqual([
    ['record', false],
    ['end', false],
    ['record', true],
  ]);
});

test('a ledger that refuses an adoption because another key follows the session does not count as unavailable', async () => {
  const { ledger, state, logged, counted, reported } = watched();
  Object.assign(state, { isUnavailable: false, follower: 'order-7', refusal: 'SESSION_FOLLOWED' });
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
  'a ledger that refuses one session with %s does not count as unavailable, and the caller gets the fault %s',
  async (code, fault) => {
    const { ledger, state, logged, reported } = watched();
    Object.assign(state, { isUnavailable: false, refusal: code });
    expect(await ledger.record(CLAIM, [])).toBe(fault);
    expect([logged, reported]).toEqual([[code], []]);
  },
);

test('a ledger that is unavailable, or that records the facts, reports no fault of the session', async () => {
  const { ledger, state } = watched();
  expect(await ledger.record(CLAIM, [])).toBeUndefined();
  state.isUnavailable = false;
  expect(await ledger.record(CLAIM, [])).toBeUndefined();
});

test('a ledger whose encryption keys cannot be fetched counts as unavailable, because no session can be recorded', async () => {
  const { ledger, state, reported } = watched();
  const ring = new KeyRing(() => Promise.reject(new Error('the key service is away')));
  Object.assign(state, {
    isUnavailable: false,
    failure: await ring.current().catch((error: unknown) => error),
  });
  await ledger.record(CLAIM, []);
  expect(reported).toEqual([true]);
});

/** Makes the worker check the ledger once. */
function check({ ledger }: ReturnType<typeof watched>): Promise<void> {
  const stopping = new AbortController();
  ledger.watch(stopping.signal);
  stopping.abort();
  return new Promise((resolve) => setImmediate(resolve));
}

test('a ledger that gets no calls is checked, and reported as unavailable or available again', async () => {
  const world = watched();
  await check(world);
  world.state.isUnavailable = false;
  await check(world);
  expect(world.counted).toEqual([
    ['check', false],
    ['check', true],
  ]);
  expect(world.reported).toEqual([true, false]);
});

test('a ledger that fails to record counts as unavailable until it records an entry, or for 40 seconds without such a failure', async () => {
  const world = watched();
  const { ledger, state, reported } = world;
  const now = jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
  await ledger.record(CLAIM, []);
  state.isUnavailable = false;
  await check(world);
  expect(reported).toEqual([true]);
  await ledger.record(CLAIM, []);
  expect(reported).toEqual([true, false]);
  state.isUnavailable = true;
  await ledger.record(CLAIM, []);
  state.isUnavailable = false;
  now.mockReturnValue(1_039_999);
  await check(world);
  expect(reported).toEqual([true, false, true]);
  now.mockReturnValue(1_040_000);
  await check(world);
  expect(reported).toEqual([true, false, true, false]);
});
