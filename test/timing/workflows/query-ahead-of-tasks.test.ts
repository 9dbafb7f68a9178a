import { setTimeout as sleep } from 'node:timers/promises';
import { temporal } from '@temporalio/proto';
import { expect, test } from '@jest/globals';
import { replayHistories } from '../../../testkit';
import { leftOpen } from '../../support/requests';
import { stateOf, until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';
import { workerProcess } from '../../support/worlds/worker-process';

const { EVENT_TYPE_TIMER_FIRED } = temporal.api.enums.v1.EventType;
/**
 * A query is sent this long before the timer fires. A query or a workflow task first waits two seconds for the session's last worker. Then
 * any worker may take it. So both still wait when the new worker starts.
 */
const ASKED_BEFORE_MS = 1_000;
const ATTEMPTS = 5;

const world = useWorld();

// The session's worker is killed just before a timer fires. A query is sent, and the timer fires. A new worker then gets the query together
// with events for which no workflow task has run yet. Temporal fails such a query. The session itself must not be affected.
test('a session continues and replays, although a query reached its worker before the workflow task of earlier events', async () => {
  const failures: string[] = [];
  for (let attempt = 1; failures.length === 0; attempt += 1) {
    expect(attempt).toBeLessThanOrEqual(ATTEMPTS);
    failures.push(...(await askAsTimerFires()));
  }
  expect(failures).toEqual([expect.stringContaining('events that await a workflow task')]);
});

/**
 * Kills a session's worker just before the session's timer fires, queries the session, and starts another worker. Expects that the session
 * completes. Returns the query's errors: one or none.
 */
async function askAsTimerFires(): Promise<readonly string[]> {
  const doomed = workerProcess(world);
  await doomed.line(/^working/);
  await world.stopWorker();
  const { session, sessionId } = await world.sessions.open(world.input(leftOpen(), { fastestPoll: '2s' }));
  const workflow = world.client.workflow.getHandle(session.workflowId);
  world.sandbox.failNext('details', { kind: 'status', status: 500 });
  const { trouble } = await stateOf(session, (state) => state.trouble?.until !== undefined).finally(() =>
    doomed.child.kill('SIGKILL'),
  );
  await sleep(Date.parse(trouble?.until ?? '') - Date.now() - ASKED_BEFORE_MS);
  const failures = workflow.query('state').then(
    () => [],
    (error: unknown) => [String(error)],
  );
  await until(
    async () => (await workflow.fetchHistory()).events ?? [],
    (events) => events.some(({ eventType }) => eventType === EVENT_TYPE_TIMER_FIRED),
  );
  await world.startWorker();
  await failures;
  expect(await session.state()).toMatchObject({ phase: 'open' });
  world.payor(sessionId).completes();
  expect(await session.result()).toMatchObject({ status: 'Completed', anomalies: [] });
  const recorded = { name: session.key, history: await workflow.fetchHistory() };
  expect((await replayHistories([recorded])).divergences).toEqual([]);
  return failures;
}
