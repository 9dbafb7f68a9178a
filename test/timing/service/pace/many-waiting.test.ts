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

/** Returns the milliseconds that a poll's turn takes if `polls` polls wait at once, and each ends as soon as it begins. */
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

test('a call’s turn costs about the same time whether a thousand polls wait or twenty thousand', async () => {
  await turnMs(1_000);
  const ofFew = await turnMs(1_000);
  const ofMany = await turnMs(20_000);
  expect(ofMany / ofFew).toBeLessThan(3);
});

describe('the order of calls that wait for a connection', () => {
  /** Creates turns on one connection, which is in use. `order` records the order of the turns. */
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

  test('is by their kind, and within a kind by their arrival', async () => {
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

  test('is by their first arrival if they have waited before', async () => {
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

  test('are sent evenly at the account’s rate, and create requests and cancels are sent before them', async () => {
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
    // At first, the calls of one second may go at once. From then on, each tenth of a second has its share.
    const later = [...tenths].filter(([tenth]) => tenth >= 20).slice(0, -2);
    expect(later.length).toBeGreaterThan(900);
    const counts = later.map(([, count]) => count);
    expect(Math.max(...counts)).toBeLessThanOrEqual(PER_SECOND / 10 + 3);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(PER_SECOND / 10 - 3);
  });

  test('wait for the account’s rate for half a minute by default, and are then turned away', async () => {
    const service = serviceWith();
    const polls = await elapse(pollAll(service));
    const went = POLLS - turnedAway(polls);
    expect(went).toBeGreaterThanOrEqual(30 * PER_SECOND);
    expect(went).toBeLessThanOrEqual(32 * PER_SECOND);
  });

  test('are turned away when all are held back for longer than that, however long they may wait', async () => {
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
