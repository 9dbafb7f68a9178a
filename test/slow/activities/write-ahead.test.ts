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

// Before the create activity sends the create request, it records “about to send” at the Temporal server, in a heartbeat. If the
// worker is lost, this record shows whether the request may have been sent. These tests play the Temporal server.

/** Answers a heartbeat of the activity. `count` is the number of “about to send” heartbeats up to and including this one. */
type Server = (count: number) => Promise<void>;

const named = (name: string) => Object.assign(new Error(name), { name });
const accepts: Server = () => Promise.resolve();
const refuses =
  (name: string): Server =>
  () =>
    Promise.reject(named(name));

interface Attempt {
  readonly service: LocalService;
  /** The contents of the heartbeats, in order. */
  readonly said: readonly unknown[];
  /** The result that the server received. The activity or the SDK sent it. */
  readonly result: CreateResult | undefined;
  /** True if the activity sent the result itself. */
  readonly isDelivered: boolean;
  /** The number of times that the activity sent the result. */
  readonly deliveries: number;
}

interface Circumstances {
  readonly at?: Readonly<Record<string, Behaviour>>;
  /** Answers the delivery of a result. `said` has the contents of the earlier heartbeats. */
  readonly takesResult?: (deliveries: number, said: readonly unknown[]) => Promise<void>;
  readonly others?: Partial<ActivitiesOptions>;
}

async function create(
  server: Server,
  { at = {}, takesResult = accepts, others = {} }: Circumstances = {},
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
    const attempt = await create(accepts);
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

  test('is not sent while the Temporal server cannot be reached, and the result is “not sent”', async () => {
    const attempt = await create(refuses('ServiceError'));
    expect(attempt.result).toMatchObject({ outcome: 'notSent', failure: { code: 'TEMPORAL_UNAVAILABLE' } });
    expect(creates(attempt)).toBe(0);
    expect(attempt.said.length).toBeGreaterThan(2);
  });

  test('is sent if a later try to record “about to send” succeeds', async () => {
    const attempt = await create((count) =>
      count < 3 ? Promise.reject(named('ServiceError')) : accepts(count),
    );
    expect(attempt.result).toMatchObject({ outcome: 'created' });
    expect(attempt.said).toEqual(Array(3).fill('about to send'));
  });

  test('is not sent if the answer to “about to send” is read too late, because the server may have timed out the activity since', async () => {
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

describe('a create request whose token the service refuses (401)', () => {
  const refusesFirst: Behaviour = (response, received, count) => {
    if (count === 1) json(response, 401, {});
    else created(response, received, count);
  };

  test('is sent again only after another “about to send” was recorded', async () => {
    const attempt = await create(accepts, { at: { '/sessions': refusesFirst } });
    expect(attempt.result).toMatchObject({ outcome: 'created' });
    expect(attempt.said).toEqual(['about to send', 'about to send']);
  });

  test('is not sent again if Temporal has timed out the activity meanwhile', async () => {
    const attempt = await create(
      (count) => (count === 1 ? accepts(count) : refuses('ActivityNotFoundError')(count)),
      { at: { '/sessions': refusesFirst } },
    );
    expect(attempt.result).toMatchObject({ outcome: 'notSent' });
    expect(creates(attempt)).toBe(1);
  });
});

describe('the result of a create request that was sent', () => {
  const away = refuses('ServiceError');

  test('is delivered once the Temporal server is back, with heartbeats until then', async () => {
    const attempt = await create(accepts, {
      takesResult: (deliveries, said) => (said.length < 3 ? away(deliveries) : accepts(deliveries)),
    });
    expect(attempt).toMatchObject({ isDelivered: true, result: { outcome: 'created' } });
    expect(attempt.said.slice(0, 3)).toEqual(Array(3).fill('about to send'));
    expect(creates(attempt)).toBe(1);
  });

  test('is dropped if the Temporal server does not know the attempt', async () => {
    const attempt = await create(accepts, { takesResult: refuses('ActivityNotFoundError') });
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
      const attempt = await create(accepts, { takesResult, others: { isStopping: () => isStopping } });
      expect(attempt).toMatchObject({ isDelivered: true, result: undefined, deliveries: 3 });
    } finally {
      clock.mockRestore();
    }
  });

  test('delays a stopping worker by at most ten seconds, also if the last try to deliver it gets no answer', async () => {
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
      const attempt = await create(accepts, { takesResult, others: { isStopping: () => true } });
      expect(attempt).toMatchObject({ isDelivered: true, result: undefined, deliveries: 2 });
      // This try begins with one second left. With a time limit of its own, it would take ten seconds.
      expect(now() - lateAtMs).toBeLessThan(9_000);
    } finally {
      clock.mockRestore();
    }
  });

  test('is stored in the worker before it is delivered to Temporal', async () => {
    const events: string[] = [];
    const claims = {
      created: (sessionId: string, key: string) => events.push(`${key} has ${sessionId}`),
    } as Partial<Claims> as Claims;
    const takesResult = () => {
      events.push('delivered');
      return Promise.resolve();
    };
    await create(accepts, { takesResult, others: { claims } });
    expect(events).toEqual([`order-7 has ${SESSION_ID}`, 'delivered']);
  });
});

test('if a create activity gets no token, the SDK delivers the result', async () => {
  const at = {
    '/authorize': (response: ServerResponse) => {
      json(response, 503, {});
    },
  };
  const attempt = await create(accepts, { at });
  expect(attempt).toMatchObject({ isDelivered: false, result: { outcome: 'notAuthenticated' } });
});

test('“about to send” is recorded only after an ordinary heartbeat under way has ended, because that heartbeat would overwrite it', async () => {
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
