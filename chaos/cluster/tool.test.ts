import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runChild, type Child } from '../../test/support/temporal-server/child';
import { ended, isRunning } from '../../test/support/temporal-server/processes';
import { useCluster } from './support/use-cluster';

const cluster = useCluster();

const pidOf = (name: string) => cluster.nodes.find((node) => node.name === name)?.pid;

test('a cluster has two nodes of each service that sessions depend on', () => {
  expect(cluster.nodes.map(({ name }) => name)).toEqual([
    'frontend-1',
    'frontend-2',
    'history-1',
    'history-2',
    'matching-1',
    'matching-2',
    'worker-1',
  ]);
  expect(cluster.nodes.every(({ pid }) => pid !== undefined && isRunning(pid))).toBe(true);
});

test('a killed node has no process until it is started again', async () => {
  const before = pidOf('matching-2');
  await cluster.killNode('matching-2');
  expect(pidOf('matching-2')).toBeUndefined();
  expect(isRunning(before ?? 0)).toBe(false);
  await expect(cluster.killNode('matching-2')).rejects.toThrow('matching-2 is down already');
  await cluster.startNode('matching-2');
  expect(pidOf('matching-2')).not.toBe(before);
  await expect(cluster.startNode('matching-2')).rejects.toThrow('matching-2 runs already');
});

test('a restart of PostgreSQL replaces its process', async () => {
  const before = cluster.databasePid;
  await cluster.restartDatabase();
  expect(cluster.databasePid).not.toBe(before);
  expect(isRunning(before)).toBe(false);
});

test('killNode refuses an unknown name with an error that lists all names', async () => {
  await expect(cluster.killNode('history-3')).rejects.toThrow(/no node history-3, only frontend-1, /);
});

let folder: string;
let child: Child;

beforeAll(async () => {
  // PostgreSQL may run as another user. That user must be able to delete its own files in this folder.
  folder = await mkdtemp(join(tmpdir(), 'paysession-killed-'));
  await chmod(folder, 0o711);
  child = runChild('../../cluster/support/start-in-child.ts', [], { ...process.env, TMPDIR: folder });
});

afterAll(async () => {
  await child.kill();
  await rm(folder, { recursive: true, force: true });
});

test('if the process that started a cluster is killed, all processes of the cluster end', async () => {
  const pids = JSON.parse(await child.line((line) => line.startsWith('['))) as number[];
  expect(pids).toHaveLength(8);
  expect(pids.every(isRunning)).toBe(true);
  await child.kill();
  await Promise.all(pids.map((pid) => ended(pid)));
});
