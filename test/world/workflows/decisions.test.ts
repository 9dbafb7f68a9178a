import { describe, expect, test } from '@jest/globals';
import { everythingIn } from '../../support/everything-in';
import { park } from '../../support/park';
import { leftOpen } from '../../support/requests';
import { stateOf, until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();
const open = () => world.sessions.open(world.input(leftOpen(), { refreshSpacing: '1ms' }));
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe('the list of decisions in a session’s state', () => {
  test('has who cancelled the session and why, also after its end', async () => {
    const { session } = await open();
    const named = { by: 'Avery', reason: 'the customer called' };
    const { outcome, state } = await session.cancelAndWait(named);
    const decisions = [{ decision: 'cancel', ...named, result: 'cancelled', at: TIME }];
    expect({ outcome, decisions: state.decisions }).toEqual({ outcome: 'cancelled', decisions });
    expect((await session.result()).decisions).toEqual(decisions);
    expect((await session.state()).decisions).toEqual(decisions);
  });

  test('has who cancelled the session with `cancel`, which does not wait', async () => {
    const { session } = await open();
    await session.cancel({ by: 'Avery' });
    expect((await session.result()).decisions).toMatchObject([{ decision: 'cancel', by: 'Avery' }]);
  });

  test('has a cancel with a name that comes after an earlier cancel', async () => {
    const { session } = await open();
    const cancel = world.sandbox.hold('cancel', 'before');
    const both = Promise.all([session.cancel(), session.cancelAndWait({ by: 'Avery' })]);
    await stateOf(session, ({ decisions }) => decisions.length > 0);
    cancel.release();
    await both;
    expect((await session.result()).decisions).toMatchObject([{ by: 'Avery', result: 'cancelled' }]);
  });

  test('has each refresh with a name, also if several refreshes share one poll', async () => {
    const { session } = await open();
    const plain = () => session.refresh();
    await Promise.all([
      plain(),
      plain(),
      session.refresh({ by: 'Avery' }),
      plain(),
      session.refresh({ by: 'Robin', reason: 'the payor says so' }),
    ]);
    const { decisions } = await session.state();
    expect(decisions.map(({ by, result }) => [by, result]).sort()).toEqual([
      ['Avery', 'applied'],
      ['Robin', 'applied'],
    ]);
    await session.cancelAndWait();
  });

  test('has the error code of a failed refresh', async () => {
    const { session } = await open();
    world.sandbox.failNext('details', { kind: 'status', status: 429, retryAfter: '1' }, 1_000);
    const { decisions } = await session.refresh({ by: 'Avery' });
    expect(decisions).toMatchObject([{ decision: 'refresh', result: 'SERVICE_RATE_LIMITED' }]);
    world.sandbox.clearFaults();
    await session.cancelAndWait();
  });

  test('has each view of the personal data', async () => {
    const { session } = await open();
    const named = { by: 'Avery', reason: 'the payor asked which email we have' };
    const { kept, state } = await session.recordReveal(named);
    expect(kept).toBe(true);
    expect(state.decisions).toEqual([{ decision: 'reveal', ...named, result: 'applied', at: TIME }]);
    await session.cancelAndWait();
    const { decisions } = await session.result();
    expect(await session.recordReveal(named)).toMatchObject({ kept: false, state: { decisions } });
  });

  test('has no refresh and no cancel without a name, such as those of a checkout page', async () => {
    const { session } = await open();
    expect(await session.refresh()).toMatchObject({ decisions: [] });
    expect((await session.cancelAndWait()).state.decisions).toEqual([]);
  });

  test('has the Temporal client’s identity in place of a name for a decision that has only a reason, and for a view without a name', async () => {
    const { session } = await open();
    const { identity } = world.client.workflow.options;
    await session.recordReveal();
    const { state } = await session.cancelAndWait({ reason: 'nobody paid' });
    expect(state.decisions.map(({ by }) => by)).toEqual([identity, identity]);
  });

  test('has a cancel that had no effect because the session failed', async () => {
    const { session } = await park(world);
    await session.cancel({ by: 'Robin' });
    await session.resolveCreate({ abandon: true }, { by: 'Avery' });
    await expect(session.result()).rejects.toMatchObject({
      code: 'CREATE_ABANDONED',
      state: {
        decisions: [
          { decision: 'cancel', by: 'Robin', result: 'CREATE_ABANDONED' },
          { decision: 'abandon', by: 'Avery', result: 'applied' },
        ],
      },
    });
  });

  test('has the refused adoption of a session that another key follows', async () => {
    const { session } = await park(world);
    const { session: other, sessionId } = await open();
    // Temporal’s index lists the other session with a delay.
    await until(
      async () => (await session.previewAdopt(sessionId)).refusal?.followedBy,
      (followedBy) => followedBy === other.key,
    );
    expect(await session.resolveCreate({ sessionId })).toMatchObject({
      phase: 'parked',
      decisions: [{ decision: 'adopt', sessionId, result: 'SESSION_FOLLOWED', followedBy: other.key }],
    });
    await other.cancelAndWait();
    await session.resolveCreate({ abandon: true });
  });

  test('is the only place with the names: search attributes, memo and summaries contain none', async () => {
    const { session } = await open();
    await session.refresh({ by: 'Robin Roy', reason: 'the payor phoned' });
    await session.cancelAndWait({ by: 'Robin Roy', reason: 'sold to another' });
    const handle = world.client.workflow.getHandle(session.workflowId);
    const shown = everythingIn([(await handle.describe()).raw]);
    expect(shown).toContain('PaymentSessionPhase');
    for (const personal of ['Robin', 'phoned', 'sold']) expect(shown).not.toContain(personal);
  });
});

describe('the name and the reason of a decision', () => {
  test.each([{ by: '' }, { by: 'b'.repeat(201) }, { reason: 'r'.repeat(501) }])(
    'are refused before anything is sent if they are %j',
    async (named) => {
      const nobody = world.sessions.get('no-such-session');
      const refused = { code: 'INVALID_INPUT' };
      await expect(nobody.cancel(named)).rejects.toMatchObject(refused);
      await expect(nobody.cancelAndWait(named)).rejects.toMatchObject(refused);
      await expect(nobody.refresh(named)).rejects.toMatchObject(refused);
      await expect(nobody.recordReveal(named)).rejects.toMatchObject(refused);
    },
  );
});
