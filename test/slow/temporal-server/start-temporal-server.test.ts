import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import {
  resolveTemporalServer,
  startTemporalServer,
  type RunningTemporalServer,
  type StartTemporalServerOptions,
} from '../../../src/temporal-server';
import { runChild } from '../../support/temporal-server/child';
import { writeScript } from '../../support/temporal-server/isolation';
import { describeRights, modeOf, modesIn } from '../../support/rights';
import { ended, isRunning } from '../../support/temporal-server/processes';

let executable: string;
let folder: string;
let temporalServers: RunningTemporalServer[];

beforeAll(async () => {
  ({ executable } = await resolveTemporalServer());
}, 20 * 60_000);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paysession-temporal-'));
  temporalServers = [];
});

afterEach(async () => {
  await Promise.all(temporalServers.map((temporal) => temporal.stop()));
  await rm(folder, { recursive: true, force: true });
});

async function start(options: Partial<StartTemporalServerOptions> = {}): Promise<RunningTemporalServer> {
  const temporal = await startTemporalServer({ executable, ...options });
  temporalServers.push(temporal);
  return temporal;
}

async function withClient<T>(address: string, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

async function searchAttributes(address: string): Promise<Readonly<Record<string, unknown>>> {
  return withClient(address, async ({ connection }) => {
    const listed = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
    return listed.customAttributes;
  });
}

test('startTemporalServer starts a server on the loopback address, with the search attributes, that runs until it is stopped', async () => {
  const temporal = await start({ searchAttributes: ['PaymentSessionStatus', 'PaymentSessionCode'] });
  expect(temporal.address).toMatch(/^127\.0\.0\.1:\d+$/);
  expect(temporal.uiUrl).toBeUndefined();
  expect(Object.keys(await searchAttributes(temporal.address))).toEqual(
    expect.arrayContaining(['PaymentSessionStatus', 'PaymentSessionCode']),
  );
  await Promise.all([temporal.stop(), temporal.stop()]);
  await temporal.exited;
  expect(isRunning(temporal.pid)).toBe(false);
});

test('startTemporalServer creates the requested namespace', async () => {
  const { address } = await start({ namespace: 'payments' });
  const described = await withClient(address, ({ workflowService }) =>
    workflowService.describeNamespace({ namespace: 'payments' }),
  );
  expect(described.namespaceInfo?.name).toBe('payments');
});

test('startTemporalServer serves the web UI if it is requested', async () => {
  const { uiUrl = '' } = await start({ uiPort: 0 });
  expect((await fetch(uiUrl)).status).toBe(200);
});

test('startTemporalServer stores its state in a database file, and adds new search attributes at a later start', async () => {
  const databaseFile = join(folder, 'data', 'temporal.db');
  const first = await start({ databaseFile, searchAttributes: ['PaymentSessionStatus'] });
  await withClient(first.address, ({ workflow }) =>
    workflow.start('neverRuns', { workflowId: 'kept', taskQueue: 'nobody', args: [] }),
  );
  await first.stop();

  const second = await start({
    databaseFile,
    searchAttributes: ['PaymentSessionStatus', 'PaymentSessionCode'],
  });
  const { type } = await withClient(second.address, ({ workflow }) => workflow.getHandle('kept').describe());
  expect(type).toBe('neverRuns');
  expect(Object.keys(await searchAttributes(second.address))).toEqual(
    expect.arrayContaining(['PaymentSessionStatus', 'PaymentSessionCode']),
  );
});

test.each(['port', 'uiPort'] as const)('startTemporalServer refuses a %s that is taken', async (name) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  try {
    const { port } = other.address() as AddressInfo;
    await expect(start({ [name]: port })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: expect.stringContaining(String(port)),
    });
  } finally {
    other.close();
    await once(other, 'close');
  }
});

describe('a Temporal server that does not start', () => {
  async function startFake(
    script: string,
    options: Partial<StartTemporalServerOptions> = {},
  ): Promise<unknown> {
    const fake = join(folder, 'temporal');
    await writeScript(fake, script);
    return start({ executable: fake, ...options }).catch((error: unknown) => error);
  }

  test('because its process exits is reported with its output, which is also in the log file', async () => {
    const logFile = join(folder, 'temporal.log');
    const error = await startFake(`console.error('the disk is full'); process.exitCode = 1;`, { logFile });
    expect(error).toMatchObject({
      code: 'TEMPORAL_UNAVAILABLE',
      message: expect.stringContaining('the disk is full'),
    });
    expect(await readFile(logFile, 'utf8')).toBe('the disk is full\n');
  });

  test('because it panics is reported with the reason, without pages of stack traces', async () => {
    const error = await startFake(
      `console.error('panic: no such table\\n\\ngoroutine 1 [running]:\\n' + 'main.main()\\n'.repeat(1000)); process.exitCode = 2;`,
    );
    expect(error).toMatchObject({ message: expect.stringMatching(/did not start\. panic: no such table$/) });
  });

  test('in time is stopped', async () => {
    const script = `console.log('pid ' + process.pid + '.'); setInterval(() => {}, 1000);`;
    const error = await startFake(script, { startTimeoutMs: 500 });
    expect(error).toMatchObject({ message: expect.stringContaining('was not ready within 500 ms') });
    const [, pid] = /pid (\d+)\./.exec(String(error)) ?? [];
    expect(isRunning(Number(pid))).toBe(false);
  });

  test('because the executable does not exist is reported with that reason', async () => {
    await expect(start({ executable: join(folder, 'nothing') })).rejects.toMatchObject({
      code: 'TEMPORAL_UNAVAILABLE',
      message: expect.stringContaining('ENOENT'),
    });
  });
});

test('a Temporal server exits once the process that started it is killed', async () => {
  const child = runChild('start-in-child.ts', [executable], process.env);
  try {
    const { pid } = JSON.parse(await child.line((line) => line.startsWith('{'))) as { pid: number };
    expect(isRunning(pid)).toBe(true);
    await child.kill();
    await ended(pid);
  } finally {
    await child.kill();
  }
});

describeRights('the database file of a Temporal server', () => {
  let umask: number;

  beforeEach(() => {
    umask = process.umask(0);
  });

  afterEach(() => {
    process.umask(umask);
  });

  test('and the files next to it are readable only by their owner, also with a permissive umask or after permissive modes', async () => {
    const data = join(folder, 'data');
    const databaseFile = join(data, 'temporal.db');
    const first = await start({ databaseFile });
    expect([modeOf(data), new Set(Object.values(modesIn(data)))]).toEqual(['700', new Set(['600'])]);
    await first.stop();
    for (const file of Object.keys(modesIn(data))) await chmod(join(data, file), 0o644);
    await start({ databaseFile });
    expect(new Set(Object.values(modesIn(data)))).toEqual(new Set(['600']));
  });

  test('does not change the rights of an existing folder and its other files', async () => {
    const shared = join(folder, 'shared');
    await mkdir(shared, { mode: 0o755 });
    await writeFile(join(shared, 'notes.txt'), '');
    await start({ databaseFile: join(shared, 'temporal.db') });
    const { 'notes.txt': notes, ...ours } = modesIn(shared);
    expect([modeOf(shared), notes, new Set(Object.values(ours))]).toEqual(['755', '666', new Set(['600'])]);
  });
});
