import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { useTemporalServer } from '../../../support/worlds/own-temporal';
import { park } from '../../../support/park';
import { leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';

/** A Temporal server that accepts only twenty updates per workflow run. The default is 2,000. */
const temporal = useTemporalServer({ 'history.maxTotalUpdates': '20' });
const world = useWorld(() => ({ temporalAddress: temporal.address }));

describe('a parked session', () => {
  test('can be resolved after more updates than the Temporal server accepts for a run', async () => {
    const { session, lost: sessionId } = await park(world);
    const workflow = world.client.workflow.getHandle(session.workflowId);
    const ask = () => workflow.executeUpdate('refresh').catch(() => undefined);
    for (let count = 0; count < 60; count += 1) await ask();
    expect(await session.state()).toMatchObject({ phase: 'parked' });
    expect(await session.resolveCreate({ sessionId })).toMatchObject({ phase: 'open', sessionId });
    expect(world.sandbox.calls.filter(({ route }) => route === 'create')).toHaveLength(1);
    await session.cancelAndWait();
  });

  test('has every decision of an operator in its result', async () => {
    const { session, lost: sessionId } = await park(world);
    const other = await world.sessions.open(world.input({ ...leftOpen(), amount: 31 }));
    await session.resolveCreate({ sessionId: other.sessionId, by: 'avery' });
    await session.resolveCreate({ sessionId: randomUUID() });
    expect(await session.state()).toMatchObject({ phase: 'parked', anomalies: [] });
    await session.resolveCreate({ sessionId, by: 'avery', reason: 'found by its reference' });
    await until(
      () => session.state(),
      ({ phase }) => phase === 'open',
    );
    await session.cancelAndWait();
    const { decisions } = await session.result();
    expect(decisions).toMatchObject([
      { decision: 'adopt', sessionId: other.sessionId, result: 'SESSION_MISMATCH', by: 'avery' },
      { decision: 'adopt', result: 'SERVICE_SESSION_UNKNOWN' },
      { decision: 'adopt', sessionId, result: 'applied', reason: 'found by its reference' },
    ]);
    expect(decisions.map(({ at }) => Date.parse(at)).every(Number.isFinite)).toBe(true);
    await other.session.cancelAndWait();
  });

  test('records who adopted it, also if the adopted session has ended', async () => {
    const { session, lost: sessionId } = await park(world);
    world.payor(sessionId).completes();
    await session.resolveCreate({ sessionId, by: 'avery', reason: 'found by its reference' });
    expect(await session.result()).toMatchObject({
      paid: true,
      decisions: [{ decision: 'adopt', sessionId, by: 'avery', result: 'applied' }],
    });
  });

  test('records who abandoned it', async () => {
    const { session } = await park(world);
    await session.resolveCreate({ abandon: true, by: 'avery' });
    await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
    expect(await session.state()).toMatchObject({
      paid: false,
      decisions: [{ decision: 'abandon', by: 'avery', result: 'applied' }],
    });
  });
});
