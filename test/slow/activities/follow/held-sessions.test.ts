import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ActivityCancelledError, ActivityNotFoundError, ActivityPausedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { HeldSessions } from '../../../../activities';
import type { FollowSessionInput } from '../../../../src/protocol/activities';
import { pollSession, PollSchedule } from '../../../../activities/follow-session';
import { Pace, PacedService } from '../../../../src/service';
import { until } from '../../../support/wait';
import { cleanUp, client, json, localService, SESSION_ID } from '../../../support/service/local-service';

afterEach(cleanUp);

// A worker holds a session between two polls: it keeps the session in memory without occupying an activity slot. The activity
// stays open at the Temporal server, and the worker keeps it alive with heartbeats.

/** A fake Temporal server. It records the calls that it receives in order, and each kind of call can be made to fail. */
class Server {
  readonly calls: string[] = [];
  readonly errors: Record<string, Error | undefined> = {};
  failure: unknown;
  result: unknown;

  heartbeat = () => this.#take('heartbeat');
  reportCancellation = () => this.#take('reportCancellation');
  complete = (_token: Uint8Array, result: unknown) => {
    this.result = result;
    return this.#take('complete');
  };
  fail = (_token: Uint8Array, failure: unknown) => {
    this.failure = failure;
    return this.#take('fail');
  };

  #take(call: string): Promise<void> {
    this.calls.push(call);
    const error = this.errors[call];
    return error === undefined ? Promise.resolve() : Promise.reject(error);
  }
}

const INPUT: FollowSessionInput = {
  account: 'default',
  sessionId: SESSION_ID,
  known: { kind: 'EFT', furthest: 0, status: 'Initiated', code: 'EFT0101' },
  cadence: { fastestMs: 50, slowestMs: 50, steadyMs: 0 },
  sinceChangeMs: 0,
  forMs: 60_000,
  heldUpToMs: 60_000,
};

let code: string;
let polls: number;
let service: PacedService;
let server: Server;

beforeEach(async () => {
  code = 'EFT0101';
  polls = 0;
  server = new Server();
  const { baseUrl } = await localService({
    '/details': (response) => {
      polls += 1;
      json(response, 200, { sessionId: SESSION_ID, status: 'Initiated', statusDetails: code });
    },
  });
  service = new PacedService(client(baseUrl), { pace: new Pace() });
});

function hold(held: HeldSessions, input: Partial<FollowSessionInput> = {}): void {
  const whole = { ...INPUT, ...input };
  const info = { attempt: 1, scheduledTimestampMs: 0, currentAttemptScheduledTimestampMs: 0 };
  held.hold({
    poll: (options) => pollSession(service, whole, options),
    input: whole,
    schedule: new PollSchedule(whole, info),
    taskToken: new Uint8Array(),
    activity: 'follow the session',
    heartbeatTimeoutMs: 100,
  });
}

const heldBy = (most?: number) => new HeldSessions({ completion: server, most });
const polled = (times: number) =>
  until(
    () => Promise.resolve(polls),
    (count) => count >= times,
  );
const called = (call: string, times = 1) =>
  until(
    () => Promise.resolve(server.calls.filter((one) => one === call).length),
    (count) => count >= times,
  );

describe('a held session', () => {
  test('is polled and kept alive with heartbeats until it changes, and the worker then reports the change to Temporal', async () => {
    const held = heldBy();
    hold(held);
    await Promise.all([polled(3), called('heartbeat', 2)]);
    code = 'EFT0201';
    await called('complete');
    expect(server.result).toMatchObject({ outcome: 'seen', snapshot: { code: 'EFT0201' } });
    expect(held.size).toBe(0);
  });

  test('has its change reported again if the Temporal server could not be reached', async () => {
    server.errors['complete'] = new Error('unavailable');
    hold(heldBy());
    code = 'EFT0201';
    await called('complete');
    delete server.errors['complete'];
    await called('complete', 2);
  });

  test('has its change reported once the Temporal server is back after a long outage', async () => {
    server.errors['complete'] = new Error('unavailable');
    const held = heldBy();
    hold(held);
    await polled(1);
    code = 'EFT0301';
    await called('complete');
    const now = performance.now.bind(performance);
    const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 3 * 60 * 60_000);
    await called('complete', 2);
    delete server.errors['complete'];
    await called('complete', 3);
    later.mockRestore();
    expect(server.result).toMatchObject({ outcome: 'seen', snapshot: { code: 'EFT0301' } });
    await held.stop();
  });

  test('has its change reported by the next attempt of the activity, without another poll, if Temporal has timed out the first attempt', async () => {
    server.errors['complete'] = new Error('unavailable');
    const held = heldBy();
    code = 'EFT0301';
    hold(held);
    await called('complete');
    const pollsBefore = polls;
    delete server.errors['complete'];
    hold(held);
    await called('complete', 2);
    expect(server.result).toMatchObject({ outcome: 'seen', snapshot: { code: 'EFT0301' } });
    expect(polls).toBe(pollsBefore);
    await held.stop();
  });

  test('stays held if a heartbeat does not reach the Temporal server', async () => {
    server.errors['heartbeat'] = new Error('unavailable');
    hold(heldBy());
    await called('heartbeat');
    const before = polls;
    await polled(before + 3);
  });

  test('is released if its next poll is later than a session may be held', async () => {
    hold(heldBy(), { heldUpToMs: 49 });
    await called('complete');
    expect(server.result).toMatchObject({ outcome: 'seen', snapshot: { code: 'EFT0101' } });
  });
});

describe('a held session whose activity Temporal has ended', () => {
  test.each<[string, Error, string[]]>([
    ['because the workflow is over', new ActivityNotFoundError('gone'), []],
    ['because it was cancelled', new ActivityCancelledError('cancelled'), ['reportCancellation']],
  ])('%s is not polled again', async (_, error, reports) => {
    const held = heldBy();
    server.errors['heartbeat'] = error;
    hold(held);
    await until(
      () => Promise.resolve(held.size),
      (size) => size === 0,
    );
    expect(server.calls.filter((call) => call !== 'heartbeat')).toEqual(reports);
  });

  test('because an operator has paused it is released, so that another attempt begins after the pause', async () => {
    server.errors['heartbeat'] = new ActivityPausedError('paused');
    hold(heldBy());
    await called('fail');
    expect(server.failure).toMatchObject({ type: 'FollowAgain', nonRetryable: false });
  });
});

describe('the held sessions of a worker', () => {
  test('are limited to a maximum number', () => {
    const held = heldBy(1);
    expect(held.hasRoom).toBe(true);
    hold(held);
    expect(held.hasRoom).toBe(false);
  });

  test('include only the latest attempt of a session’s activity', async () => {
    const held = heldBy();
    hold(held);
    hold(held);
    expect(held.size).toBe(1);
    await held.stop();
    expect(server.calls.filter((call) => call === 'fail')).toHaveLength(1);
  });

  test('are released at once when the worker stops, so that another worker can continue', async () => {
    const held = heldBy();
    hold(held);
    await polled(1);
    await held.stop();
    expect(held.hasRoom).toBe(false);
    expect(server.failure).toBeInstanceOf(ApplicationFailure);
    expect(server.failure).toMatchObject({ type: 'FollowAgain', category: 'BENIGN', nextRetryDelay: 100 });
  });

  test('are not polled while a cancel is sent', async () => {
    const held = heldBy();
    hold(held);
    await polled(1);
    held.release(INPUT);
    await called('fail');
    expect(server.failure).toMatchObject({ nextRetryDelay: 5_000 });
  });
});
