import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { encryptedDataConverter, type PaymentSessionInput, PaymentSessions } from '../../../../src';
import { ERROR_CODES } from '../../../../src/errors';
import { examineOpenSessions } from '../../../../cli/commands/doctor/open-sessions';
import { prepareStart } from '../../../../src/sessions/start/prepare-start';
import { createWorker } from '../../../../worker';
import { keyedWorkers } from '../../../support/worlds/keyed-workers';
import { jsonPayload, rawCalls, typeOf } from '../../../support/raw-calls';
import { completing, leftOpen } from '../../../support/requests';
import { newKey } from '../../../support/undecryptable';
import { stateOf, until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';
import { startOrAttach } from '../../../../src/sessions/start/start';

// The workers require encryption. Some of the clients have no keys.
const KEYS = { current: newKey('at-hand') };
const REQUIRED = { required: true };

const world = useWorld();
const workers = keyedWorkers(world);
const calls = rawCalls(world);

beforeAll(() => world.stopWorker());

afterEach(async () => {
  await workers.stopAll();
});

function clientWithKeys(options = REQUIRED): PaymentSessions {
  const { connection } = world.client;
  const dataConverter = encryptedDataConverter(KEYS, options);
  return new PaymentSessions(new Client({ connection, dataConverter }), { taskQueue: world.taskQueue });
}

/** Starts a session in plain text, as another SDK does: this package’s client would refuse to. */
async function startInPlain(input: PaymentSessionInput) {
  await startOrAttach(world.client, prepareStart(input, world.taskQueue));
  return world.sessions.get(input.key);
}

async function startedInPlain() {
  const session = await startInPlain(world.input(completing()));
  const { workflowId } = session;
  const execution = { namespace: 'default', execution: { workflowId } };
  await until(
    () => world.client.workflowService.describeWorkflowExecution(execution),
    ({ pendingWorkflowTask }) => (pendingWorkflowTask?.attempt ?? 0) > 1,
  );
  return session;
}

const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;

describe('a client without keys', () => {
  test.each(['start', 'open'] as const)('is refused by %s, and nothing is stored', async (call) => {
    await workers.start(KEYS, REQUIRED);
    const input = world.input(completing());
    const keyless = new PaymentSessions(world.client, { taskQueue: world.taskQueue });
    // Temporal lists a worker after its first poll.
    await until(() => keyless.workersEncrypt(), Boolean);
    await expect(keyless[call](input)).rejects.toMatchObject({
      code: 'ENCRYPTION_REQUIRED',
      message: expect.stringContaining('Nothing was started'),
    });
    await expect(world.sessions.get(input.key).state()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('can start sessions if the workers do not require encryption', async () => {
    const taskQueue = `optional-${newKey('queue').id}-${Date.now()}`;
    const optional = keyedWorkers(world, taskQueue);
    await optional.start(KEYS, { required: false });
    try {
      const sessions = new PaymentSessions(world.client, { taskQueue });
      const { started } = await sessions.start(world.input(leftOpen()));
      expect(started).toEqual({ attached: false });
    } finally {
      await optional.stopAll();
    }
  });
});

describe('a session that a client without keys started', () => {
  test('waits without a create request, doctor reports the reason, and a worker that accepts plain text continues it', async () => {
    const deploy = await workers.start(KEYS, REQUIRED);
    const before = creates();
    const session = await startedInPlain();
    const finding = await examineOpenSessions(world.client, world.taskQueue);
    expect(finding).toMatchObject({ ok: false, fix: ERROR_CODES.ENCRYPTION_REQUIRED.remedy });
    expect(finding.found).toContain(session.workflowId);
    expect(creates()).toBe(before);
    await deploy(KEYS, { required: false });
    expect(await session.result().catch((error: unknown) => error)).toMatchObject({
      code: 'ENCRYPTION_KEY_MISSING',
    });
    expect(await clientWithKeys({ required: false }).get(session.key).result()).toMatchObject({
      status: 'Completed',
    });
    expect(creates()).toBe(before + 1);
  });

  test('can be terminated and started again with keys', async () => {
    await workers.start(KEYS, REQUIRED);
    const before = creates();
    const { key, workflowId } = await startedInPlain();
    await world.client.workflow.getHandle(workflowId).terminate('started without encryption');
    expect(creates()).toBe(before);
    const again = await clientWithKeys().start({ ...world.input(completing()), key: `${key}-again` });
    expect(await again.result()).toMatchObject({ status: 'Completed' });
    expect(creates()).toBe(before + 1);
  });

  test('cannot be read by a client with keys that requires encryption', async () => {
    await workers.start(KEYS, REQUIRED);
    const input = world.input(completing());
    await startInPlain(input);
    await expect(clientWithKeys().start(input)).rejects.toMatchObject({ code: 'ENCRYPTION_REQUIRED' });
    await world.client.workflow.getHandle(`payment-session/${input.key}`).terminate();
  });
});

describe('if encryption is required, a session', () => {
  async function open() {
    const session = await clientWithKeys().start(world.input(leftOpen()));
    await stateOf(session, ({ phase }) => phase === 'open');
    return session;
  }

  test('refuses updates in plain text, and can still be cancelled', async () => {
    await workers.start(KEYS, REQUIRED);
    const { workflowId, ...session } = await open().then((opened) => ({
      workflowId: opened.workflowId,
      result: () => opened.result(),
    }));
    const plain = jsonPayload('{"retry":true}');
    expect(typeOf(await calls.update(workflowId, 'resolveCreate', [plain]))).toBe('ENCRYPTION_REQUIRED');
    expect(typeOf(await calls.update(workflowId, 'refresh', [jsonPayload('null')]))).toBe(
      'ENCRYPTION_REQUIRED',
    );
    await calls.signal(workflowId, 'cancel', [jsonPayload('"Avery"')]);
    expect(await session.result()).toMatchObject({ status: 'Cancelled' });
    expect(await calls.failedTasks(workflowId)).toBe(0);
  });

  test('waits if its stored data is in plain text', async () => {
    const deploy = await workers.start(KEYS, { required: false });
    const { workflowId, key } = await startInPlain(world.input(leftOpen()));
    await stateOf(clientWithKeys({ required: false }).get(key), ({ phase }) => phase === 'open');
    await deploy(KEYS, REQUIRED);
    await calls.signal(workflowId, 'cancel');
    await until(
      () => calls.failedTasks(workflowId),
      (failed) => failed > 0,
    );
    await deploy(KEYS, { required: false });
    expect(await clientWithKeys({ required: false }).get(key).result()).toMatchObject({
      status: 'Cancelled',
    });
  });
});

test('a worker that requires encryption does not start without keys', async () => {
  const options = { accounts: {}, connection: undefined as never, encryptionOptions: REQUIRED };
  await expect(createWorker(options)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' });
});

test('if encryption is required, a session goes on after it has cancelled its create activity in the task queue', async () => {
  const before = creates();
  const deploy = await workers.start(KEYS, { ...REQUIRED, takesActivities: false });
  const session = await clientWithKeys().start(world.input(leftOpen()));
  const execution = { namespace: 'default', execution: { workflowId: session.workflowId } };
  const described = () => world.client.workflowService.describeWorkflowExecution(execution);
  await until(described, ({ pendingActivities }) => pendingActivities.length === 1);
  await session.cancel();
  await until(
    described,
    ({ pendingActivities }) => pendingActivities[0]?.activityType?.name === 'lookUpCreate',
  );
  await deploy(KEYS, REQUIRED);
  expect(await session.result()).toMatchObject({ cancel: { outcome: 'neverCreated' } });
  expect(creates()).toBe(before);
});
