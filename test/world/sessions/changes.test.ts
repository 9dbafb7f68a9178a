import { describe, expect, test } from '@jest/globals';
import type { PaymentSessionHandle, SessionState } from '../../../src';
import { park } from '../../support/park';
import { completing, leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { useWorld } from '../../support/worlds/use-world';
import type { World } from '../../support/worlds/world';

const seen = ({ phase, status = 'none' }: SessionState) => `${phase} ${status}`;

/** Follows a session’s changes. Collects the states in `states`. At the session’s end, `ended` resolves with all of them. */
function watch(session: PaymentSessionHandle) {
  const states: string[] = [];
  const ended = (async () => {
    for await (const state of session.changes()) states.push(seen(state));
    return states;
  })();
  return { states, ended };
}

async function updatesOf(world: World, session: PaymentSessionHandle): Promise<number> {
  const { events } = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes != null)
    .length;
}

describe('the changes of a session', () => {
  const world = useWorld();

  test('are the current state, the state after each change, and at last the end', async () => {
    const { session, lost: sessionId } = await park(world);
    const watched = watch(session);
    await until(
      () => Promise.resolve(watched.states.length),
      (count) => count === 1,
    );
    await session.resolveCreate({ sessionId });
    world.payor(sessionId).completes();
    const states = await watched.ended;
    expect(states.filter((state, index) => state !== states[index - 1])).toEqual([
      'parked none',
      'open Initiated',
      'ended Completed',
    ]);
  });

  test('take one Temporal update each, even if many callers wait', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    const watching = Array.from({ length: 20 }, () => watch(session));
    await until(
      () => Promise.resolve(watching.filter(({ states }) => states.length === 1).length),
      (count) => count === watching.length,
    );
    // The refresh reaches the session after the updates of the waiting callers.
    await session.refresh();
    world.payor(sessionId).completes();
    const all = await Promise.all(watching.map(({ ended }) => ended));
    expect(all).toEqual(all.map(() => ['open Initiated', 'ended Completed']));
    // One update for the change, and two that have opened and refreshed the session.
    expect(await updatesOf(world, session)).toBe(3);
  });

  test('consist only of the end if the session has ended, and need no worker then', async () => {
    const { session } = await world.sessions.open(world.input(completing()));
    await session.result();
    await world.stopWorker();
    expect(await watch(session).ended).toEqual(['ended Completed']);
    await world.startWorker();
  });

  test('end when their caller stops waiting', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const leaving = new AbortController();
    const states: string[] = [];
    for await (const state of session.changes({ signal: leaving.signal })) {
      states.push(seen(state));
      setTimeout(() => {
        leaving.abort();
      });
    }
    expect(states).toEqual(['open Initiated']);
    await session.cancelAndWait();
  });

  test('are refused for an invalid revision', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const workflow = world.client.workflow.getHandle(session.workflowId);
    const wrong: [unknown, ...unknown[]][] = [[null], [-1], [1.5], ['1'], [1, 2]];
    for (const args of wrong)
      await expect(workflow.executeUpdate('awaitChange', { args })).rejects.toMatchObject({
        cause: { type: 'INVALID_INPUT' },
      });
    await session.cancelAndWait();
  });
});

describe('waiting for a session’s changes goes on', () => {
  /** A Temporal server that accepts twenty updates per workflow run, and suggests to continue as new after forty events. */
  const temporal = useTemporalServer({
    'history.maxTotalUpdates': '20',
    'limit.historyCount.suggestContinueAsNew': '40',
  });
  const world = useWorld(() => ({ temporalAddress: temporal.address }));
  const runIdOf = async (session: PaymentSessionHandle) =>
    (await world.client.workflow.getHandle(session.workflowId).describe()).runId;

  test('after the workflow continues as new', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    const firstRun = await runIdOf(session);
    const watched = watch(session);
    await until(
      async () => {
        await session.refresh();
        return runIdOf(session);
      },
      (runId) => runId !== firstRun,
    );
    world.payor(sessionId).completes();
    expect(await watched.ended).toEqual(['open Initiated', 'ended Completed']);
  });

  test('more slowly once the Temporal server accepts no more updates for the workflow’s run', async () => {
    const { session } = await park(world);
    const workflow = world.client.workflow.getHandle(session.workflowId);
    const ask = () => workflow.executeUpdate('refresh').catch(() => undefined);
    for (let count = 0; count < 25; count += 1) await ask();
    const watched = watch(session);
    await until(
      () => Promise.resolve(watched.states.length),
      (count) => count === 1,
    );
    await workflow.cancel();
    await workflow.terminate();
    await expect(watched.ended).rejects.toMatchObject({ code: 'SESSION_TERMINATED' });
  });
});
