import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { PaymentSessionHandle } from '../../../src';
import { replayHistories } from '../../../testkit';
import { fetchHistory } from '../../../testkit/histories/recorded-history';
import { park } from '../../support/park';
import { testBundle } from '../../support/setup/global-values';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { leftOpen } from '../../support/requests';
import { resetRun } from '../../support/reset-run';
import { stateOf, until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

/** A Temporal server that suggests to continue as new after forty events. */
const temporal = useTemporalServer({ 'limit.historyCount.suggestContinueAsNew': '40' });
const world = useWorld(() => ({ temporalAddress: temporal.address }));

const runIdOf = async (session: PaymentSessionHandle) =>
  (await world.client.workflow.getHandle(session.workflowId).describe()).runId;

describe('a session whose history grows long continues as new', () => {
  test('with the same state and without a second create request', async () => {
    const input = world.input(leftOpen());
    const { session, sessionId } = await world.sessions.open(input);
    const firstRun = await runIdOf(session);
    await until(
      async () => {
        await session.refresh();
        return runIdOf(session);
      },
      (runId) => runId !== firstRun,
    );
    const expected = { phase: 'open', sessionId, status: 'Initiated', code: 'EFT0101' };
    expect(await session.state()).toMatchObject(expected);
    expect(await world.sessions.open(input)).toMatchObject({ sessionId });
    world.payor(sessionId).completes();
    const { stateHistory, status } = await session.result();
    expect(status).toBe('Completed');
    expect(stateHistory.map(({ code, source }) => `${String(code)} ${source}`)).toEqual([
      'EFT0101 create',
      'EFT0301 poll',
    ]);
    expect(world.sandbox.calls.filter(({ route }) => route === 'create')).toHaveLength(1);
  });

  test('with a pending cancel, if the service keeps refusing the cancel', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const firstRun = await runIdOf(session);
    world.sandbox.failNext('cancel', { kind: 'status', status: 400 }, 1_000);
    await session.cancel();
    await until(
      () => runIdOf(session),
      (runId) => runId !== firstRun,
    );
    expect(await session.state()).toMatchObject({ phase: 'cancelling', cancel: { by: 'caller' } });
    world.sandbox.clearFaults();
    expect(await session.result()).toMatchObject({
      status: 'Cancelled',
      code: 'EFT0501',
      cancel: { outcome: 'cancelled' },
    });
  });

  test('and its new run answers callers that wait for its cancel', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const firstRun = await runIdOf(session);
    world.sandbox.failNext('cancel', { kind: 'status', status: 400 }, 1_000);
    const reply = session.cancelAndWait({ by: 'avery', reason: 'the order was withdrawn' });
    await until(
      () => runIdOf(session),
      (runId) => runId !== firstRun,
    );
    world.sandbox.clearFaults();
    const { outcome, state } = await reply;
    expect([outcome, state.code]).toEqual(['cancelled', 'EFT0501']);
    // The caller’s cancel reached both runs, and it is recorded as one decision.
    expect(state.decisions).toMatchObject([
      { decision: 'cancel', by: 'avery', reason: 'the order was withdrawn', result: 'cancelled' },
    ]);
  });

  test('with a possible orphan, if a reset forgot a create request of the parked session', async () => {
    const { session } = await park(world);
    await session.resolveCreate({ retry: true });
    const { sessionId } = await session.opened();
    await resetRun(world.client, session.workflowId, 1, { isTold: false });
    await stateOf(session, ({ phase }) => phase === 'parked');
    const resetRunId = await runIdOf(session);
    await until(
      async () => {
        await session.resolveCreate({ sessionId: randomUUID() });
        return runIdOf(session);
      },
      (runId) => runId !== resetRunId,
    );
    const { phase, anomalies } = await session.state();
    expect({ phase, anomalies }).toMatchObject({ phase: 'parked', anomalies: [{ kind: 'possibleOrphan' }] });
    await session.resolveCreate({ sessionId });
    await session.cancelAndWait();
  });

  test('only after an event that stays in the history, so that the history replays', async () => {
    const { session } = await park(world);
    const firstRun = await runIdOf(session);
    await until(
      async () => {
        // The Temporal server counts the workflow task of a refused update in the history’s length, and then removes that task.
        const refused = session.resolveCreate({ abandon: true, park: 'another' });
        await expect(refused).rejects.toMatchObject({ code: 'INVALID_INPUT' });
        const { kept } = await session.recordReveal({ by: 'avery' });
        expect(kept).toBe(true);
        return runIdOf(session);
      },
      (runId) => runId !== firstRun,
    );
    const history = await fetchHistory(world.client, session.key, firstRun);
    const { divergences } = await replayHistories([{ name: session.key, history }], {
      bundlePath: testBundle(),
    });
    expect(divergences).toEqual([]);
    await session.resolveCreate({ abandon: true });
  });
});
