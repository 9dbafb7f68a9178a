import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { CompleteAsyncError } from '@temporalio/activity';
import { createActivities, type ActivitiesOptions, type Claims } from '../../../activities';
import type { CreateResult } from '../../../src/protocol/activities';
import { Pace, PacedService } from '../../../src/service';
import {
  cleanUp,
  client,
  created,
  json,
  localService,
  SESSION_ID,
  type Behaviour,
  type LocalService,
} from '../../support/service/local-service';
import { eft } from '../../support/requests';
import { asActivity, createInput, firstExecution } from '../../support/activities/as-activity';
import type { ActivityCompletion } from '../../../activities/activity-attempt';

afterEach(cleanUp);

/** Answers a heartbeat. `count` is the number of heartbeats up to this one that said “about to send”. */
type Server = (count: number) => Promise<void>;

const named = (name: string) => Object.assign(new Error(name), { name });
const takes: Server = () => Promise.resolve();
const refuses =
  (name: string): Server =>
  () =>
    Promise.reject(named(name));

interface Attempt {
  readonly service: LocalService;
  /** The content of each heartbeat. */
  readonly said: readonly unknown[];
  /** The result that the server received, from the activity itself or from the SDK. */
  readonly result: CreateResult | undefined;
  /** True if the activity sent the result itself. */
  readonly isDelivered: boolean;
  /** The number of times that the activity sent the result. */
  readonly deliveries: number;
}

interface Circumstances {
  readonly at?: Readonly<Record<string, Behaviour>>;
  /** Answers a result. `said` has the contents of the heartbeats before. */
  readonly takesResult?: (deliveries: number, said: readonly unknown[]) => Promise<void>;
  readonly others?: Partial<ActivitiesOptions>;
}

async function create(
  server: Server,
  { at = {}, takesResult = takes, others = {} }: Circumstances = {},
): Promise<Attempt> {
  const service = await localService({ '/sessions': created, ...at });
  const said: unknown[] = [];
  let deliveries = 0;
  let taken: unknown;
  const completion = {
    heartbeat: (_token, details) => {
      said.push(details);
      return details === undefined ? Promise.resolve() : server(said.filter(Boolean).length);
    },
    complete: async (_token, result) => {
      deliveries += 1;
      await takesResult(deliveries, said);
      taken = result;
    },
  } as Partial<ActivityCompletion> as ActivityCompletion;
  const paced = new PacedService(client(service.baseUrl), { pace: new Pace() });
  const readState = () => Promise.reject(new Error('unused'));
  const activities = createActivities({ serviceOf: () => paced, readState, completion, ...others });
  const context = { info: { ...firstExecution, taskToken: new Uint8Array() } };
  const input = createInput(eft());
  const returned = await asActivity(() => activities.createSession(input), context).catch(
    (error: unknown) => {
      if (!(error instanceof CompleteAsyncError)) throw error;
      return undefined;
    },
  );
  const result = returned ?? (taken as CreateResult | undefined);
  return { service, said, result, isDelivered: returned === undefined, deliveries };
}

const creates = ({ service }: Attempt) => service.requests('/sessions').length;

describe('a create request', () => {
  test('is sent once the Temporal server has recorded “about to send”', async () => {
    const attempt = await create(takes);
    expect(attempt.result).toMatchObject({ outcome: 'created' });
    expect(attempt.said).toEqual(['about to send']);
  });

  test.each(['ActivityNotFoundError', 'ActivityCancelledError', 'ActivityPausedError', 'ActivityResetError'])(
    'is not sent if the Temporal server answers “about to send” with an %s',
    async (name) => {
      const attempt = await create(refuses(name));
      expect(attempt.result).toMatchObject({ outcome: 'notSent', failure: { code: 'SERVICE_PAUSED' } });
      expect(creates(attempt)).toBe(0);
    },
  );

  test('is not sent while the Temporal server cannot be reached, and its result says so', async () => {
    const attempt = await create(refuses('ServiceError'));
    expect(attempt.result).toMatchObject({ outcome: 'notSent', failure: { code: 'TEMPORAL_UNAVAILABLE' } });
    expect(creates(attempt)).toBe(0);
    expect(attempt.said.length).toBeGreaterThan(2);
  });

  test('is sent if the Temporal server records “about to send” at a later try', async () => {
    const attempt = await create((count) =>
      count < 3 ? Promise.reject(named('ServiceError')) : takes(count),
    );
    expect(attempt.result).toMatchObject({ outcome: 'created' });
    expect(attempt.said).toEqual(Array(3).fill('about to send'));
  });

  test('is not sent if the answer to “about to send” is read late: the server may have given the activity up since', async () => {
    const frozen = () => {
      const until = performance.now() + 2_500;
      while (performance.now() < until);
      return Promise.resolve();
    };
    const attempt = await create((count) =>
      count === 1 ? frozen() : refuses('ActivityNotFoundError')(count),
    );
    expect(attempt.result).toMatchObject({ outcome: 'notSent' });
    expect(creates(attempt)).toBe(0);
  });
});

describe('a create request that is refused for its token', () => {
  const refusesFirst: Behaviour = (response, received, count) => {
    if (count === 1) json(response, 401, {});
    else created(response, received, count);
  };

  test('is recorded as “about to send” again before it is repeated', async () => {
    const attempt = await create(takes, { at: { '/sessions': refusesFirst } });
    expect(attempt.result).toMatchObject({ outcome: 'created' });
    expect(attempt.said).toEqual(['about to send', 'about to send']);
  });

  test('is not repeated if the Temporal server has given the activity up meanwhile: nothing was created', async () => {
    const attempt = await create(
      (count) => (count === 1 ? takes(count) : refuses('ActivityNotFoundError')(count)),
      { at: { '/sessions': refusesFirst } },
    );
    expect(attempt.result).toMatchObject({ outcome: 'notSent' });
    expect(creates(attempt)).toBe(1);
  });
});

describe('the result of a create request that was sent', () => {
  const away = refuses('ServiceError');

  test('is delivered, with heartbeats meanwhile, once the Temporal server is back', async () => {
    const attempt = await create(takes, {
      takesResult: (deliveries, said) => (said.length < 3 ? away(deliveries) : takes(deliveries)),
    });
    expect(attempt).toMatchObject({ isDelivered: true, result: { outcome: 'created' } });
    expect(attempt.said.slice(0, 3)).toEqual(Array(3).fill('about to send'));
    expect(creates(attempt)).toBe(1);
  });

  test('is dropped if the Temporal server no longer knows the attempt', async () => {
    const attempt = await create(takes, { takesResult: refuses('ActivityNotFoundError') });
    expect(attempt).toMatchObject({ isDelivered: true, result: undefined, deliveries: 1 });
  });

  test('delays a stopping worker by at most ten seconds', async () => {
    const now = performance.now.bind(performance);
    let aheadMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
    let isStopping = false;
    const takesResult: Circumstances['takesResult'] = (deliveries) => {
      if (deliveries === 2) aheadMs = 10_000;
      if (deliveries === 3) isStopping = true;
      return away(deliveries);
    };
    try {
      const attempt = await create(takes, { takesResult, others: { isStopping: () => isStopping } });
      expect(attempt).toMatchObject({ isDelivered: true, result: undefined, deliveries: 3 });
    } finally {
      clock.mockRestore();
    }
  });

  test('delays a stopping worker by at most ten seconds, even if a late attempt at delivery gets no answer', async () => {
    const now = performance.now.bind(performance);
    let aheadMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
    let lateAtMs = 0;
    const takesResult: Circumstances['takesResult'] = (deliveries) => {
      if (deliveries === 1) {
        aheadMs = 9_000;
        return away(deliveries);
      }
      lateAtMs = now();
      return new Promise(() => undefined);
    };
    try {
      const attempt = await create(takes, { takesResult, others: { isStopping: () => true } });
      expect(attempt).toMatchObject({ isDelivered: true, result: undefined, deliveries: 2 });
      // One second is left. An attempt with its own time would take ten.
      expect(now() - lateAtMs).toBeLessThan(9_000);
    } finally {
      clock.mockRestore();
    }
  });

  test('is known to the worker before the Temporal server knows it', async () => {
    const events: string[] = [];
    const claims = {
      created: (sessionId: string, key: string) => events.push(`${key} has ${sessionId}`),
    } as Partial<Claims> as Claims;
    const takesResult = () => {
      events.push('delivered');
      return Promise.resolve();
    };
    await create(takes, { takesResult, others: { claims } });
    expect(events).toEqual([`order-7 has ${SESSION_ID}`, 'delivered']);
  });
});

test('the result of a create activity that had no token to send a request is left to the SDK', async () => {
  const at = {
    '/authorize': (response: ServerResponse) => {
      json(response, 503, {});
    },
  };
  const attempt = await create(takes, { at });
  expect(attempt).toMatchObject({ isDelivered: false, result: { outcome: 'notAuthenticated' } });
});

test('“about to send” waits for an ordinary heartbeat that is still under way, because that one would overwrite it', async () => {
  const events: string[] = [];
  const service = await localService({
    '/authorize': (response) => {
      void sleep(1_300).then(() => {
        json(response, 200, { access_token: 'token', token_type: 'bearer', expires_in: 599 });
      });
    },
    '/sessions': created,
  });
  const completion = {
    heartbeat: async (_token, details) => {
      if (details === undefined) await sleep(1_000);
      events.push(details === undefined ? 'ordinary' : 'record');
    },
    complete: () => Promise.resolve(),
  } as Partial<ActivityCompletion> as ActivityCompletion;
  const paced = new PacedService(client(service.baseUrl), { pace: new Pace() });
  const readState = () => Promise.reject(new Error('unused'));
  const activities = createActivities({ serviceOf: () => paced, readState, completion });
  const info = { ...firstExecution, taskToken: new Uint8Array() };
  const input = createInput(eft());
  await expect(asActivity(() => activities.createSession(input), { info })).rejects.toThrow(
    CompleteAsyncError,
  );
  expect(events.slice(0, 2)).toEqual(['ordinary', 'record']);
  expect(events.slice(2)).not.toContain('ordinary');
});
