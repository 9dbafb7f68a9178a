import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { encryptedDataConverter, PaymentSessions, type EncryptionKeys } from '../../../../src';
import { ERROR_CODES } from '../../../../src/errors';
import { workflowIdOf } from '../../../../src/protocol/names';
import { examineOpenSessions } from '../../../../cli/commands/doctor/open-sessions';
import { keyedWorkers } from '../../../support/worlds/keyed-workers';
import { encrypted, newKey, undecryptable } from '../../../support/undecryptable';
import { rawCalls, typeOf } from '../../../support/raw-calls';
import { completing, leftOpen } from '../../../support/requests';
import { stateOf, until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';

const KEY = newKey('at-hand');
const LATER = newKey('later');

const world = useWorld({ encryption: { current: KEY } });
const calls = rawCalls(world);
let payloads: Awaited<ReturnType<typeof undecryptable>>;

beforeAll(async () => {
  payloads = await undecryptable(KEY);
});

async function open() {
  const session = await world.sessions.start(world.input(leftOpen()));
  await stateOf(session, ({ phase }) => phase === 'open');
  return session;
}

describe('a session goes on if it receives data that no worker can decrypt', () => {
  test('as the argument of a cancel', async () => {
    for (const [name, payload] of payloads) {
      const session = await open();
      await calls.signal(session.workflowId, 'cancel', [payload, payload]);
      expect([name, await session.result()]).toMatchObject([name, { status: 'Cancelled' }]);
      expect(await calls.failedTasks(session.workflowId)).toBe(0);
    }
  });

  test('as the argument of a cancel before the workflow has run', async () => {
    await world.stopWorker();
    const session = await world.sessions.start(world.input(leftOpen()));
    for (const [, payload] of payloads) await calls.signal(session.workflowId, 'cancel', [payload]);
    await world.startWorker();
    expect(await session.result()).toMatchObject({ cancel: { outcome: 'neverCreated' } });
    expect(await calls.failedTasks(session.workflowId)).toBe(0);
  });

  test('as the argument of an unknown signal or of a query', async () => {
    const session = await open();
    for (const [, payload] of payloads) {
      await calls.signal(session.workflowId, 'no-such-signal', [payload]);
      await calls.signal(session.workflowId, '__temporal_no_such_signal', [payload]);
      expect(await calls.query(session.workflowId, 'state', [payload])).not.toBe('');
    }
    expect(await session.state()).toMatchObject({ phase: 'open' });
    await session.cancel();
    expect(await session.result()).toMatchObject({ status: 'Cancelled' });
    expect(await calls.failedTasks(session.workflowId)).toBe(0);
  });

  test.each(['awaitOpened', 'cancelAndWait', 'refresh', 'recordReveal', 'previewAdopt', 'resolveCreate'])(
    'as the argument of the update %s, which is rejected with the reason',
    async (name) => {
      const session = await open();
      const nothing = await encrypted(null, { current: KEY });
      for (const [, payload, reason] of payloads) {
        for (const args of [[payload], [nothing, payload]]) {
          const refusesNothing = ['previewAdopt', 'resolveCreate'].includes(name);
          const rejected = [reason, refusesNothing ? 'INVALID_INPUT' : ''];
          expect(rejected).toContain(typeOf(await calls.update(session.workflowId, name, args)));
        }
      }
      expect(await session.state()).toMatchObject({ phase: 'open' });
      await session.cancel();
      expect(await session.result()).toMatchObject({ status: 'Cancelled' });
      expect(await calls.failedTasks(session.workflowId)).toBe(0);
    },
  );

  test('as a second argument of the start, after the input', async () => {
    const plain = world.input(completing());
    const workflowId = workflowIdOf(plain.key);
    const input = await encrypted(plain, { current: KEY });
    await calls.start({ workflowId, input: [input, ...payloads.map(([, payload]) => payload)] });
    expect(await world.client.workflow.getHandle(workflowId).result()).toMatchObject({ status: 'Completed' });
    expect(await calls.failedTasks(workflowId)).toBe(0);
  });
});

describe('a session whose workers lack an encryption key waits, and goes on once a worker has the key:', () => {
  const BOTH = { current: KEY, earlier: [LATER] };
  const workers = keyedWorkers(world);

  beforeAll(() => world.stopWorker());

  afterEach(async () => {
    await workers.stopAll();
  });

  /** Waits until the session’s workflow task has failed at least once and is tried again. */
  async function waiting(workflowId: string): Promise<void> {
    const execution = { namespace: 'default', execution: { workflowId } };
    await until(
      () => world.client.workflowService.describeWorkflowExecution(execution),
      ({ pendingWorkflowTask }) => (pendingWorkflowTask?.attempt ?? 0) > 1,
    );
  }

  const examine = () => examineOpenSessions(world.client, world.taskQueue);

  const startedWith = (encryption: EncryptionKeys) => {
    const client = new Client({
      connection: world.client.connection,
      dataConverter: encryptedDataConverter(encryption),
    });
    return new PaymentSessions(client, { taskQueue: world.taskQueue });
  };

  test('the key of its input', async () => {
    const sessions = startedWith({ current: LATER });
    const deploy = await workers.start({ current: KEY });
    const { key, workflowId } = await sessions.start(world.input(leftOpen()));
    await waiting(workflowId);
    const finding = await examine();
    expect(finding).toMatchObject({ ok: false, fix: ERROR_CODES.ENCRYPTION_KEY_MISSING.remedy });
    expect(finding.found).toContain(`${workflowId} (stored data cannot be read.`);
    await sessions.get(key).cancel();
    await deploy(BOTH);
    const result = await startedWith(BOTH).get(key).result();
    expect(result).toMatchObject({ cancel: { outcome: 'neverCreated' } });
  });

  test('the key of an input without a memo', async () => {
    const deploy = await workers.start({ current: KEY });
    const plain = world.input(completing());
    const workflowId = workflowIdOf(plain.key);
    const input = await encrypted(plain, { current: LATER });
    await calls.start({ workflowId, input: [input] });
    await waiting(workflowId);
    const finding = await examine();
    expect(finding).toMatchObject({ ok: false, fix: ERROR_CODES.ENCRYPTION_KEY_MISSING.remedy });
    expect(finding.found).toContain(`${workflowId} (An argument cannot be read (key "later").`);
    await deploy(BOTH);
    expect(await world.client.workflow.getHandle(workflowId).result()).toBeDefined();
  });

  test('the key of its activities’ results', async () => {
    const sessions = startedWith(BOTH);
    const deploy = await workers.start({ current: LATER, earlier: [KEY] });
    const session = await sessions.start(world.input(leftOpen()));
    await stateOf(session, ({ phase }) => phase === 'open');
    await deploy({ current: KEY });
    await session.cancel();
    await waiting(session.workflowId);
    const finding = await examine();
    expect(finding.found).toContain(
      `${session.workflowId} (Stored data cannot be decrypted: no key has the id "later"`,
    );
    await deploy(BOTH);
    expect(await session.result()).toMatchObject({ status: 'Cancelled', cancel: { outcome: 'cancelled' } });
  });
});
