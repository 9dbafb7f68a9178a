import { describe, expect, test } from '@jest/globals';
import type { PaymentSessionHandle, SessionState } from '../../../src';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { leftOpen } from '../../support/requests';
import { stateOf, until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';
import type { SessionRecord } from '../../../workflows/record/session-record';
import { fetchHistory } from '../../../testkit/histories/recorded-history';

/** A Temporal server that suggests to continue as new after forty events. */
const temporal = useTemporalServer({ 'limit.historyCount.suggestContinueAsNew': '40' });
const world = useWorld(() => ({ temporalAddress: temporal.address }));

const asksToWait = { kind: 'status', status: 429, retryAfter: '120' } as const;
const waits = ({ trouble }: SessionState) => trouble?.until !== undefined;
const creations = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;

/** Restarts the worker, so that it has forgotten the wait. Then sends messages until the session has continued as new. */
async function continues(session: PaymentSessionHandle): Promise<void> {
  await world.stopWorker();
  await world.startWorker();
  const handle = world.client.workflow.getHandle(session.workflowId);
  const { runId: firstRun } = await handle.describe();
  await until(
    async () => {
      await handle.signal('nudge');
      return (await handle.describe()).runId;
    },
    (runId) => runId !== firstRun,
  );
}

// The service answers 429 with Retry-After: the session must wait before its next call.
describe('a session that continues as new still waits for the time', () => {
  test('that the service requested before the next poll', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    world.sandbox.failNext('details', asksToWait, 1_000);
    const before = await stateOf(session, waits);
    await continues(session);
    expect(await session.state()).toMatchObject({ trouble: { until: before.trouble?.until } });
    // The new run has scheduled no activity.
    const { events } = await fetchHistory(world.client, session.key);
    expect(events?.filter((event) => event.activityTaskScheduledEventAttributes)).toEqual([]);
    world.sandbox.clearFaults();
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
  });

  test('that the service requested before the next create request', async () => {
    world.sandbox.failNext('create', asksToWait, 1_000);
    const session = await world.sessions.start(world.input(leftOpen()));
    const before = await stateOf(session, waits);
    const creates = creations();
    await continues(session);
    expect(await session.state()).toMatchObject({
      phase: 'creating',
      trouble: { until: before.trouble?.until },
    });
    world.sandbox.clearFaults();
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'neverCreated' });
    expect(creations()).toBe(creates);
  });
});

test('an open session that continues as new while its polls fail still answers a refresh at once', async () => {
  const policy = { fastestPoll: '10m', slowestPoll: '10m' } as const;
  const { session, sessionId } = await world.sessions.open(world.input(leftOpen(), policy));
  world.sandbox.failNext('details', { kind: 'status', status: 503 }, 1_000);
  await session.refresh();
  await stateOf(session, waits);
  await continues(session);
  world.sandbox.clearFaults();
  world.payor(sessionId).completes();
  expect(await session.refresh({ timeoutMs: 60_000 })).toMatchObject({ status: 'Completed' });
  expect(await session.result()).toMatchObject({ paid: true });
});

test('a session that continues as new while the service denies it counts on from the first denial', async () => {
  const { session } = await world.sessions.open(world.input(leftOpen()));
  const { workflowId } = session;
  const handle = world.client.workflow.getHandle(workflowId);
  const { runId: firstRun } = await handle.describe();
  world.sandbox.failNext('cancel', { kind: 'status', status: 404 }, 1_000);
  world.sandbox.failNext('details', { kind: 'status', status: 404 }, 1_000);
  const beganAtMs = Date.now();
  await session.cancel();
  await until(
    async () => {
      await session.refresh().catch(() => undefined);
      return (await handle.describe()).runId;
    },
    (runId) => runId !== firstRun,
  );
  const { events } = await fetchHistory(world.client, session.key);
  const [, carried] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const { denials } = JSON.parse(Buffer.from(carried?.data ?? '').toString()) as SessionRecord;
  expect(denials?.forMs).toBeGreaterThan(0);
  expect(denials?.atMs).toBeGreaterThanOrEqual(beganAtMs + (denials?.forMs ?? 0));
  world.sandbox.clearFaults();
  expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
});

test('a key whose session failed after it continued as new, and was never created, can start again', async () => {
  world.sandbox.failNext('create', asksToWait, 1_000);
  const input = world.input(leftOpen());
  const session = await world.sessions.start(input);
  await stateOf(session, waits);
  await continues(session);
  world.sandbox.clearFaults();
  expect(await session.cancelAndWait()).toMatchObject({ outcome: 'neverCreated' });
  const again = await world.sessions.open(input);
  expect(again.session.started).toEqual({ attached: false });
  await again.session.cancelAndWait();
});
