import { setMaxListeners } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Pace, PacedService, type Pause } from '../../../../src/service';
import { eft } from '../../../support/requests';
import {
  cleanUp,
  client,
  hang,
  json,
  localService,
  type Behaviour,
  type LocalService,
} from '../../../support/service/local-service';

afterEach(cleanUp);

const HUNG = 'hung-';
const answersSoon: Behaviour = (response) => {
  setTimeout(() => {
    json(response, 200, { status: 'Initiated' });
  }, 5);
};
const slowlyCreated: Behaviour = (response) => {
  setTimeout(() => {
    json(response, 201, { sessionId: '6f0f1d5e-6b8e-4a54-9d10-0c3a5a2b7c11', referenceId: null });
  }, 5);
};
/** Answers calls, except calls about the sessions that hang. Accepts those calls and never answers them. */
const unlessHung: Behaviour = (response, received, count) => {
  (received.path.includes(HUNG) ? hang : answersSoon)(response, received, count);
};

const SESSIONS_THAT_HANG = 60;
/** On a busy machine, timers are late by up to this much, even if no call hangs. A call that waits for a hanging call takes seconds. */
const NOISE_MS = 30;

async function allHaveHung(service: LocalService, sessions: number): Promise<void> {
  const calls = () => service.requests('/details');
  const hung = () =>
    new Set(
      calls()
        .map(({ path }) => path)
        .filter((path) => path.includes(HUNG)),
    );
  while (hung().size < sessions) await service.arrived('/details', calls().length + 1);
}

interface Side {
  readonly service: LocalService;
  readonly paced: PacedService;
  readonly pauses: (Pause | undefined)[];
}

async function serviceWith(behaviours: Readonly<Record<string, Behaviour>>): Promise<Side> {
  const service = await localService({ '/sessions': slowlyCreated, '/cancel': answersSoon, ...behaviours });
  const pauses: (Pause | undefined)[] = [];
  const pace = new Pace({ onChange: (pause) => pauses.push(pause) });
  return { service, pauses, paced: new PacedService(client(service.baseUrl), { pace }) };
}

/** Polls sessions whose details hang, again and again until `stop`, as their workflows would do. */
function pollsThatHang({ paced }: Side, sessions: number, stop: AbortSignal): Promise<unknown> {
  const poll = async (session: number) => {
    while (!stop.aborted) {
      await paced.sessionDetails(`${HUNG}${session}`, { signal: stop }).catch(() => undefined);
    }
  };
  return Promise.all(Array.from({ length: sessions }, (_, session) => poll(session)));
}

/**
 * Makes a number of calls, one after the other, and returns the 95th percentile of their durations in milliseconds.
 */
async function p95Of(call: (index: number) => Promise<unknown>, calls = 60): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < calls; index += 1) {
    const sinceMs = performance.now();
    await call(index);
    times.push(performance.now() - sinceMs);
  }
  return times.sort((a, b) => a - b)[Math.floor(0.95 * calls)] ?? NaN;
}

describe('while the details of sixty sessions hang', () => {
  test('create requests, cancels and polls of other sessions keep their usual pace', async () => {
    const side = await serviceWith({ '/details': unlessHung });
    const { paced, service, pauses } = side;
    const calls = {
      creates: async () => {
        expect((await paced.createSession(eft())).outcome).toBe('created');
      },
      cancels: (index: number) => paced.cancelSession(`healthy-${index}`),
      polls: (index: number) => paced.sessionDetails(`healthy-${index % 20}`),
    };
    const measure = async () => ({
      creates: await p95Of(calls.creates),
      cancels: await p95Of(calls.cancels),
      polls: await p95Of(calls.polls),
    });
    await measure();
    const alone = await measure();
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const hanging = pollsThatHang(side, SESSIONS_THAT_HANG, stop.signal);
    try {
      // At first, the client does not know yet which sessions hang. So only create requests and cancels have connections of their own.
      const first = { creates: await p95Of(calls.creates), cancels: await p95Of(calls.cancels) };
      await allHaveHung(service, SESSIONS_THAT_HANG);
      await paced.sessionDetails('healthy-0');
      const beside = await measure();
      expect(pauses).toEqual([]);
      for (const [now, usual] of [
        [first.creates, alone.creates],
        [first.cancels, alone.cancels],
        [beside.creates, alone.creates],
        [beside.cancels, alone.cancels],
        [beside.polls, alone.polls],
      ] as const)
        expect(now).toBeLessThanOrEqual(2 * usual + NOISE_MS);
    } finally {
      stop.abort();
      await hanging;
    }
  }, 60_000);
});

describe('while sixty create requests hang', () => {
  test('other create requests keep their usual pace, and the account is not paused', async () => {
    const CREATES_THAT_HANG = 60;
    const side = await serviceWith({
      '/sessions': (response, received, count) => {
        (received.body.includes(HUNG) ? hang : slowlyCreated)(response, received, count);
      },
    });
    const { paced } = side;
    const create = async () => {
      expect(await paced.createSession(eft())).toMatchObject({ outcome: 'created' });
    };
    await p95Of(create);
    const alone = await p95Of(create);
    const hanging = Array.from({ length: CREATES_THAT_HANG }, (_, index) =>
      paced.createSession(eft(`${HUNG}${index}`)),
    );
    const beside = await p95Of(create, 200);
    expect(side.service.requests('/sessions').filter(({ body }) => body.includes(HUNG))).toHaveLength(60);
    expect(beside).toBeLessThanOrEqual(2 * alone + NOISE_MS);
    await Promise.all(hanging);
    expect(side.pauses).toEqual([]);
  }, 60_000);
});
