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

// An operator can reset a workflow in Temporal: it then runs again from an earlier workflow task, and has forgotten what came
// after. A create request after that point may already have opened a session at the service.

const SELDOM = { fastestPoll: '1h', slowestPoll: '1h', slowestUnsignedPoll: '1h' } as const;
const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;
const start = (policy: SessionPolicy) =>
  world.sessions.start(world.input(leftOpen(), { ...SELDOM, ...policy }));

/** Resets the session to the workflow task with this index. Resolves with `false` if the session has not reached that task yet. */
const reset = ({ workflowId }: PaymentSessionHandle, taskIndex: number): Promise<boolean> =>
  resetRun(world.client, workflowId, taskIndex);

async function replays({ key }: PaymentSessionHandle): Promise<void> {
  const history = await fetchHistory(world.client, key);
  const { divergences } = await replayHistories([{ name: key, history }], { bundlePath: testBundle() });
  expect(divergences).toEqual([]);
}

test('a session that is reset to before its create request is parked, and an operator can name the session that the request opened', async () => {
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

test('a reset of a paid session to before its create request sends no second create request, although the policy says retry', async () => {
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

test('a session that is reset to before its create request is created again once an operator decides so', async () => {
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

test('a session that is reset during its create request does not send the request a second time', async () => {
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

// A slow service issues the token in a separate activity. The reset goes back to between that activity and the create request.
test('a session that is reset to between its token and its create request does not send the request a second time', async () => {
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

// Two create requests were sent: the first was lost, and the second opened a session. The reset forgets the second one.
describe('a session that was parked, created again, and then reset to where it was parked,', () => {
  /** Returns such a session, and the id of the session that the lost first create request opened. */
  async function resetToPark() {
    const { session, lost } = await park(world, leftOpen(), SELDOM);
    await session.resolveCreate({ retry: true });
    await session.opened();
    await resetRun(world.client, session.workflowId, 1, { isTold: false });
    await stateOf(session, ({ phase }) => phase === 'parked');
    return { session, lost };
  }

  test('records a possible orphan once an operator adopts the session of the first create request', async () => {
    const { session, lost } = await resetToPark();
    const refused = await session.resolveCreate({ sessionId: randomUUID() });
    expect(refused).toMatchObject({ phase: 'parked', anomalies: [] });
    const adopted = await session.resolveCreate({ sessionId: lost });
    expect(adopted).toMatchObject({ phase: 'open', anomalies: [{ kind: 'possibleOrphan' }] });
    await replays(session);
    await session.cancelAndWait();
  });

  test('records two possible orphans once an operator abandons it', async () => {
    const { session } = await resetToPark();
    const abandoned = await session.resolveCreate({ abandon: true });
    expect(abandoned.anomalies).toMatchObject([{ kind: 'possibleOrphan' }, { kind: 'possibleOrphan' }]);
  });
});

test('if a reset goes back to before the create request, a repeated cancel waits for an operator and ends as possiblyCreated', async () => {
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

test('a session that is reset to after its create request continues the created session', async () => {
  const before = creates();
  const session = await start({ onUnknownCreate: 'park' });
  const { sessionId } = await session.opened();
  await reset(session, -1);
  expect(await stateOf(session, ({ phase }) => phase === 'open')).toMatchObject({ sessionId, anomalies: [] });
  expect(creates() - before).toBe(1);
  await session.cancelAndWait();
});
