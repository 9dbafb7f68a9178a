import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { check } from '../../../../cli/commands/keys-check';
import { encryptedDataConverter, PaymentSessions, type EncryptionKeys } from '../../../../src';
import { globalValue } from '../../../support/setup/global-values';
import { keyedWorkers } from '../../../support/worlds/keyed-workers';
import { rawCalls } from '../../../support/raw-calls';
import { completing, leftOpen } from '../../../support/requests';
import { newKey } from '../../../support/undecryptable';
import { stateOf, until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';

// Changes encryption keys in the steps that `paysession keys check` prints. Two workers are deployed one after the other.
const OLD = newKey('2031-05-01');
const NEW = newKey('2031-06-01');
const BEFORE = { current: OLD };
const APPENDED = { current: OLD, earlier: [NEW] };
const PROMOTED = { current: NEW, earlier: [OLD] };
const AFTER = { current: NEW };

const world = useWorld();
const TASK_QUEUE = `rolling-${randomUUID()}`;
const workers = keyedWorkers(world, TASK_QUEUE);
const calls = rawCalls(world);

beforeAll(() => world.stopWorker());
afterAll(() => workers.stopAll());

const sessionsWith = (keys: EncryptionKeys) => {
  const { connection } = world.client;
  const client = new Client({ connection, dataConverter: encryptedDataConverter(keys, { required: true }) });
  return new PaymentSessions(client, { taskQueue: TASK_QUEUE });
};

/** A worker that was replaced still counts for 75 seconds if its last poll came after the first poll of the new worker. */
const LISTED_MS = 90_000;

/** Waits until `keys check`, on a machine with these keys, prints this step with this text. */
const saysWith = async (encryption: EncryptionKeys, step: string, text: string) => {
  const settings = {
    connection: { address: globalValue('PAYSESSION_TEST_TEMPORAL') },
    namespace: 'default',
    taskQueue: TASK_QUEUE,
    encryption,
    encryptionRequired: true,
    addressIsSet: true,
  };
  const said = await until(
    () => check(settings, 100),
    ({ next }) => next.step === step && next.text.includes(text),
    LISTED_MS,
  );
  expect(said.next.ok).toBe(true);
};

test('a change of encryption keys in the steps of `keys check` parks no session and leaves no possible orphan', async () => {
  const requiring = (name: string) => ({ name, required: true });
  const a = await workers.start(BEFORE, requiring('a'));
  const b = await workers.start(BEFORE, requiring('b'));
  const ids: string[] = [];
  /** Starts sessions with a client that has these keys, and expects that all of them complete. */
  const pay = async (keys: EncryptionKeys) => {
    const some = [1, 2, 3, 4].map(() => sessionsWith(keys).start(world.input(completing())));
    for (const session of await Promise.all(some)) {
      ids.push(session.workflowId);
      expect(await session.result()).toMatchObject({ status: 'Completed', anomalies: [] });
    }
  };
  const long = await sessionsWith(BEFORE).start(world.input(leftOpen()));
  await stateOf(long, ({ phase }) => phase === 'open');
  await pay(BEFORE);
  await saysWith(BEFORE, 'none', 'This machine and all workers encrypt with 2031-05-01');

  await a(APPENDED, requiring('a'));
  await saysWith(BEFORE, 'append', `Append the key ${NEW.id} after the others on: this machine; b.`);
  await pay(BEFORE);
  await b(APPENDED, requiring('b'));
  await saysWith(APPENDED, 'promote', 'this machine; a; b');
  await pay(APPENDED);

  await b(PROMOTED, requiring('b'));
  await saysWith(APPENDED, 'promote', 'this machine; a.');
  await pay(APPENDED);
  await pay(PROMOTED);
  await a(PROMOTED, requiring('a'));
  await saysWith(PROMOTED, 'none', `Keep ${OLD.id}`);
  await pay(PROMOTED);

  expect(await sessionsWith(PROMOTED).get(long.key).cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
  await saysWith(PROMOTED, 'drop', `No open session needs ${OLD.id}`);
  await a(AFTER, requiring('a'));
  await b(AFTER, requiring('b'));
  await pay(AFTER);

  const creates = world.sandbox.calls.filter(({ route }) => route === 'create');
  expect(creates).toHaveLength(ids.length + 1);
  for (const id of [...ids, long.workflowId]) expect(await calls.failedTasks(id)).toBe(0);
}, 400_000);
