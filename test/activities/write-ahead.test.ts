import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createActivities, type ActivityCompletion } from '../../activities';
import type { CreateResult } from '../../src/protocol/activities';
import { Pace, PacedService } from '../../src/service';
import {
  cleanUp,
  client,
  created,
  json,
  localService,
  type Behaviour,
  type LocalService,
} from '../service/support/local-service';
import { eft } from '../support/requests';
import { asActivity, firstExecution } from './support';

afterEach(cleanUp);

/** Answers a heartbeat; `count` is how many said that the create is about to be sent, this one among them. */
type Server = (count: number) => Promise<void>;

const named = (name: string) => Object.assign(new Error(name), { name });
const takes: Server = () => Promise.resolve();
const refuses =
  (name: string): Server =>
  () =>
    Promise.reject(named(name));

interface Attempt {
  readonly service: LocalService;
  /** What each heartbeat said. */
  readonly said: readonly unknown[];
  readonly result: CreateResult;
}

async function create(server: Server, atSessions: Behaviour = created): Promise<Attempt> {
  const service = await localService({ '/sessions': atSessions });
  const said: unknown[] = [];
  const completion = {
    heartbeat: (_token, details) => {
      said.push(details);
      return details === undefined ? Promise.resolve() : server(said.filter(Boolean).length);
    },
  } as Partial<ActivityCompletion> as ActivityCompletion;
  const paced = new PacedService(client(service.baseUrl), { pace: new Pace() });
  const readState = () => Promise.reject(new Error('unused'));
  const activities = createActivities({ serviceOf: () => paced, readState, completion });
  const info = { ...firstExecution, taskToken: new Uint8Array() };
  const input = { account: 'default', request: eft() };
  const result = await asActivity(() => activities.createSession(input), { info });
  return { service, said, result };
}

const creates = ({ service }: Attempt) => service.requests('/sessions').length;

describe('a create', () => {
  test('is sent once the server has it on record that it is about to be', async () => {
    const attempt = await create(takes);
    expect(attempt.result).toMatchObject({ outcome: 'created' });
    expect(attempt.said).toEqual(['about to send']);
  });

  test.each(['ActivityNotFoundError', 'ActivityCancelledError', 'ActivityPausedError', 'ActivityResetError'])(
    'is not sent where the server answers the record with an %s',
    async (name) => {
      const attempt = await create(refuses(name));
      expect(attempt.result).toMatchObject({ outcome: 'notSent', failure: { code: 'SERVICE_PAUSED' } });
      expect(creates(attempt)).toBe(0);
    },
  );

  test('is not sent while the server cannot be reached, and says so', async () => {
    const attempt = await create(refuses('ServiceError'));
    expect(attempt.result).toMatchObject({ outcome: 'notSent', failure: { code: 'ENGINE_UNAVAILABLE' } });
    expect(creates(attempt)).toBe(0);
    expect(attempt.said.length).toBeGreaterThan(2);
  });

  test('is sent where the record is taken at a later try', async () => {
    const attempt = await create((count) =>
      count < 3 ? Promise.reject(named('ServiceError')) : takes(count),
    );
    expect(attempt.result).toMatchObject({ outcome: 'created' });
    expect(attempt.said).toEqual(Array(3).fill('about to send'));
  });

  test('is not sent on an answer that is stale by the time it is read: the server may have given it up since', async () => {
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

describe('a create that is refused for its token', () => {
  const refusesFirst: Behaviour = (response, received, count) => {
    if (count === 1) json(response, 401, {});
    else created(response, received, count);
  };

  test('is put on record again before it is repeated', async () => {
    const attempt = await create(takes, refusesFirst);
    expect(attempt.result).toMatchObject({ outcome: 'created' });
    expect(attempt.said).toEqual(['about to send', 'about to send']);
  });

  test('is not repeated where the server has given it up meanwhile: nothing was created', async () => {
    const attempt = await create(
      (count) => (count === 1 ? takes(count) : refuses('ActivityNotFoundError')(count)),
      refusesFirst,
    );
    expect(attempt.result).toMatchObject({ outcome: 'notSent' });
    expect(creates(attempt)).toBe(1);
  });
});

test('an ordinary heartbeat that is still under way is waited for: taken late, it would take the record back', async () => {
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
  } as Partial<ActivityCompletion> as ActivityCompletion;
  const paced = new PacedService(client(service.baseUrl), { pace: new Pace() });
  const readState = () => Promise.reject(new Error('unused'));
  const activities = createActivities({ serviceOf: () => paced, readState, completion });
  const info = { ...firstExecution, taskToken: new Uint8Array() };
  const input = { account: 'default', request: eft() };
  await asActivity(() => activities.createSession(input), { info });
  expect(events.slice(0, 2)).toEqual(['ordinary', 'record']);
  expect(events.slice(2)).not.toContain('ordinary');
});
