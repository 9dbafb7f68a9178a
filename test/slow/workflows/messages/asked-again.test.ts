import { describe, expect, test } from '@jest/globals';
import type { PaymentSessionHandle } from '../../../../src';
import { park } from '../../../support/park';
import { leftOpen } from '../../../support/requests';
import { stateOf, until } from '../../../support/wait';
import { useTemporalServer } from '../../../support/worlds/own-temporal';
import { useWorld } from '../../../support/worlds/use-world';

/** A Temporal server that suggests to continue as new after sixty events. */
const temporal = useTemporalServer({ 'limit.historyCount.suggestContinueAsNew': '60' });
const world = useWorld(() => ({ temporalAddress: temporal.address }));

const runIdOf = async (session: PaymentSessionHandle) =>
  (await world.client.workflow.getHandle(session.workflowId).describe()).runId;

const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;

/** Repeats `step` until the workflow has continued as new. */
async function continued(session: PaymentSessionHandle, step: () => Promise<unknown>): Promise<void> {
  const firstRun = await runIdOf(session);
  await until(
    async () => {
      await step();
      return runIdOf(session);
    },
    (runId) => runId !== firstRun,
  );
}

const decisionsOf = async (session: PaymentSessionHandle, decision: string) =>
  (await session.state()).decisions.filter((known) => known.decision === decision);

describe('a call that is repeated with its `requestId` after the session has continued as new', () => {
  test('does not decide about a later lost create request', async () => {
    const { session } = await park(world);
    const retry = () => session.resolveCreate({ retry: true }, { requestId: 'decision-1' });
    world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    await retry();
    await stateOf(session, ({ phase }) => phase === 'parked');
    await continued(session, () => session.recordReveal({ by: 'Robin' }));
    const before = creates();
    expect(await retry()).toMatchObject({ phase: 'parked' });
    expect(await decisionsOf(session, 'retry')).toHaveLength(1);
    await session.resolveCreate({ retry: true }, { requestId: 'decision-2' });
    await stateOf(session, ({ phase }) => phase === 'open');
    expect(creates()).toBe(before + 1);
  });

  test('is recorded as one refresh', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const refresh = () => session.refresh({ by: 'Robin', requestId: 'refresh-1' });
    await refresh();
    await continued(session, () => session.refresh());
    expect(await refresh()).toMatchObject({ phase: 'open' });
    expect(await decisionsOf(session, 'refresh')).toHaveLength(1);
  });
});
