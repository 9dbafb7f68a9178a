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

/**
 * Returns functions that send create requests. Each request waits for its turn. A healthy request is answered after
 * `ANSWERED_IN_MS`. Any other request hangs: it is never answered.
 */
function creates() {
  const turns = new Turns({
    pace: new Pace({ now: Date.now }),
    room: new WaitingRoom(),
    now: Date.now,
    waitsForTurn: true,
    connections: CONNECTIONS,
    spareConnections: SPARE,
  });
  /** The turns of the hanging requests. */
  const hanging: Turn[] = [];
  /** Sends a create request, and returns the time for which it waited for its turn. */
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
  const createHanging = (count: number) => {
    for (let index = 0; index < count; index += 1) void create(false);
  };
  return { hanging, create, createHanging };
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

test('create requests that hang use three quarters of the connections at first, and at most one more each second', async () => {
  const { hanging, createHanging } = creates();
  createHanging(100);
  await pass(10 * SECOND);
  expect(hanging.length).toBeLessThanOrEqual((CONNECTIONS * 3) / 4 + 10);
});

test('create requests that hang also use all spare connections once later create requests are answered', async () => {
  const { hanging, create, createHanging } = creates();
  createHanging(150);
  for (let second = 0; second < 60; second += 1) {
    void create(true);
    await pass(SECOND);
  }
  expect(hanging).toHaveLength(SPARE + (CONNECTIONS * 3) / 4);
});

test('a new create request soon gets its turn while other create requests hang or wait', async () => {
  const { create, createHanging } = creates();
  await Promise.all([create(true), pass(SECOND)]);
  createHanging(60);
  await pass(SECOND);
  const waited: number[] = [];
  for (let time = 0; time < 10; time += 1) {
    const [waitedMs] = await Promise.all([create(true), pass(2 * SECOND)]);
    waited.push(waitedMs);
  }
  expect(Math.max(...waited)).toBeLessThanOrEqual(1.5 * SECOND);
});

test('a create request waits at most five seconds for its turn, even if the caller allows a longer wait', async () => {
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
