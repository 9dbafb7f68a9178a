import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { isPaysessionError, type PaymentSessionHandle } from '../../../../src';
import { everythingIn } from '../../../support/everything-in';
import { park } from '../../../support/park';
import { asking, eft, geft, leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { useTemporalServer } from '../../../support/worlds/own-temporal';
import { useWorld } from '../../../support/worlds/use-world';

/** A Temporal server that suggests to continue as new after sixty events. */
const temporal = useTemporalServer({ 'limit.historyCount.suggestContinueAsNew': '60' });
const world = useWorld(() => ({ temporalAddress: temporal.address }));

/**
 * Returns the id of a session at the service that no key follows. So no poll of that session is caught by `sandbox.hold`, which
 * is meant for a preview.
 */
async function stranger(request = { ...leftOpen(geft), amount: 31 }) {
  const { session, lost } = await park(world, request);
  await session.resolveCreate({ abandon: true });
  return lost;
}

/** Starts a preview whose call the service holds back until the test releases it. Resolves once the call has reached the service. */
async function heldPreview(session: PaymentSessionHandle, sessionId: string) {
  const hold = world.sandbox.hold('details', 'before');
  const outcome = session.previewAdopt(sessionId).then(
    ({ adoptable }) => (adoptable ? 'adoptable' : 'refused'),
    (error: unknown) => (isPaysessionError(error) ? error.code : error),
  );
  await hold.reached;
  return { outcome, hold };
}

describe('a preview before adopting', () => {
  test('shows the service’s data next to the request, and changes nothing', async () => {
    const { session, lost } = await park(world);
    const before = await session.state();
    expect(await session.previewAdopt(lost)).toEqual({
      sessionId: lost,
      adoptable: true,
      asked: {
        kind: 'EFT',
        type: 'EFT',
        direction: 'DEBIT',
        referenceId: 'sandbox-stays-initiated',
        amount: 25,
        currency: 'CAD',
      },
      found: {
        status: 'Initiated',
        code: 'EFT0101',
        kind: 'EFT',
        type: 'EFT',
        direction: 'DEBIT',
        referenceId: 'sandbox-stays-initiated',
        amount: 25,
        currency: 'CAD',
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
      differences: [],
    });
    expect(await session.state()).toEqual(before);
    expect(await session.resolveCreate({ sessionId: lost })).toMatchObject({ phase: 'open' });
    await session.cancelAndWait();
  });

  test('names the fields that differ from the request, and reports an id that the service does not know', async () => {
    const { session } = await park(world, eft('order-7'));
    const before = await session.state();
    expect(await session.previewAdopt(await stranger())).toMatchObject({
      adoptable: false,
      refusal: { code: 'SESSION_MISMATCH' },
      found: { kind: 'GEFT', amount: 31, referenceId: 'sandbox-stays-initiated' },
      differences: ['type', 'referenceId', 'amount'],
    });
    const unknown = await session.previewAdopt(randomUUID());
    expect(unknown).toMatchObject({ adoptable: false, refusal: { code: 'SERVICE_SESSION_UNKNOWN' } });
    expect(unknown.found).toBeUndefined();
    expect(await session.state()).toEqual(before);
    await session.resolveCreate({ abandon: true });
  });

  test('ends within a minute, which is the default time for which its caller waits', async () => {
    const { session, lost } = await park(world);
    await session.previewAdopt(lost);
    const { events } = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
    const limits = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: activity }) =>
      ['findSession', 'claimSession'].includes(activity?.activityType?.name ?? '')
        ? [Number(activity?.scheduleToCloseTimeout?.seconds)]
        : [],
    );
    expect(limits).toEqual([expect.any(Number), expect.any(Number)]);
    expect(limits.reduce((sum, limit) => sum + limit)).toBeLessThan(60);
    await session.resolveCreate({ abandon: true });
  });

  test('finds no difference in an amount that the payor may change', async () => {
    const { session } = await park(world, asking(leftOpen(), { amountModification: true }));
    const found = await stranger({ ...leftOpen(), amount: 31 });
    expect(await session.previewAdopt(found)).toMatchObject({
      adoptable: true,
      asked: { amount: 25 },
      found: { amount: 31 },
    });
    await session.resolveCreate({ abandon: true });
  });

  test('contains no personal data', async () => {
    const { session, lost } = await park(world, leftOpen(geft));
    const shown = everythingIn(await session.previewAdopt(lost));
    expect(shown).not.toMatch(/avery|tremblay|king street|M5H1A1|app\/\?sessionId/i);
    await session.resolveCreate({ abandon: true });
  });

  test('is refused if the session waits for no decision, and for an invalid id', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    const refused = { code: 'INVALID_INPUT', message: expect.stringContaining('nothing to resolve') };
    await expect(session.previewAdopt(sessionId)).rejects.toMatchObject(refused);
    await session.cancelAndWait();
    await session.result();
    await expect(session.previewAdopt(sessionId)).rejects.toMatchObject(refused);
    const nobody = world.sessions.get('no-such-session');
    await expect(nobody.previewAdopt('../../x')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/nothing was sent.*UUID/),
    });
    await expect(nobody.previewAdopt(randomUUID())).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('delays no decision and no end of the session if the service answers slowly', async () => {
    const { session, lost } = await park(world);
    const { outcome, hold } = await heldPreview(session, lost);
    await session.cancel();
    await session.resolveCreate({ abandon: true });
    await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
    expect(await outcome).toBe('INVALID_INPUT');
    hold.release();
  });

  test('is answered by the new run if the workflow continues as new meanwhile', async () => {
    const { session, lost } = await park(world);
    const workflow = world.client.workflow.getHandle(session.workflowId);
    const { runId } = await workflow.describe();
    const { outcome, hold } = await heldPreview(session, lost);
    await until(
      async () => {
        await session.recordReveal({ by: 'avery' });
        return workflow.describe();
      },
      (described) => described.runId !== runId,
    );
    hold.release();
    expect(await outcome).toBe('adoptable');
    expect(await session.state()).toMatchObject({ phase: 'parked' });
    await session.resolveCreate({ abandon: true });
  });
});
