import { describe, expect, test } from '@jest/globals';
import { PaymentSessions } from '../../../src';
import { anotherPayment, completing, leftOpen } from '../../support/requests';
import { stateOf } from '../../support/wait';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { forget } from '../../support/ledger/forget';
import { ledgerWorld } from '../../support/ledger/ledger-world';

/** A server that drops a session soon after the request: closed ones wait for this time. */
const temporal = useTemporalServer({ 'history.transferProcessorUpdateAckInterval': '"100ms"' });
const forgettingWorld = () => ledgerWorld({ temporalAddress: temporal.address });

describe('a key that the Temporal server has forgotten', () => {
  test('opens no second session: it is read from the ledger, the same request gets the result, another is a conflict', async () => {
    const world = await forgettingWorld();
    const input = world.input(completing());
    const { session, sessionId } = await world.sessions.open(input);
    const result = await session.result();
    const before = await world.factsOf(session);
    const read = new PaymentSessions(world.client, { ledger: world.ledger }).get(session.key);
    const known = { state: await read.state(), stateHistory: await read.stateHistory() };
    await forget(world, session);
    expect({ state: await read.state(), stateHistory: await read.stateHistory() }).toEqual(known);
    expect(await read.result()).toEqual(result);
    const again = await world.sessions.open(input);
    expect(again.sessionId).toBe(sessionId);
    expect(await again.session.result()).toEqual(result);
    await forget(world, session);
    const other = await world.sessions.start(anotherPayment(input));
    await expect(other.result()).rejects.toMatchObject({
      code: 'SESSION_CONFLICT',
      message: expect.stringContaining('They differ in request.'),
    });
    expect(world.creates()).toBe(1);
    expect(await world.factsOf(session)).toEqual(before);
  });

  test('was lost before its session ended, until the same request goes on with it', async () => {
    const world = await forgettingWorld();
    const input = world.input(leftOpen());
    const { session, sessionId } = await world.sessions.open(input);
    await forget(world, session);
    const read = new PaymentSessions(world.client, { ledger: world.ledger }).get(session.key);
    const lost = { code: 'SESSION_TERMINATED', state: { phase: 'open', status: 'Initiated', sessionId } };
    await expect(read.state()).rejects.toMatchObject(lost);
    const again = await world.sessions.open(input);
    expect(again.sessionId).toBe(sessionId);
    expect(await read.state()).toMatchObject({ phase: 'open', sessionId });
    world.payor(sessionId).completes();
    expect(await again.session.result()).toMatchObject({ paid: true, sessionId });
    expect(world.creates()).toBe(1);
  });

  test('whose session never existed, as far as is known, ends at once as it had', async () => {
    const world = await forgettingWorld();
    const input = world.input(leftOpen(), { onUnknownCreate: 'park' });
    world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    const session = await world.sessions.start(input);
    await stateOf(session, ({ phase }) => phase === 'parked');
    await session.cancel();
    await session.resolveCreate({ retry: true });
    const result = await session.result();
    expect(result.cancel?.outcome).toBe('possiblyCreated');
    const creates = world.creates();
    await forget(world, session);
    const again = await world.sessions.start(input);
    expect(await again.result()).toEqual(result);
    expect(world.creates()).toBe(creates);
  });

  test('whose workflow failed fails with the same code', async () => {
    const world = await forgettingWorld();
    const input = world.input(leftOpen(), { onUnknownCreate: 'park' });
    world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    const session = await world.sessions.start(input);
    await stateOf(session, ({ phase }) => phase === 'parked');
    await session.resolveCreate({ abandon: true });
    await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
    await forget(world, session);
    const again = await world.sessions.start(input);
    await expect(again.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
  });
});
