import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Pace, PacedService, WaitingRoom } from '../../../../src/service';
import { eft } from '../../../support/requests';
import { cleanUp, client, json, localService, type Behaviour } from '../../../support/service/local-service';

afterEach(cleanUp);

/** Returns a service that answers create requests with a 429 and this Retry-After, and a client at the account's pace. */
async function limitedFor(seconds: number) {
  const service = await localService({
    '/sessions': (response) => response.writeHead(429, { 'retry-after': String(seconds) }).end(),
    '/cancel': (response) => {
      json(response, 200, { status: 'Initiated' });
    },
  });
  return { service, paced: new PacedService(client(service.baseUrl), { pace: new Pace() }) };
}

// Calls at the account's pace wait for their turn in the worker, such as during a pause.
describe('before a call’s turn', () => {
  test('a create request that is cancelled while it waits counts as not sent', async () => {
    const { paced, service } = await limitedFor(5);
    await paced.createSession(eft());
    const caller = new AbortController();
    const waiting = paced.createSession(eft(), { signal: caller.signal });
    caller.abort();
    expect(await waiting).toMatchObject({ outcome: 'notSent', failure: { code: 'SERVICE_PAUSED' } });
    expect(service.requests('/sessions')).toHaveLength(1);
  });

  test('a call is refused at once if it may not wait until the end of the pause, with the time of the next try', async () => {
    const { paced } = await limitedFor(600);
    await paced.createSession(eft());
    const outcome = await paced.createSession(eft(), { withinMs: 10_000 });
    expect(outcome).toMatchObject({ outcome: 'notSent', failure: { code: 'SERVICE_PAUSED' } });
    const retryAfterMs = outcome.outcome === 'notSent' ? (outcome.failure.retryAfterMs ?? 0) : 0;
    expect(retryAfterMs).toBeGreaterThan(500_000);
    await expect(paced.sessionDetails('any', { urgent: true })).rejects.toMatchObject({
      code: 'SERVICE_PAUSED',
    });
    await expect(paced.cancelSession('any')).resolves.toMatchObject({ status: 'Initiated' });
  });

  test('a create request is refused at once if it would wait more than five seconds, so that its workflow waits instead', async () => {
    const { paced } = await limitedFor(30);
    await paced.createSession(eft());
    const outcome = await paced.createSession(eft());
    expect(outcome).toMatchObject({ outcome: 'notSent', failure: { code: 'SERVICE_PAUSED' } });
  });

  test('a create request waits if it may wait just until the end of the pause, even if the process is slow', async () => {
    const { service } = await limitedFor(5);
    let readings = 0;
    let delayedFromReading = Infinity;
    const now = (): number => {
      readings += 1;
      return readings < delayedFromReading ? 0 : 10;
    };
    const paced = new PacedService(client(service.baseUrl), { pace: new Pace({ now }), now });
    await paced.createSession(eft());
    for (const reading of [1, 2, 3, 4, 5, 6]) {
      delayedFromReading = readings + reading;
      const caller = new AbortController();
      const waits = paced.createSession(eft(), { signal: caller.signal });
      const first = await Promise.race([waits, setImmediate('it waits')]);
      delayedFromReading = Infinity;
      caller.abort();
      await waits;
      expect({ reading, first }).toEqual({ reading, first: 'it waits' });
    }
  });

  test('waiting calls are refused when the worker stops', async () => {
    const { paced } = await limitedFor(5);
    await paced.createSession(eft());
    const waiting = paced.createSession(eft());
    paced.stopWaiting();
    expect(await waiting).toMatchObject({ outcome: 'notSent', failure: { code: 'SERVICE_PAUSED' } });
  });

  test('only a limited number of calls may wait, with a lower limit for polls, and cancels do not wait', async () => {
    const { service } = await limitedFor(5);
    const room = new WaitingRoom({ polls: 1, all: 2 });
    const paced = new PacedService(client(service.baseUrl), { pace: new Pace(), room });
    await paced.createSession(eft());
    const poll = paced.sessionDetails('first').catch((error: unknown) => error);
    await expect(paced.sessionDetails('second')).rejects.toMatchObject({ code: 'SERVICE_PAUSED' });
    const create = paced.createSession(eft());
    expect(await paced.createSession(eft())).toMatchObject({ failure: { code: 'SERVICE_PAUSED' } });
    await expect(paced.cancelSession('any')).resolves.toMatchObject({ status: 'Initiated' });
    paced.stopWaiting();
    await Promise.all([poll, create]);
  });

  test('no call waits if the worker’s clock skips time', async () => {
    const { service } = await limitedFor(5);
    const paced = new PacedService(client(service.baseUrl), { pace: new Pace(), waitsForTurn: false });
    await paced.createSession(eft());
    expect(await paced.createSession(eft())).toMatchObject({
      outcome: 'notSent',
      failure: { code: 'SERVICE_PAUSED' },
    });
  });
});

test('five create requests that fail after the caller stopped waiting count as an outage', async () => {
  const fail: (() => void)[] = [];
  const failing: Behaviour = (response) => {
    fail.push(() => {
      json(response, 503, { title: 'as asked' });
    });
  };
  const service = await localService({ '/sessions': failing });
  const pace = new Pace({ isGradual: false });
  const paced = new PacedService(client(service.baseUrl), { pace });
  for (const create of [1, 2, 3, 4, 5]) {
    expect(pace.waitMs('create')).toBe(0);
    const caller = new AbortController();
    const outcome = paced.createSession(eft(), { signal: caller.signal });
    await service.arrived('/sessions', create);
    caller.abort();
    fail.pop()?.();
    expect(await outcome).toMatchObject({ outcome: 'unknown' });
  }
  expect(pace.waitMs('create')).toBeGreaterThan(0);
});
