import { afterEach, expect, jest, test } from '@jest/globals';
import { KeyRing } from '../../../src/encryption';
import { PaysessionError, type ErrorCode } from '../../../src/errors';
import { CLAIM } from '../../support/ledger/claim';
import { sessionLedger, type LedgerCall } from '../../../worker/session-ledger';

const away = () => Promise.reject(new PaysessionError('LEDGER_UNAVAILABLE', 'away'));

afterEach(() => {
  jest.restoreAllMocks();
});

/** A ledger that can be away; what its worker logs and counts. */
function watched() {
  const state: { isAway: boolean; follower?: string; refusal?: ErrorCode; failure?: Error } = {
    isAway: true,
  };
  const answer = <T>(value: T) => (state.isAway ? away() : Promise.resolve(value));
  const logged: string[] = [];
  const counted: (readonly [LedgerCall, boolean])[] = [];
  const told: boolean[] = [];
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
      away: (isAway) => told.push(isAway),
    },
  });
  return { ledger, state, logged, counted, told };
}

test('a ledger that is away is logged once, and once when it is back; each call counts', async () => {
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

test('a ledger that says who follows a session is not away', async () => {
  const { ledger, state, logged, counted, told } = watched();
  Object.assign(state, { isAway: false, follower: 'order-7', refusal: 'SESSION_FOLLOWED' });
  const adopted = await ledger.adopt(CLAIM, { sessionId: 'session-1', at: '2026-05-06T14:00:00Z' });
  expect(adopted).toBe('order-7');
  expect([logged, counted, told]).toEqual([[], [['record', true]], [false]]);
});

test.each([
  'SESSION_FOLLOWED',
  'LEDGER_TAMPERED',
  'ENCRYPTION_TAMPERED',
  'ENCRYPTION_KEY_MISSING',
  'ENCRYPTION_REQUIRED',
] as const)('a ledger that refuses one session with %s is not away', async (code) => {
  const { ledger, state, logged, told } = watched();
  Object.assign(state, { isAway: false, refusal: code });
  await ledger.record(CLAIM, []);
  expect([logged, told]).toEqual([[code], []]);
});

test('a ledger whose source of keys fails is away, because no session can be recorded', async () => {
  const { ledger, state, told } = watched();
  const ring = new KeyRing(() => Promise.reject(new Error('the key service is away')));
  Object.assign(state, { isAway: false, failure: await ring.current().catch((error: unknown) => error) });
  await ledger.record(CLAIM, []);
  expect(told).toEqual([true]);
});

/** Has the ledger looked at once. */
function look({ ledger }: ReturnType<typeof watched>): Promise<void> {
  const over = new AbortController();
  ledger.watch(over.signal);
  over.abort();
  return new Promise((resolve) => setImmediate(resolve));
}

test('an idle ledger is checked', async () => {
  const world = watched();
  await look(world);
  world.state.isAway = false;
  await look(world);
  expect(world.counted).toEqual([
    ['check', false],
    ['check', true],
  ]);
  expect(world.told).toEqual([true, false]);
});

test('one that can be read but takes no entry, as its disk is full, is away until it takes one, or none has been refused for 40 seconds', async () => {
  const world = watched();
  const { ledger, state, told } = world;
  const now = jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
  await ledger.record(CLAIM, []);
  state.isAway = false;
  await look(world);
  expect(told).toEqual([true]);
  await ledger.record(CLAIM, []);
  expect(told).toEqual([true, false]);
  state.isAway = true;
  await ledger.record(CLAIM, []);
  state.isAway = false;
  now.mockReturnValue(1_039_999);
  await look(world);
  expect(told).toEqual([true, false, true]);
  now.mockReturnValue(1_040_000);
  await look(world);
  expect(told).toEqual([true, false, true, false]);
});
