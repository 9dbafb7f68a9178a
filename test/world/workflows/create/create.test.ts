import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { usePaymentWorld } from '../../../support/worlds/payment-world';
import { completing, leftOpen, overTheLimit } from '../../../support/requests';
import { stateOf } from '../../../support/wait';
import type { SessionPolicy, SessionRequest } from '../../../../src';

/** A world in virtual time. Waits of seconds and minutes between retries take no real time. */
const world = usePaymentWorld();

const inputOf = (request: SessionRequest, policy: SessionPolicy = {}) => ({
  key: `test-${randomUUID()}`,
  request,
  policy,
});
const completes = () => inputOf(completing());
const parks = () => inputOf(completing(), { onUnknownCreate: 'park' });
const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;

describe('a create request', () => {
  test('that the service rejects fails the session with the problem details', async () => {
    const session = await world.sessions.start(inputOf(overTheLimit()));
    await expect(session.result()).rejects.toMatchObject({
      code: 'SERVICE_REQUEST_REJECTED',
      failure: { status: 400, problem: { status: 400, errors: { amount: [expect.any(String)] } } },
    });
    await expect(session.opened()).rejects.toMatchObject({ code: 'SERVICE_REQUEST_REJECTED' });
    expect(await session.state()).toMatchObject({
      phase: 'ended',
      failure: { code: 'SERVICE_REQUEST_REJECTED' },
    });
  });

  test('is sent again if its answer proves that no session was created', async () => {
    const createsBefore = creates();
    world.sandbox.failNext('create', { kind: 'status', status: 429, retryAfter: '1' });
    const session = await world.sessions.start(completes());
    expect(await session.result()).toMatchObject({ status: 'Completed', anomalies: [] });
    expect(creates() - createsBefore).toBe(2);
  });
});

describe('a create request whose answer was lost', () => {
  test('is sent again by default, and the possible orphan is recorded', async () => {
    world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    const session = await world.sessions.start(completes());
    const result = await session.result();
    expect(result).toMatchObject({ status: 'Completed', anomalies: [{ kind: 'possibleOrphan' }] });
  });

  test('parks the session if the policy says so', async () => {
    world.sandbox.failNext('create', { kind: 'status', status: 502 });
    await expect(world.sessions.open(parks())).rejects.toMatchObject({ code: 'CREATE_OUTCOME_UNKNOWN' });
  });

  test('leads to its session once an operator names that session', async () => {
    world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    const input = parks();
    const session = await world.sessions.start({ ...input, request: leftOpen() });
    await stateOf(session, ({ phase }) => phase === 'parked');
    const lost = world.sandbox.calls.findLast(({ route }) => route === 'create')?.sessionId ?? '';
    expect(await session.resolveCreate({ sessionId: '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1' })).toMatchObject({
      phase: 'parked',
      decisions: [{ result: 'SERVICE_SESSION_UNKNOWN' }],
    });
    expect(await session.resolveCreate({ sessionId: lost })).toMatchObject({
      phase: 'open',
      sessionId: lost,
    });
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
  });

  test('stays parked if an operator names another payment’s session', async () => {
    const stranger = await world.sessions.open(inputOf({ ...leftOpen(), amount: 999 }));
    world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    const input = inputOf(leftOpen(), { onUnknownCreate: 'park' });
    const session = await world.sessions.start(input);
    await stateOf(session, ({ phase }) => phase === 'parked');
    expect(await session.resolveCreate({ sessionId: stranger.sessionId })).toMatchObject({
      phase: 'parked',
      amount: 25,
      // The trouble is still that of the create request: the call that checked the named session was answered.
      trouble: { code: 'SERVICE_INTERRUPTED' },
      decisions: [{ decision: 'adopt', result: 'SESSION_MISMATCH' }],
    });
    await session.cancel();
    expect(await stranger.session.state()).toMatchObject({ phase: 'open' });
    await session.resolveCreate({ retry: true });
    await stranger.session.cancelAndWait();
  });

  test('parks the session after the fourth lost answer', async () => {
    const createsBefore = creates();
    world.sandbox.failNext('create', { kind: 'reset', phase: 'after' }, 4);
    const session = await world.sessions.start(completes());
    await world.advance('1m');
    const { anomalies } = await stateOf(session, ({ phase }) => phase === 'parked');
    expect(anomalies.map(({ kind }) => kind)).toEqual(['possibleOrphan', 'possibleOrphan', 'possibleOrphan']);
    expect(creates() - createsBefore).toBe(4);
    await session.resolveCreate({ retry: true });
    expect(await session.result()).toMatchObject({ status: 'Completed' });
  });

  test('ends as possiblyCreated if the session is cancelled before the second request', async () => {
    world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    world.sandbox.failNext('create', {
      kind: 'status',
      status: 429,
      retryAfter: '5',
      phase: 'after',
    });
    const session = await world.sessions.start(completes());
    await stateOf(session, ({ trouble }) => trouble?.code === 'SERVICE_RATE_LIMITED');
    expect(await session.cancelAndWait()).toMatchObject({
      outcome: 'possiblyCreated',
      state: { status: 'Cancelled', anomalies: [{ kind: 'possibleOrphan' }] },
    });
    await world.advance('1m'); // The answer 429 has paused the account's calls.
  });

  test('is sent again if an operator decides so', async () => {
    world.sandbox.failNext('create', { kind: 'status', status: 500 });
    const session = await world.sessions.start(parks());
    await stateOf(session, ({ phase }) => phase === 'parked');
    await session.resolveCreate({ retry: true });
    expect(await session.result()).toMatchObject({
      status: 'Completed',
      anomalies: [{ kind: 'possibleOrphan' }],
    });
  });

  test('is given up if an operator decides so', async () => {
    world.sandbox.failNext('create', { kind: 'status', status: 500 });
    const session = await world.sessions.start(parks());
    await stateOf(session, ({ phase }) => phase === 'parked');
    const [resolved, failed] = await Promise.allSettled([
      session.resolveCreate({ abandon: true }),
      session.result(),
    ]);
    expect(resolved.status).toBe('fulfilled');
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'CREATE_ABANDONED' } });
  });

  test('cannot be resolved by a malformed decision, and a session that is not parked refuses every decision', async () => {
    const { session } = await world.sessions.open(inputOf(leftOpen()));
    const malformed = { sessionId: 'x', retry: true } as const;
    await expect(session.resolveCreate(malformed)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(session.resolveCreate({ retry: true })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await session.cancelAndWait();
  });
});
