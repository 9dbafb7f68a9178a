import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { encryptedDataConverter, PaymentSessions } from '../../../../src';
import { keyedWorkers } from '../../../support/worlds/keyed-workers';
import { rawCalls } from '../../../support/raw-calls';
import { completing } from '../../../support/requests';
import { newKey } from '../../../support/undecryptable';
import { useWorld } from '../../../support/worlds/use-world';

/** Deploys new encryption keys to workers that share a task queue, while sessions are opened. */
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
  // This client reads what either worker wrote.
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

/** Expects that every session completes, and that each was created once. */
async function allComplete(started: Awaited<ReturnType<typeof startAll>>, createsBefore: number) {
  const results = await Promise.all(started.map((session) => session.result()));
  for (const result of results) expect(result).toMatchObject({ status: 'Completed', anomalies: [] });
  expect(creates() - createsBefore).toBe(started.length);
  return started;
}

test('a new encryption key that is appended on all workers before it is promoted stops no session', async () => {
  const deployA = await workers.start(BEFORE);
  const deployB = await workers.start(BEFORE);
  // No session is under way while a worker stops: the Temporal server may give a task to a worker that no longer takes it.
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

test('a new encryption key that is promoted at once makes sessions wait, and loses none', async () => {
  const before = creates();
  await workers.start(BEFORE);
  for (let count = 0; count < 3; count += 1) await workers.start(PROMOTED);
  await allComplete(await startAll(SESSIONS), before);
});
