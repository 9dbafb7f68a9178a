import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { PaymentSessionHandle, SessionPolicy } from '../../../../src';
import { replayHistories } from '../../../../testkit';
import { park } from '../../../support/park';
import { completing, leftOpen } from '../../../support/requests';
import { resetRun } from '../../../support/reset-run';
import { testBundle } from '../../../support/setup/global-values';
import { stateOf, until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';
import { fetchHistory } from '../../../../testkit/histories/recorded-history';

const world = useWorld();

const SELDOM = { fastestPoll: '1h', slowestPoll: '1h', slowestUnsignedPoll: '1h' } as const;
const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;
const start = (policy: SessionPolicy) =>
  world.sessions.start(world.input(leftOpen(), { ...SELDOM, ...policy }));

/** Resets the session to its nth workflow task. Resolves with `false` if the session has not done that task yet. */
const reset = ({ workflowId }: PaymentSessionHandle, taskIndex: number): Promise<boolean> =>
  resetRun(world.client, workflowId, taskIndex);

async function replays({ key }: PaymentSessionHandle): Promise<void> {
  const history = await fetchHistory(world.client, key);
  const { divergences } = await replayHistories([{ name: key, history }], { bundlePath: testBundle() });
  expect(divergences).toEqual([]);
}

test('a session that is reset to before its create request waits for a person, who may name the session that it had opened', async () => {
  const before = creates();
  const session = await start({ onUnknownCreate: 'park' });
  const { sessionId } = await session.opened();
  await reset(session, 0);
  const state = await stateOf(session, ({ phase }) => phase !== 'creating');
  expect(state).toMatchObject({ phase: 'parked', trouble: { code: 'SERVICE_INTERRUPTED' } });
  expect(creates() - before).toBe(1);
  await session.resolveCreate({ sessionId });
  expect(await session.state()).toMatchObject({ phase: 'open', sessionId, anomalies: [] });
  await replays(session);
  await session.cancelAndWait();
});

test('a session that is paid is not created again by a reset to before its create request, even if its policy is to retry', async () => {
  const before = creates();
  const session = await world.sessions.start(world.input(completing(), { onUnknownCreate: 'retry' }));
  const { sessionId } = await session.result();
  await reset(session, 0);
  await stateOf(session, ({ phase }) => phase === 'parked');
  expect(creates() - before).toBe(1);
  await session.resolveCreate({ sessionId: sessionId ?? '' });
  expect(await session.result()).toMatchObject({ sessionId, paid: true });
  await replays(session);
});

test('a session that is reset to before its create request is created again once a person decides so', async () => {
  const before = creates();
  const session = await start({ onUnknownCreate: 'park' });
  await session.opened();
  await reset(session, 0);
  await stateOf(session, ({ phase }) => phase === 'parked');
  await session.resolveCreate({ retry: true });
  const state = await stateOf(session, ({ phase }) => phase !== 'creating');
  expect(state).toMatchObject({ phase: 'open', anomalies: [{ kind: 'possibleOrphan' }] });
  expect(creates() - before).toBe(2);
  await replays(session);
  await session.cancelAndWait();
});

test('a session that is reset while its create request is under way does not send the request a second time', async () => {
  const before = creates();
  const create = world.sandbox.hold('create', 'before');
  const session = await start({ onUnknownCreate: 'park' });
  await create.reached;
  const opening = session.opened().catch((error: unknown) => error);
  await until(() => reset(session, 1), Boolean);
  await opening;
  create.release();
  expect(await stateOf(session, ({ phase }) => phase !== 'creating')).toMatchObject({ phase: 'parked' });
  expect(creates() - before).toBe(1);
  await session.resolveCreate({ abandon: true });
});

test('a session that is reset between a late token and its create request does not send the request a second time', async () => {
  await world.stopWorker();
  await world.startWorker();
  const before = creates();
  const authorize = world.sandbox.hold('authorize', 'before');
  const session = await start({ onUnknownCreate: 'park' });
  await until(
    () => fetchHistory(world.client, session.key),
    ({ events }) =>
      (events ?? []).some(
        (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'authenticate',
      ),
  );
  authorize.release();
  const { sessionId } = await session.opened();
  await reset(session, 1);
  expect(await stateOf(session, ({ phase }) => phase !== 'creating')).toMatchObject({ phase: 'parked' });
  expect(creates() - before).toBe(1);
  await session.resolveCreate({ sessionId });
  await replays(session);
  await session.cancelAndWait();
});

describe('a session that was parked, created again, and then reset to where it was parked,', () => {
  /** Returns such a session, and the id of the session that its first create request opened. */
  async function resetToPark() {
    const { session, lost } = await park(world, leftOpen(), SELDOM);
    await session.resolveCreate({ retry: true });
    await session.opened();
    await resetRun(world.client, session.workflowId, 1, { isTold: false });
    await stateOf(session, ({ phase }) => phase === 'parked');
    return { session, lost };
  }

  test('records a possible orphan when it adopts the session of the first create request, and not when it refuses another', async () => {
    const { session, lost } = await resetToPark();
    const refused = await session.resolveCreate({ sessionId: randomUUID() });
    expect(refused).toMatchObject({ phase: 'parked', anomalies: [] });
    const adopted = await session.resolveCreate({ sessionId: lost });
    expect(adopted).toMatchObject({ phase: 'open', anomalies: [{ kind: 'possibleOrphan' }] });
    await replays(session);
    await session.cancelAndWait();
  });

  test('records one more possible orphan when it is abandoned', async () => {
    const { session } = await resetToPark();
    const abandoned = await session.resolveCreate({ abandon: true });
    expect(abandoned.anomalies).toMatchObject([{ kind: 'possibleOrphan' }, { kind: 'possibleOrphan' }]);
  });
});

test('a cancel that is applied again after a reset to before the create request waits for a person, and ends as possiblyCreated', async () => {
  const session = await start({ onUnknownCreate: 'retry' });
  await session.opened();
  await session.cancel();
  await session.result();
  await reset(session, 0);
  await stateOf(session, ({ phase }) => phase === 'parked');
  await session.resolveCreate({ retry: true });
  expect(await session.result()).toMatchObject({
    status: 'Cancelled',
    cancel: { outcome: 'possiblyCreated' },
    anomalies: [{ kind: 'possibleOrphan' }],
  });
});

test('a session that is reset to after its create request goes on with the created session', async () => {
  const before = creates();
  const session = await start({ onUnknownCreate: 'park' });
  const { sessionId } = await session.opened();
  await reset(session, -1);
  expect(await stateOf(session, ({ phase }) => phase === 'open')).toMatchObject({ sessionId, anomalies: [] });
  expect(creates() - before).toBe(1);
  await session.cancelAndWait();
});
