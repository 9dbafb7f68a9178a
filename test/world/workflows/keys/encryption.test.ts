import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { encryptedDataConverter, PaymentSessions } from '../../../../src';
import { fingerprintOf } from '../../../../src/sessions';
import { replayHistories } from '../../../../testkit';
import { everythingIn } from '../../../support/everything-in';
import { rawCalls } from '../../../support/raw-calls';
import { anotherPayment, completing, geft, leftOpen, overTheLimit } from '../../../support/requests';
import { until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';

// The worker and the client of this world encrypt what they store in Temporal.
const encryption = { current: { id: 'test', secret: randomBytes(32) } };
const world = useWorld({ encryption });

test('an encrypted history replays with the keys, also under another workflow id', async () => {
  const { session } = await world.sessions.open(world.input(leftOpen()));
  await session.refresh({ by: 'Robin Roy', reason: 'the payor phoned' });
  await session.cancelAndWait({ by: 'Robin Roy', reason: 'sold to another' });
  await session.result();
  const history = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
  const recorded = [{ name: 'encrypted', history }];
  const replayed = await replayHistories(recorded, { dataConverter: encryptedDataConverter(encryption) });
  expect(replayed).toEqual({ replayed: 1, untouched: [], divergences: [] });
});

test('with encryption, Temporal stores payor, payee and amounts only encrypted', async () => {
  const request = { ...completing(geft), amount: 4321.98 };
  const session = await world.sessions.start({ ...world.input(request), key: `plain-${Date.now()}` });
  const result = await session.result();
  expect(result).toMatchObject({ status: 'Completed', amount: 4321.98 });
  expect(await session.state()).toMatchObject({ phase: 'ended', amount: 4321.98 });

  const handle = world.client.workflow.getHandle(session.workflowId);
  const stored = everythingIn([await handle.fetchHistory(), (await handle.describe()).raw]);
  expect(stored).toContain(session.workflowId);
  for (const plain of ['Avery', 'Tremblay', 'example.com', 'King Street', '4321.98', 'checkoutUrl']) {
    expect(stored).not.toContain(plain);
  }
});

test('with encryption, Temporal stores the name and the reason of a decision only encrypted', async () => {
  const { session } = await world.sessions.open(world.input(leftOpen()));
  await session.refresh({ by: 'Robin Roy', reason: 'the payor phoned' });
  await session.recordReveal({ by: 'Robin Roy', reason: 'to compare the addresses' });
  const { state } = await session.cancelAndWait({ by: 'Robin Roy', reason: 'sold to another' });
  expect(state.decisions.map(({ by }) => by)).toEqual(['Robin Roy', 'Robin Roy', 'Robin Roy']);
  const handle = world.client.workflow.getHandle(session.workflowId);
  const stored = everythingIn([await handle.fetchHistory(), (await handle.describe()).raw]);
  expect(stored).toContain(session.workflowId);
  for (const plain of ['Robin', 'phoned', 'compare', 'another']) expect(stored).not.toContain(plain);
});

test('a client without the keys can list an encrypted session, but cannot read its state', async () => {
  const session = await world.sessions.start(world.input(completing(geft)));
  await session.result();
  const keyless = new PaymentSessions(new Client({ connection: world.client.connection }));
  const amountIn = async (sessions: PaymentSessions) => {
    for await (const { key, amount } of sessions.list({ referenceId: 'sandbox-completes' }))
      if (key === session.key) return amount ?? 'not told';
    return 'not listed';
  };
  await until(
    () => amountIn(world.sessions),
    (amount) => amount === 25,
  );
  expect(await amountIn(keyless)).toBe('not told');
  await expect(keyless.get(session.key).result()).rejects.toMatchObject({ code: 'ENCRYPTION_KEY_MISSING' });
});

test('with encryption, the same request attaches to its session, and another request is a conflict', async () => {
  const input = world.input(completing(geft));
  const session = await world.sessions.start(input);
  expect((await world.sessions.start(input)).key).toBe(session.key);
  const other = anotherPayment(input);
  await expect(world.sessions.start(other)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
  await session.result();
});

test('with encryption, Temporal stores a session’s input as an encrypted payload', async () => {
  const session = await world.sessions.start(world.input(completing(geft)));
  await session.result();
  const { events } = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
  const [input] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  expect(() => defaultPayloadConverter.fromPayload(input as Payload)).toThrow('binary/encrypted');
});

test('with encryption, no plain text is derived from the request, so a guessed request cannot be checked against the stored data', async () => {
  const input = world.input(leftOpen());
  const { session } = await world.sessions.open(input);
  const handle = world.client.workflow.getHandle(session.workflowId);
  const stored = everythingIn([await handle.fetchHistory(), (await handle.describe()).raw]);
  expect(stored).toContain('awaitOpened/');
  expect(stored).not.toContain(fingerprintOf(input));
  await session.cancelAndWait();
});

test('the encrypted input of one session cannot start a session under another key', async () => {
  const session = await world.sessions.start(world.input(completing(geft)));
  await session.result();
  const { events } = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
  const [input] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const workflowId = `${session.workflowId}-other`;
  await rawCalls(world).start({ workflowId, input: [input as Payload] });
  const execution = { namespace: 'default', execution: { workflowId } };
  await until(
    () => world.client.workflowService.describeWorkflowExecution(execution),
    ({ pendingWorkflowTask }) => (pendingWorkflowTask?.attempt ?? 0) > 1,
  );
  const other = world.client.workflow.getHandle(workflowId);
  const { events: waiting } = await other.fetchHistory();
  const failures = waiting?.flatMap(({ workflowTaskFailedEventAttributes: failed }) => failed?.failure ?? []);
  expect(failures).toMatchObject([{ stackTrace: expect.stringContaining('ENCRYPTION_TAMPERED: ') }]);
  expect(waiting?.filter((event) => event.activityTaskScheduledEventAttributes != null)).toEqual([]);
  await other.terminate();
});

test('messages and stack traces of workflow failures are encrypted, and clients with the keys can read them', async () => {
  const session = await world.sessions.start(world.input(overTheLimit()));
  const failed: unknown = await session.result().catch((error: unknown) => error);
  expect(failed).toMatchObject({
    code: 'SERVICE_REQUEST_REJECTED',
    message: expect.stringContaining('(400'),
  });
  const { events } = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
  const failure = events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure;
  expect(failure).toMatchObject({ message: 'Encoded failure', stackTrace: '' });
  // Only the failure’s type is in plain text. The type is the error code.
  expect(failure?.applicationFailureInfo?.type).toBe('SERVICE_REQUEST_REJECTED');
  expect(Object.keys(failure?.encodedAttributes?.metadata ?? {})).toContain('encryption-key-id');
});

test('messages and stack traces of activity failures are encrypted', async () => {
  const session = await world.sessions.start({ ...world.input(completing()), account: 'nobody' });
  await expect(session.opened()).rejects.toMatchObject({ code: 'UNKNOWN_ACCOUNT' });
  await session.cancelAndWait();
  const { events } = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
  const failures = (events ?? []).flatMap((event) => event.activityTaskFailedEventAttributes?.failure ?? []);
  expect(failures).not.toHaveLength(0);
  for (const { message, stackTrace } of failures)
    expect([message, stackTrace]).toEqual(['Encoded failure', '']);
});
