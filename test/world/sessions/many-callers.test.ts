import { describe, expect, test } from '@jest/globals';
import type { PaymentSessionHandle } from '../../../src';
import { rawCalls, typeOf } from '../../support/raw-calls';
import { park } from '../../support/park';
import { anotherPayment, leftOpen } from '../../support/requests';
import { stateOf, until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();
const calls = rawCalls(world);

/** Returns the number of updates with this name in the session's history. */
async function updatesOf(session: PaymentSessionHandle, updateName: string): Promise<number> {
  const { events } = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
  const accepted = (events ?? []).flatMap(({ workflowExecutionUpdateAcceptedEventAttributes: update }) =>
    update?.acceptedRequest?.input?.name === updateName ? [update] : [],
  );
  return accepted.length;
}

describe('callers that wait for a session to open', () => {
  test('share at most two updates and get the same answer, even if there are a hundred callers', async () => {
    const hold = world.sandbox.hold('create', 'before');
    const input = world.input(leftOpen());
    const opening = Array.from({ length: 100 }, () => world.sessions.open(input));
    await stateOf(world.sessions.get(input.key), ({ phase }) => phase === 'creating');
    hold.release();
    const urls = new Set((await Promise.all(opening)).map(({ checkoutUrl }) => checkoutUrl));
    expect(urls.size).toBe(1);
    const session = world.sessions.get(input.key);
    // The second update comes from a caller that attached between the start and the first update.
    expect(await updatesOf(session, 'awaitOpened')).toBeLessThanOrEqual(2);
    await session.cancelAndWait();
  });

  test('are refused beyond a limit if they come from other SDKs, while callers of this package still get an answer', async () => {
    const hold = world.sandbox.hold('create', 'before');
    const input = world.input(leftOpen());
    const opening = world.sessions.open(input);
    const session = world.sessions.get(input.key);
    await until(
      () => updatesOf(session, 'awaitOpened').catch(() => 0),
      (updates) => updates === 1,
    );
    const others = Array.from({ length: 9 }, () => calls.update(session.workflowId, 'awaitOpened'));
    const sentAway = await Promise.race([opening, ...others]);
    expect('checkoutUrl' in sentAway ? undefined : typeOf(sentAway)).toBe('SESSION_BUSY');
    hold.release();
    expect(await opening).toHaveProperty('checkoutUrl');
    await session.cancelAndWait();
  });

  test('get a conflict if they have another request for the same key', async () => {
    const hold = world.sandbox.hold('create', 'before');
    const input = world.input(leftOpen());
    const opening = world.sessions.open(input);
    await stateOf(world.sessions.get(input.key), ({ phase }) => phase === 'creating');
    const other = anotherPayment(input);
    await expect(world.sessions.open(other)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
    hold.release();
    const { session } = await opening;
    await expect(world.sessions.open(other)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
    await session.cancelAndWait();
  });
});

test('a cancel with the `requestId` of an earlier refresh is carried out, and a repetition gets the cancel’s answer', async () => {
  const { session } = await world.sessions.open(world.input(leftOpen()));
  const requestId = 'order-1042';
  await session.refresh({ requestId });
  expect(await session.cancelAndWait({ requestId })).toMatchObject({ outcome: 'cancelled' });
  expect(await session.cancelAndWait({ requestId })).toMatchObject({ outcome: 'cancelled' });
});

describe('`opened` and `open` send no update', () => {
  test('to a session that is already open or has ended', async () => {
    const input = world.input(leftOpen());
    const { session, checkoutUrl } = await world.sessions.open(input);
    for (let asked = 0; asked < 5; asked += 1) {
      expect(await session.opened()).toMatchObject({ checkoutUrl });
      expect(await world.sessions.open(input)).toMatchObject({ checkoutUrl });
    }
    await session.cancelAndWait();
    expect(await session.opened()).toMatchObject({ checkoutUrl });
    expect(await updatesOf(session, 'awaitOpened')).toBe(1);
  });

  test('to a parked session', async () => {
    const { session } = await park(world);
    for (let asked = 0; asked < 5; asked += 1) {
      await expect(session.opened()).rejects.toMatchObject({ code: 'CREATE_OUTCOME_UNKNOWN' });
      expect(typeOf(await calls.update(session.workflowId, 'awaitOpened'))).toBe('CREATE_OUTCOME_UNKNOWN');
    }
    expect(await updatesOf(session, 'awaitOpened')).toBe(0);
    await session.resolveCreate({ retry: true });
    await session.cancelAndWait();
  });
});

describe('a session that was parked while callers waited', () => {
  test('opens for callers that call again after the operator’s decision', async () => {
    world.sandbox.failNext('create', { kind: 'status', status: 500 });
    const input = world.input(leftOpen(), { onUnknownCreate: 'park' });
    await expect(world.sessions.open(input)).rejects.toMatchObject({ code: 'CREATE_OUTCOME_UNKNOWN' });
    const session = world.sessions.get(input.key);
    const hold = world.sandbox.hold('create', 'before');
    await session.resolveCreate({ retry: true });
    const opening = [world.sessions.open(input), session.opened()];
    hold.release();
    for (const opened of await Promise.all(opening)) expect(opened).toHaveProperty('checkoutUrl');
    await session.cancelAndWait();
  });

  test('accepts an update after the decision, although it refused the same update while it was parked', async () => {
    const { session } = await park(world);
    const ask = () => calls.update(session.workflowId, 'awaitOpened', [], 'the-page');
    expect(typeOf(await ask())).toBe('CREATE_OUTCOME_UNKNOWN');
    await session.resolveCreate({ retry: true });
    expect(await ask()).toHaveProperty('answer');
    await session.cancelAndWait();
  });
});

describe('refreshes of a session', () => {
  test('by two hundred callers at the same time take at most two updates', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const handles = Array.from({ length: 200 }, () => world.sessions.get(session.key));
    const states = await Promise.all(handles.map((handle) => handle.refresh()));
    expect(new Set(states.map(({ phase }) => phase))).toEqual(new Set(['open']));
    expect(await updatesOf(session, 'refresh')).toBeLessThanOrEqual(2);
    await session.cancelAndWait();
  });

  test('that arrive during a poll are answered by a later poll', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    const hold = world.sandbox.hold('details', 'after');
    const first = session.refresh();
    await until(
      () => updatesOf(session, 'refresh'),
      (updates) => updates === 1,
    );
    const second = session.refresh();
    world.payor(sessionId).validatesBank();
    world.payor(sessionId).signsPad();
    hold.release();
    await first;
    expect(await second).toMatchObject({ status: 'Completed', code: 'EFT0301' });
  });
});
