import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { resolveTemporalServer } from '../../../src/temporal-server';
import { runChild, type Child } from '../../support/temporal-server/child';
import {
  serveDownload,
  statusListener,
  type DownloadServer,
} from '../../support/temporal-server/download-server';
import { createGate, type Gate } from '../../support/temporal-server/gate';
import { fakeGo, isolate, type Isolation } from '../../support/temporal-server/isolation';

let machine: Isolation;
let noDownload: DownloadServer;
let gate: Gate;
let children: Child[];

beforeEach(async () => {
  machine = await isolate();
  noDownload = await serveDownload(statusListener(404));
  gate = await createGate();
  children = [];
  await machine.install('go', fakeGo(gate.port));
});

afterEach(async () => {
  await Promise.all(children.map((child) => child.kill()));
  noDownload.close();
  gate.close();
  await machine.remove();
});

function startResolving(): Child {
  const child = runChild('resolve-in-child.ts', [noDownload.url], machine.env);
  children.push(child);
  return child;
}

const isResult = (line: string) => line.startsWith('{');

test('a second process reports that it waits, and then uses the Temporal server that the first process has built', async () => {
  const building = gate.arrival();
  const first = startResolving();
  await building;
  const second = startResolving();
  await second.line((line) => line.startsWith('Another process is preparing the Temporal server'));
  gate.open();
  const results = await Promise.all([first.line(isResult), second.line(isResult)]);
  expect(results.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ source: 'build' }),
    expect.objectContaining({ source: 'cache' }),
  ]);
  expect(gate.arrivals()).toBe(1);
});

test('after a process was killed while it built the Temporal server, the next process removes the leftovers and builds it', async () => {
  const temporalFolder = join(machine.cacheFolder, 'temporal');
  const building = gate.arrival();
  const first = startResolving();
  await building;
  await first.kill();
  expect(await readdir(temporalFolder)).toEqual([
    'temporal-1.5.1.lock',
    expect.stringMatching(/^temporal-1\.5\.1\.partial-/),
  ]);

  await age(join(temporalFolder, 'temporal-1.5.1.lock'));
  const rebuilding = gate.arrival().then(() => {
    gate.open();
  });
  const temporal = await resolveTemporalServer({ env: machine.env, downloadBaseUrl: noDownload.url });
  await rebuilding;
  expect(temporal).toMatchObject({ source: 'build' });
  expect(await readdir(temporalFolder)).toEqual(['temporal-1.5.1']);
});

/** Sets a lock’s time back, as if its process had not renewed it for a minute. */
async function age(lock: string): Promise<void> {
  const aMinuteAgo = new Date(Date.now() - 60_000);
  await utimes(lock, aMinuteAgo, aMinuteAgo);
}
