import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { PaymentSessionHandle, SessionPolicy } from '../../../../src';
import { replayHistories } from '../../../../testkit';
import { park } from '../../../support/park';
import { eft, geft, leftOpen } from '../../../support/requests';
import { resetRun } from '../../../support/reset-run';
import { testBundle } from '../../../support/setup/global-values';
import { stateOf, until } from '../../../support/wait';
import { usePaymentWorld } from '../../../support/worlds/payment-world';
import { useWorld } from '../../../support/worlds/use-world';
import { CLAIM_WORKFLOW_TYPE } from '../../../../src/protocol/activities';
import { fetchHistory } from '../../../../testkit/histories/recorded-history';

const world = useWorld();

// Two keys must never follow the same session of the payment service. An operator names a session that a parked key should
// adopt. The worker then checks that no other key follows that session, or is about to.

/** Resolves once Temporal’s index shows that this workflow follows the service’s session. */
const indexed = ({ workflowId }: PaymentSessionHandle, sessionId: string) =>
  until(
    async () => {
      const query = `WorkflowId = '${workflowId}' AND PaymentSessionShortId = '${sessionId.slice(0, 8)}'`;
      return (await world.client.workflow.count(query)).count;
    },
    (count) => count === 1,
  );

/** Resolves once Temporal’s index shows this workflow in the phase “creating”. */
const beingCreated = ({ workflowId }: PaymentSessionHandle) =>
  until(
    async () => {
      const query = `WorkflowId = '${workflowId}' AND PaymentSessionPhase = 'creating'`;
      return (await world.client.workflow.count(query)).count;
    },
    (count) => count === 1,
  );

describe('a session of the payment service that another key follows', () => {
  test('is not adopted while it is open or after its end, and the preview and the error name the other key', async () => {
    const { session, lost } = await park(world);
    const other = await world.sessions.open(world.input(leftOpen()));
    const { key } = other.session;
    await indexed(other.session, other.sessionId);
    const named = { sessionId: other.sessionId };
    expect(await session.previewAdopt(named.sessionId)).toMatchObject({
      adoptable: false,
      refusal: { code: 'SESSION_FOLLOWED', message: expect.stringContaining(key), followedBy: key },
      differences: [],
    });
    expect(await session.resolveCreate(named)).toMatchObject({
      phase: 'parked',
      anomalies: [],
      decisions: [{ decision: 'adopt', result: 'SESSION_FOLLOWED', followedBy: key }],
    });
    await other.session.cancelAndWait();
    await other.session.result();
    expect(await session.resolveCreate(named)).toMatchObject({ phase: 'parked' });
    expect(await session.resolveCreate({ sessionId: lost })).toMatchObject({ phase: 'open' });
    const history = await fetchHistory(world.client, session.key);
    const { divergences } = await replayHistories([{ name: key, history }], { bundlePath: testBundle() });
    expect(divergences).toEqual([]);
    await session.cancelAndWait();
  });

  test('is not adopted while the other key still waits for the answer to the create request that opened it', async () => {
    const request = { ...leftOpen(), referenceId: `sandbox-stays-initiated-${randomUUID().slice(0, 8)}` };
    const { session } = await park(world, request);
    const create = world.sandbox.hold('create', 'after');
    const other = await world.sessions.start(world.input(request));
    await create.reached;
    const sessionId = world.sandbox.calls.filter(({ route }) => route === 'create').at(-1)?.sessionId ?? '';
    await beingCreated(other);
    expect(await session.previewAdopt(sessionId)).toMatchObject({
      adoptable: false,
      refusal: {
        code: 'SESSION_MAYBE_FOLLOWED',
        message: expect.stringContaining(other.key),
        maybeFollowedBy: other.key,
      },
    });
    const decided = session.resolveCreate({ sessionId });
    create.release();
    await other.opened();
    expect(await decided).toMatchObject({
      phase: 'parked',
      decisions: [{ result: 'SESSION_FOLLOWED', followedBy: other.key }],
    });
    await session.resolveCreate({ abandon: true });
    await other.cancelAndWait();
  });

  test('is not adopted while the other key’s create request hangs, because that request may have opened it', async () => {
    const { session, lost } = await park(world);
    const create = world.sandbox.hold('create', 'before');
    const other = await world.sessions.start(world.input(leftOpen()));
    await create.reached;
    await beingCreated(other);
    expect(await session.resolveCreate({ sessionId: lost })).toMatchObject({
      phase: 'parked',
      decisions: [{ result: 'SESSION_MAYBE_FOLLOWED', maybeFollowedBy: other.key }],
    });
    create.release();
    await other.opened();
    expect(await session.resolveCreate({ sessionId: lost })).toMatchObject({ phase: 'open' });
    for (const each of [session, other]) await each.cancelAndWait();
  });

  test('is not adopted after a reset of the other key’s workflow, whose earlier run followed it', async () => {
    const { session } = await park(world);
    const policy: SessionPolicy = { onUnknownCreate: 'park' };
    const other = await world.sessions.open(world.input(leftOpen(), policy));
    const { sessionId } = other;
    const { key } = other.session;
    await indexed(other.session, sessionId);
    await resetRun(world.client, other.session.workflowId, 0);
    await stateOf(other.session, ({ phase }) => phase === 'parked');
    // After a restart, the worker has no memory of the session.
    await world.stopWorker();
    await world.startWorker();
    expect(await session.previewAdopt(sessionId)).toMatchObject({ refusal: { followedBy: key } });
    expect(await session.resolveCreate({ sessionId })).toMatchObject({
      phase: 'parked',
      decisions: [{ result: 'SESSION_FOLLOWED', followedBy: key }],
    });
    expect(await other.session.resolveCreate({ sessionId })).toMatchObject({ phase: 'open' });
    await other.session.cancelAndWait();
    await session.resolveCreate({ abandon: true });
  });

  test('is adopted by only one of two keys if operators name it for both at the same moment', async () => {
    const one = await park(world);
    const two = await park(world);
    const answers = await Promise.all(
      [one.session, two.session].map((session) => session.resolveCreate({ sessionId: two.lost })),
    );
    const results = answers.flatMap(({ decisions }) => decisions.map(({ result }) => result));
    expect([...results].sort()).toEqual(['SESSION_FOLLOWED', 'applied']);
    const [first, second] = answers;
    const loser = first?.phase === 'parked' ? first : second;
    const winner = first?.phase === 'parked' ? second : first;
    expect(loser?.decisions).toMatchObject([{ followedBy: winner?.key }]);
    for (const { session } of [one, two]) {
      const { phase } = await session.state();
      if (phase === 'parked') await session.resolveCreate({ abandon: true });
      else await session.cancelAndWait();
    }
  });

  test('can still be adopted by the key that has claimed it', async () => {
    const { session, lost } = await park(world);
    const workflowId = `payment-session-claim/${lost}`;
    await world.client.workflow.start(CLAIM_WORKFLOW_TYPE, {
      workflowId,
      taskQueue: world.taskQueue,
      memo: { key: session.key },
    });
    expect(await world.client.workflow.getHandle(workflowId).result()).toBeUndefined();
    expect(await session.previewAdopt(lost)).toMatchObject({ adoptable: true });
    expect(await session.resolveCreate({ sessionId: lost })).toMatchObject({ phase: 'open' });
    await session.cancelAndWait();
  });
});

describe('while the service delays the create request of another key with the same reference,', () => {
  const busy = useWorld();

  test('a parked key can adopt the session that its own create request has opened', async () => {
    const { session, lost } = await park(busy);
    busy.sandbox.failNext('create', { kind: 'status', status: 429, retryAfter: '1' }, 1_000);
    const other = await busy.sessions.start(busy.input(leftOpen()));
    await stateOf(other, ({ trouble }) => trouble?.code === 'SERVICE_RATE_LIMITED');
    await beingCreated(other);
    await until(
      () => session.previewAdopt(lost),
      ({ adoptable }) => adoptable,
    );
    expect(await session.resolveCreate({ sessionId: lost })).toMatchObject({ phase: 'open' });
    await other.cancel();
    expect(await other.result()).toMatchObject({ cancel: { outcome: 'neverCreated' } });
    await session.cancelAndWait();
  });
});

test('a key of a regular EFT cannot adopt a guaranteed EFT', async () => {
  const { session } = await park(world);
  const guaranteed = await park(world, leftOpen(geft));
  expect(await session.previewAdopt(guaranteed.lost)).toMatchObject({
    adoptable: false,
    refusal: { code: 'SESSION_MISMATCH' },
    asked: { kind: 'EFT' },
    found: { kind: 'GEFT' },
    differences: ['type'],
  });
  expect(await session.resolveCreate({ sessionId: guaranteed.lost })).toMatchObject({
    phase: 'parked',
    decisions: [{ result: 'SESSION_MISMATCH' }],
  });
  for (const each of [session, guaranteed.session]) await each.resolveCreate({ abandon: true });
});

test('a key of a guaranteed EFT cannot adopt a regular EFT', async () => {
  const { session } = await park(world, leftOpen(geft));
  const regular = await park(world);
  expect(await session.previewAdopt(regular.lost)).toMatchObject({
    refusal: { code: 'SESSION_MISMATCH' },
    asked: { kind: 'GEFT' },
    found: { kind: 'EFT' },
    differences: ['type'],
  });
  expect(await session.resolveCreate({ sessionId: regular.lost })).toMatchObject({
    decisions: [{ result: 'SESSION_MISMATCH' }],
  });
  for (const each of [session, regular.session]) await each.resolveCreate({ abandon: true });
});

test.each([
  ['an EFT', eft],
  ['a guaranteed EFT', geft],
])(
  '%s can be adopted if the details do not report if it is guaranteed, and the preview says so',
  async (_, kind) => {
    const { session, lost } = await park(world, leftOpen(kind));
    const { type, direction, referenceId, amount } = leftOpen(kind);
    const body = JSON.stringify({ status: 'Initiated', type, direction, referenceId, amount });
    world.sandbox.failNext(
      'details',
      { kind: 'status', status: 200, body, contentType: 'application/json' },
      2,
    );
    const preview = await session.previewAdopt(lost);
    expect(preview).toMatchObject({ adoptable: true, differences: [], untold: ['type'] });
    expect(preview.found).not.toHaveProperty('kind');
    expect(await session.resolveCreate({ sessionId: lost })).toMatchObject({ phase: 'open' });
    await session.cancelAndWait();
  },
);

describe('in virtual time, where Temporal has no index', () => {
  const virtual = usePaymentWorld();

  test('a session that another key has created cannot be adopted', async () => {
    const request = leftOpen();
    const { sessionId } = await virtual.sessions.open({ key: 'healthy', request });
    virtual.service.fail('create', { kind: 'reset', phase: 'after' });
    const parked = await virtual.sessions.start({
      key: 'parked',
      request,
      policy: { onUnknownCreate: 'park' },
    });
    await stateOf(parked, ({ phase }) => phase === 'parked');
    expect(await parked.previewAdopt(sessionId)).toMatchObject({
      adoptable: false,
      refusal: { code: 'SESSION_FOLLOWED', followedBy: 'healthy' },
    });
    expect(await parked.resolveCreate({ sessionId })).toMatchObject({
      phase: 'parked',
      decisions: [{ result: 'SESSION_FOLLOWED', followedBy: 'healthy' }],
    });
  });
});
