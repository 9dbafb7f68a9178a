import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { encryptedDataConverter, PaymentSessions } from '../../../../src';
import { keyedWorkers } from '../../../support/worlds/keyed-workers';
import { rawCalls } from '../../../support/raw-calls';
import { completing } from '../../../support/requests';
import { newKey } from '../../../support/undecryptable';
import { useWorld } from '../../../support/worlds/use-world';

// Workers of one task queue get a new encryption key while sessions are opened. The safe way has two deployments: the first
// appends the new key (workers can read it), and the second promotes it (workers encrypt with it).
const OLD = newKey('old');
const NEW = newKey('new');
const BEFORE = { current: OLD };
const APPENDED = { current: OLD, earlier: [NEW] };
const PROMOTED = { current: NEW, earlier: [OLD] };

const SESSIONS = 24;

const world = useWorld();
const workers = keyedWorkers(world);
let sessions: PaymentSessions;

beforeAll(async () => {
  await world.stopWorker();
  // This client has both keys, so it can read what each worker writes.
  const { connection } = world.client;
  const client = new Client({ connection, dataConverter: encryptedDataConverter(APPENDED) });
  sessions = new PaymentSessions(client, { taskQueue: world.taskQueue });
});

afterEach(async () => {
  await workers.stopAll();
});

const startAll = (count: number) =>
  Promise.all(Array.from({ length: count }, () => sessions.start(world.input(completing()))));

const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;

/** Expects that every session completes, with one create request each. */
async function allComplete(started: Awaited<ReturnType<typeof startAll>>, createsBefore: number) {
  const results = await Promise.all(started.map((session) => session.result()));
  for (const result of results) expect(result).toMatchObject({ status: 'Completed', anomalies: [] });
  expect(creates() - createsBefore).toBe(started.length);
  return started;
}

test('no session has to wait if a new encryption key is appended on all workers and then promoted', async () => {
  const deployA = await workers.start(BEFORE);
  const deployB = await workers.start(BEFORE);
  // All sessions have ended before a worker stops. Otherwise Temporal may hand a task to a worker that is stopping.
  const openSome = async () => allComplete(await startAll(SESSIONS / 4), creates());
  const opened = await openSome();
  for (const keys of [APPENDED, PROMOTED]) {
    await deployA(keys);
    opened.push(...(await openSome()));
    await deployB(keys);
  }
  opened.push(...(await openSome()));
  const calls = rawCalls(world);
  for (const { workflowId } of opened) expect(await calls.failedTasks(workflowId)).toBe(0);
});

test('if a new encryption key is promoted without being appended first, sessions wait, and all complete in the end', async () => {
  const before = creates();
  await workers.start(BEFORE);
  for (let count = 0; count < 3; count += 1) await workers.start(PROMOTED);
  await allComplete(await startAll(SESSIONS), before);
});
