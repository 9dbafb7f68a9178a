import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { Pace, PacedService, WaitingRoom } from '../../../../src/service';
import type { PacedCalls } from '../../../../src/service/pace/paced-service';
import { Turns, type Turn } from '../../../../src/service/pace/turns';
import { eft } from '../../../support/requests';

beforeEach(() => {
  jest.useFakeTimers({ now: Date.UTC(2026, 0, 5) });
});

afterEach(() => {
  jest.useRealTimers();
});

const SECOND = 1_000;
const CONNECTIONS = 32;
const SPARE = 64;
const ANSWERED_IN_MS = 50;

/** Creates that ask for their turn; those that are named healthy are answered, the others hang. */
function creates() {
  const turns = new Turns({
    pace: new Pace({ now: Date.now }),
    room: new WaitingRoom(),
    now: Date.now,
    waitsForTurn: true,
    connections: CONNECTIONS,
    spareConnections: SPARE,
  });
  const hanging: Turn[] = [];
  /** Returns the time that it waited. */
  const create = async (isHealthy: boolean): Promise<number> => {
    const sinceMs = Date.now();
    const answer = await turns.take({ kind: 'create', withinMs: 600 * SECOND });
    if (!answer.go) throw new Error('turned away');
    const waitedMs = Date.now() - sinceMs;
    if (!isHealthy) hanging.push(answer.turn);
    else
      setTimeout(() => {
        answer.turn.end(true);
      }, ANSWERED_IN_MS);
    return waitedMs;
  };
  const many = (count: number) => {
    for (let index = 0; index < count; index += 1) void create(false);
  };
  return { hanging, create, many };
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

test('where no create is answered, those that hang leave the connections of other calls; one more goes every second', async () => {
  const { hanging, many } = creates();
  many(100);
  await pass(10 * SECOND);
  expect(hanging.length).toBeLessThanOrEqual((CONNECTIONS * 3) / 4 + 10);
});

test('creates that hang make room once one that was sent after them is answered, up to the spare connections', async () => {
  const { hanging, create, many } = creates();
  many(150);
  for (let second = 0; second < 60; second += 1) {
    void create(true);
    await pass(SECOND);
  }
  expect(hanging).toHaveLength(SPARE + (CONNECTIONS * 3) / 4);
});

test('one that comes while creates hang has its turn soon, however many wait', async () => {
  const { create, many } = creates();
  await Promise.all([create(true), pass(SECOND)]);
  many(60);
  await pass(SECOND);
  const waited: number[] = [];
  for (let time = 0; time < 10; time += 1) {
    const [waitedMs] = await Promise.all([create(true), pass(2 * SECOND)]);
    waited.push(waitedMs);
  }
  expect(Math.max(...waited)).toBeLessThanOrEqual(1.5 * SECOND);
});

test('a create waits five seconds for its turn at most, however late its session ends', async () => {
  const unanswered = () => new Promise(() => undefined);
  const service = { maxConnections: 1, spareConnections: 0, createSession: unanswered };
  const paced = new PacedService(service as unknown as PacedCalls, {
    pace: new Pace({ now: Date.now }),
    now: Date.now,
  });
  void paced.createSession(eft());
  const waiting = paced.createSession(eft(), { withinMs: 25 * 3_600 * SECOND });
  await pass(5 * SECOND);
  expect(await Promise.race([waiting, Promise.resolve('waits')])).toMatchObject({
    outcome: 'notSent',
    failure: { code: 'SERVICE_PAUSED' },
  });
});
