import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Pace, WaitingRoom, type CallKind } from '../../../../src/service';
import { Turns, type TurnRequest } from '../../../../src/service/pace/turns';
import { seededRandom, testSeed } from '../../../support/seed';
import { eft } from '../../../support/requests';
import {
  elapsing,
  limitedService,
  type LimitedServiceOptions,
} from '../../../support/service/limited-service';

const seed = testSeed();
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const turnsOf = (connections: number) =>
  new Turns({
    pace: new Pace({ isGradual: false }),
    room: new WaitingRoom(),
    now: Date.now,
    waitsForTurn: true,
    connections,
    spareConnections: 0,
  });

/** Lets `polls` polls wait for their turns at once. Each turn ends as soon as it begins. Returns the average milliseconds for each poll. */
async function turnMs(polls: number): Promise<number> {
  const turns = turnsOf(32);
  const poll = async (session: number) => {
    const isHung = session % 10 === 0;
    const answer = await turns.take({ kind: 'poll', isHung, withinMs: MINUTE });
    if (!answer.go) throw new Error('turned away');
    await new Promise(setImmediate);
    answer.turn.end(true);
  };
  const sinceMs = performance.now();
  await Promise.all(Array.from({ length: polls }, (_, session) => poll(session)));
  return (performance.now() - sinceMs) / polls;
}

test('handing out one turn takes less than three times as long if twenty thousand polls wait as if a thousand wait', async () => {
  await turnMs(1_000);
  const ofFew = await turnMs(1_000);
  const ofMany = await turnMs(20_000);
  expect(ofMany / ofFew).toBeLessThan(3);
});

describe('calls that wait for a connection', () => {
  /**
   * Creates turns for a single connection, which the call `taken` uses at first. `order` records the names of the calls in the order of
   * their turns.
   */
  function oneConnection() {
    const turns = turnsOf(1);
    const order: string[] = [];
    const ask = async (name: string, kind: CallKind, other: Partial<TurnRequest> = {}) => {
      const answer = await turns.take({ kind, withinMs: MINUTE, ...other });
      if (!answer.go) return;
      order.push(name);
      await new Promise(setImmediate);
      answer.turn.end(true);
    };
    const taken = ask('taken', 'cancel');
    return { ask, order, taken };
  }

  test('get it in the order of their kinds, and within a kind in the order of their arrival', async () => {
    const { ask, order, taken } = oneConnection();
    const leaves = new AbortController();
    const all = [
      taken,
      ask('poll 1', 'poll'),
      ask('refresh', 'refresh'),
      ask('create 1', 'create'),
      ask('poll of a hung session', 'poll', { isHung: true }),
      ask('poll that is given up', 'poll', { signal: leaves.signal }),
      ask('poll 2', 'poll'),
      ask('cancel', 'cancel'),
      ask('create 2', 'create'),
    ];
    leaves.abort();
    await Promise.all(all);
    expect(order.slice(1)).toEqual([
      ...['cancel', 'create 1', 'create 2', 'refresh'],
      ...['poll 1', 'poll of a hung session', 'poll 2'],
    ]);
  });

  test('get it in the order of their first arrival, if they have already waited and come back', async () => {
    const { ask, order, taken } = oneConnection();
    await Promise.all([
      taken,
      ask('new', 'create'),
      ask('back after a minute', 'create', { waitedMs: MINUTE }),
      ask('newest', 'create'),
      ask('back after two', 'create', { waitedMs: 2 * MINUTE }),
    ]);
    expect(order.slice(1)).toEqual(['back after two', 'back after a minute', 'new', 'newest']);
  });
});

describe('five thousand polls of one account that are due together', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: Date.UTC(2026, 0, 5) });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const POLLS = 5_000;
  const PER_SECOND = 50;

  const serviceWith = (options: Partial<LimitedServiceOptions> = {}) =>
    limitedService({
      limiter: () => 0,
      random: seededRandom(seed),
      callsPerSecond: PER_SECOND,
      ...options,
    });

  const pollAll = ({ paced }: ReturnType<typeof serviceWith>, withinMs?: number) =>
    Promise.allSettled(
      Array.from({ length: POLLS }, (_, session) =>
        paced.sessionDetails(`session-${session}`, withinMs === undefined ? {} : { withinMs }),
      ),
    );

  const turnedAway = (polls: readonly PromiseSettledResult<unknown>[]) =>
    polls.filter(({ status }) => status === 'rejected').length;

  const elapse = <T>(work: Promise<T>) => elapsing(work, (ms) => jest.advanceTimersByTimeAsync(ms));

  test('are sent evenly at the account’s rate, and let create requests and cancels go first', async () => {
    const service = serviceWith();
    const sinceMs = Date.now();
    const polls = pollAll(service, 10 * MINUTE);
    await jest.advanceTimersByTimeAsync(10 * SECOND);
    const askedAtMs = Date.now();
    const creates = Promise.all(Array.from({ length: 10 }, () => service.paced.createSession(eft())));
    await elapse(Promise.all([creates, service.paced.cancelSession('session-1')]));
    expect(Date.now() - askedAtMs).toBeLessThan(SECOND);
    expect(turnedAway(await elapse(polls))).toBe(0);

    const tenths = new Map<number, number>();
    for (const atMs of service.taken) {
      const tenth = Math.floor((atMs - sinceMs) / (SECOND / 10));
      tenths.set(tenth, (tenths.get(tenth) ?? 0) + 1);
    }
    // At first, the calls of one whole second may be sent at once. After that, each tenth of a second has about a tenth of the rate.
    const later = [...tenths].filter(([tenth]) => tenth >= 20).slice(0, -2);
    expect(later.length).toBeGreaterThan(900);
    const counts = later.map(([, count]) => count);
    expect(Math.max(...counts)).toBeLessThanOrEqual(PER_SECOND / 10 + 3);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(PER_SECOND / 10 - 3);
  });

  test('wait for their turns for at most half a minute by default, and are then turned away', async () => {
    const service = serviceWith();
    const polls = await elapse(pollAll(service));
    const went = POLLS - turnedAway(polls);
    expect(went).toBeGreaterThanOrEqual(30 * PER_SECOND);
    expect(went).toBeLessThanOrEqual(32 * PER_SECOND);
  });

  // The service answers every call with 429 and a `Retry-After` of 45 seconds, so the account is paused for longer than half a minute.
  test('are turned away at once if the service asks for a pause of 45 seconds, even if each poll may wait ten minutes', async () => {
    const limiter = () => 45 * SECOND;
    const service = serviceWith({ limiter });
    const sinceMs = Date.now();
    const polls = await elapse(pollAll(service, 10 * MINUTE));
    expect(turnedAway(polls)).toBe(POLLS);
    expect(Date.now() - sinceMs).toBeLessThan(SECOND);
    for (const poll of polls.slice(-10))
      expect(poll).toMatchObject({
        reason: { code: 'SERVICE_PAUSED', failure: { retryAfterMs: expect.any(Number) } },
      });
  });
});
