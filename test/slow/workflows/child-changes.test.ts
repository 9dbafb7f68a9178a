import { describe, expect, test } from '@jest/globals';
import * as workflows from '../../support/business-workflows';
import { completing, leftOpen } from '../../support/requests';
import { resetRun } from '../../support/reset-run';
import { stateOf, until } from '../../support/wait';
import { useBusinessWorker } from '../../support/worlds/business-worker';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { useWorld } from '../../support/worlds/use-world';

/** A Temporal server that suggests to continue as new after forty events. */
const temporal = useTemporalServer({ 'limit.historyCount.suggestContinueAsNew': '40' });
const world = useWorld(() => ({ temporalAddress: temporal.address }));

const { start } = useBusinessWorker(world);

/** Starts a business workflow that receives the changes of its payment session. Waits until it has received the open state. */
async function openWithChanges() {
  const input = world.input(leftOpen());
  const order = await start('recordsChanges', input);
  const received = (code: string) =>
    until(
      () => order.query(workflows.changesQuery),
      (changes) => changes.at(-1)?.code === code,
    );
  const { sessionId = '', checkoutUrl } = (await received('EFT0101')).at(-1) ?? {};
  return { input, order, received, sessionId, checkoutUrl, session: world.sessions.get(input.key) };
}

/** Returns the number of signals that a session has sent. */
async function signalsOf(workflowId: string): Promise<number> {
  const { events } = await world.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).filter((event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes)
    .length;
}

// A business workflow is a user’s own workflow. It runs a payment session as a child, and can ask for the session’s changes.
describe('a business workflow that asks for changes', () => {
  test('receives each change, and the end as the result', async () => {
    const { order, received, sessionId, checkoutUrl } = await openWithChanges();
    expect(checkoutUrl).toContain(sessionId);
    world.payor(sessionId).validatesBank();
    await received('EFT0302');
    world.payor(sessionId).signsPad();
    const { changes, result } = (await order.result()) as workflows.ReceivedChanges;
    expect(result).toMatchObject({ status: 'Completed', code: 'EFT0301', paid: true });
    expect(changes.map(({ phase }) => phase)).not.toContain('ended');
    const revisions = changes.map(({ revision }) => revision ?? 0);
    expect(revisions).toEqual([...new Set(revisions)].sort((one, other) => one - other));
  });

  test('gets the result only after it has handled all changes', async () => {
    const order = await start('recordsChanges', world.input(completing()));
    const { changes, result } = (await order.result()) as workflows.ReceivedChanges;
    expect(result.paid).toBe(true);
    expect(changes).toMatchObject([{ phase: 'open', paid: false }]);
  });

  test('still gets the session’s result if it is cancelled while it handles a change', async () => {
    const input = world.input(leftOpen());
    const order = await start('recordsChanges', input);
    const { workflowId } = world.sessions.get(input.key);
    await stateOf(world.sessions.get(input.key), ({ phase }) => phase === 'open');
    await until(() => signalsOf(workflowId), Boolean);
    await order.cancel();
    const { changes, result } = (await order.result()) as workflows.ReceivedChanges;
    expect(result).toMatchObject({ status: 'Cancelled', cancel: { outcome: 'cancelled' } });
    expect(changes[0]).toMatchObject({ phase: 'open' });
  });

  test('fails if it throws an ApplicationFailure on a change, and its session is cancelled', async () => {
    const input = world.input(leftOpen());
    const order = await start('refusesChanges', input);
    await expect(order.result()).rejects.toMatchObject({ cause: { type: 'NOT_WANTED' } });
    expect(await world.sessions.get(input.key).result()).toMatchObject({ code: 'EFT0501' });
  });

  test('receives each state only once if the session continues as new', async () => {
    const { order, sessionId, session } = await openWithChanges();
    const workflow = world.client.workflow.getHandle(session.workflowId);
    const { runId } = await workflow.describe();
    const hasContinued = async () => {
      await session.refresh();
      return (await workflow.describe()).runId !== runId;
    };
    await until(hasContinued, Boolean);
    await until(
      () => signalsOf(session.workflowId),
      (signals) => signals > 0,
    );
    world.payor(sessionId).validatesBank();
    await stateOf(session, ({ code }) => code === 'EFT0302');
    world.payor(sessionId).signsPad();
    const { changes } = (await order.result()) as workflows.ReceivedChanges;
    expect(changes.filter(({ code }) => code === 'EFT0101')).toHaveLength(1);
  });

  test('receives that its session is parked after a reset, although the reset session reaches the same revision', async () => {
    const { order, session, sessionId } = await openWithChanges();
    await resetRun(world.client, session.workflowId, 0);
    const changes = await until(
      () => order.query(workflows.changesQuery),
      (received) => received.at(-1)?.phase === 'parked',
    );
    expect(changes.map(({ revision }) => revision)).toEqual([1, 1]);
    await order.terminate();
    await session.resolveCreate({ sessionId });
    await session.cancelAndWait();
  });

  test('does not hinder its session after it was terminated: the session goes on to its end', async () => {
    const { order, session, sessionId } = await openWithChanges();
    await order.terminate();
    world.sandbox.failNext('cancel', { kind: 'status', status: 503 }, 1_000);
    world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ paid: true });
  });
});

test('a session sends no signal to a business workflow that does not ask for changes', async () => {
  const input = world.input(leftOpen());
  const order = await start('takesPayment', input);
  const { workflowId } = world.sessions.get(input.key);
  const { sessionId = '' } = await stateOf(world.sessions.get(input.key), ({ phase }) => phase === 'open');
  world.payor(sessionId).completes();
  await order.result();
  expect(await signalsOf(workflowId)).toBe(0);
});
