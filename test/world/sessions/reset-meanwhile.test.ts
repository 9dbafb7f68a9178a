import { expect, test } from '@jest/globals';
import { SessionFailedError } from '../../../src';
import { workflowIdOf, WORKFLOW_TYPE } from '../../../src/protocol/names';
import { leftOpen } from '../../support/requests';
import { resetRun } from '../../support/reset-run';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';
import { fetchHistory } from '../../../testkit/histories/recorded-history';

const world = useWorld();

const SELDOM = { fastestPoll: '1h', slowestPoll: '1h', slowestUnsignedPoll: '1h' } as const;

async function hasUpdate(key: string): Promise<boolean> {
  const { events } = await fetchHistory(world.client, key);
  return events?.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes != null) === true;
}

test('if a session is reset during a refresh, the new run answers the refresh', async () => {
  const { session, sessionId } = await world.sessions.open(world.input(leftOpen(), SELDOM));
  const details = world.sandbox.hold('details', 'before');
  const refreshed = session.refresh({ by: 'the test' });
  await details.reached;
  await until(() => hasUpdate(session.key), Boolean);
  await resetRun(world.client, session.workflowId, -1);
  details.release();
  expect(await refreshed).toMatchObject({ phase: 'open', sessionId });
  await session.cancelAndWait();
});

test('if a session is terminated during a refresh, the refresh fails with SESSION_TERMINATED', async () => {
  const { session } = await world.sessions.open(world.input(leftOpen(), SELDOM));
  const details = world.sandbox.hold('details', 'before');
  const refreshed = session.refresh({ by: 'the test' }).catch((error: unknown) => error);
  await details.reached;
  await until(() => hasUpdate(session.key), Boolean);
  await world.client.workflow.getHandle(session.workflowId).terminate('a test');
  details.release();
  const error = await refreshed;
  expect(error).toBeInstanceOf(SessionFailedError);
  expect(error).toMatchObject({ code: 'SESSION_TERMINATED' });
});

test('callers that wait for a session’s result and changes get those of the new run after a reset', async () => {
  const { session, sessionId } = await world.sessions.open(world.input(leftOpen(), SELDOM));
  const result = session.result();
  const phases: string[] = [];
  const watched = (async () => {
    for await (const { phase } of session.changes()) phases.push(phase);
  })();
  await until(() => hasUpdate(session.key), Boolean);
  await resetRun(world.client, session.workflowId, 0);
  await until(
    () => Promise.resolve(phases),
    (seen) => seen.includes('parked'),
  );
  await session.resolveCreate({ sessionId });
  await session.cancelAndWait();
  expect(await result).toMatchObject({ status: 'Cancelled', sessionId });
  await watched;
  expect(phases.at(-1)).toBe('ended');
  expect(phases.length).toBeLessThan(10);
});

test('waiting for the result fails with SESSION_TERMINATED if the workflow has timed out', async () => {
  const input = world.input(leftOpen(), SELDOM);
  const { client, taskQueue } = world;
  const options = { workflowId: workflowIdOf(input.key), taskQueue, workflowExecutionTimeout: '2s' } as const;
  await client.workflow.start(WORKFLOW_TYPE, { ...options, args: [input] });
  await expect(world.sessions.get(input.key).result()).rejects.toMatchObject({ code: 'SESSION_TERMINATED' });
});
