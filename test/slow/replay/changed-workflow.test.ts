import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { replayHistories, type RecordedHistory } from '../../../testkit';
import { bundled } from '../../support/setup/bundled';
import { globalValue } from '../../support/setup/global-values';
import { quietRuntime } from '../../../testkit/histories/replay-worker';

/**
 * Three versions of a small workflow show how to change the commands of a released workflow. `released` is the old code. `changed`
 * adds a command. `patched` adds the same command with `patched()`, so that only sessions that begin with the new code run it.
 */
const VERSIONS = {
  released: require.resolve('../../replay/changes/released'),
  changed: require.resolve('../../replay/changes/changed'),
  patched: require.resolve('../../replay/changes/patched'),
} as const;
type Version = keyof typeof VERSIONS;

let connection: Connection;
let workers: NativeConnection;

beforeAll(async () => {
  quietRuntime();
  const address = globalValue('PAYSESSION_TEST_TEMPORAL');
  connection = await Connection.connect({ address });
  workers = await NativeConnection.connect({ address });
});

afterAll(async () => {
  await workers.close();
  await connection.close();
});

/** Runs a session to its end on a worker with this version, and returns the history. */
async function recorded(version: Version): Promise<RecordedHistory> {
  const taskQueue = `changes-${randomUUID()}`;
  const worker = await Worker.create({
    connection: workers,
    taskQueue,
    workflowBundle: await bundled(VERSIONS[version]),
    activities: {
      authenticate: () => Promise.resolve(),
      create: () => Promise.resolve('session-1'),
      follow: (id: string) => Promise.resolve(`${id} is paid`),
    },
  });
  return worker.runUntil(async () => {
    const { workflow } = new Client({ connection });
    const session = await workflow.start('smallSession', { taskQueue, workflowId: randomUUID() });
    expect(await session.result()).toBe('session-1 is paid');
    return { name: version, history: await session.fetchHistory() };
  });
}

async function divergencesOn(version: Version, history: RecordedHistory) {
  const { codePath: bundlePath } = await bundled(VERSIONS[version]);
  return (await replayHistories([history], { bundlePath })).divergences;
}

describe('a change of a released workflow’s commands', () => {
  test('without patched() breaks the replay of older sessions', async () => {
    const history = await recorded('released');
    expect(await divergencesOn('released', history)).toEqual([]);
    expect(await divergencesOn('changed', history)).toMatchObject([
      { event: { type: 'activityTaskScheduled' }, message: expect.stringMatching(/nondeterminism/i) },
    ]);
  });

  test('with patched() lets older sessions and new sessions replay', async () => {
    expect(await divergencesOn('patched', await recorded('released'))).toEqual([]);
    expect(await divergencesOn('patched', await recorded('patched'))).toEqual([]);
  });

  test('with patched() cannot be rolled back: new sessions do not replay with the released code', async () => {
    expect(await divergencesOn('released', await recorded('patched'))).toHaveLength(1);
  });
});
