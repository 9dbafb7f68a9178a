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

/** Resets the session to its nth workflow task; gives whether it has done that one yet. */
const reset = ({ workflowId }: PaymentSessionHandle, taskIndex: number): Promise<boolean> =>
  resetRun(world.client, workflowId, taskIndex);

async function replays({ key }: PaymentSessionHandle): Promise<void> {
  const history = await fetchHistory(world.client, key);
  const { divergences } = await replayHistories([{ name: key, history }], { bundlePath: testBundle() });
  expect(divergences).toEqual([]);
}

test('a session that is reset to before its create waits for a person, who may find what the first create made', async () => {
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

test('a session whose payor has paid is not created again by a reset, even if its policy is to create again', async () => {
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

test('once a person has decided, it is created again and waits no more', async () => {
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

test('one that is reset while its create is under way does not send it a second time', async () => {
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

test('one that is reset between a token that came late and its create does not send that a second time', async () => {
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

describe('a session that is reset to where it waited for a person, and had created again since', () => {
  /** Resets a session that was parked, and created again, to where it was parked; gives what the first create made. */
  async function resetToPark() {
    const { session, lost } = await park(world, leftOpen(), SELDOM);
    await session.resolveCreate({ retry: true });
    await session.opened();
    await resetRun(world.client, session.workflowId, 1, { isTold: false });
    await stateOf(session, ({ phase }) => phase === 'parked');
    return { session, lost };
  }

  test('claims a possible orphan as it adopts what the first create made, and not when it refuses another', async () => {
    const { session, lost } = await resetToPark();
    const refused = await session.resolveCreate({ sessionId: randomUUID() });
    expect(refused).toMatchObject({ phase: 'parked', anomalies: [] });
    const adopted = await session.resolveCreate({ sessionId: lost });
    expect(adopted).toMatchObject({ phase: 'open', anomalies: [{ kind: 'possibleOrphan' }] });
    await replays(session);
    await session.cancelAndWait();
  });

  test('claims one more as it is abandoned', async () => {
    const { session } = await resetToPark();
    const abandoned = await session.resolveCreate({ abandon: true });
    expect(abandoned.anomalies).toMatchObject([{ kind: 'possibleOrphan' }, { kind: 'possibleOrphan' }]);
  });
});

test('a cancel that is applied again after the reset waits for the person, and does not say that nothing was ever created', async () => {
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

test('one that is reset to after its create goes on with what was created', async () => {
  const before = creates();
  const session = await start({ onUnknownCreate: 'park' });
  const { sessionId } = await session.opened();
  await reset(session, -1);
  expect(await stateOf(session, ({ phase }) => phase === 'open')).toMatchObject({ sessionId, anomalies: [] });
  expect(creates() - before).toBe(1);
  await session.cancelAndWait();
});
