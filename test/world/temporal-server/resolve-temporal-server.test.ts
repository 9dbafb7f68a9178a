import { existsSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  TemporalServerNotFoundError,
  resolveTemporalServer,
  type ResolveTemporalServerOptions,
} from '../../../src/temporal-server';
import { CLI_DIGESTS, sha256Of } from '../../../src/temporal-server/digests';
import { usualIntervalMs } from '../../../src/temporal-server/progress';
import {
  archiveListener,
  serveDownload,
  statusListener,
  type DownloadServer,
} from '../../support/temporal-server/download-server';
import { createGate, type Gate } from '../../support/temporal-server/gate';
import {
  FAKE_TEMPORAL,
  fakeGo,
  isolate,
  makeArchive,
  writeScript,
  type Isolation,
} from '../../support/temporal-server/isolation';

let machine: Isolation;
let noDownload: DownloadServer;
let gate: Gate;
let cached: string;

beforeEach(async () => {
  machine = await isolate();
  noDownload = await serveDownload(statusListener(404));
  gate = await createGate();
  cached = join(machine.cacheFolder, 'temporal', 'temporal-1.5.1', 'temporal');
});

afterEach(async () => {
  noDownload.close();
  gate.close();
  await machine.remove();
});

function resolve(options: ResolveTemporalServerOptions = {}) {
  return resolveTemporalServer({
    env: machine.env,
    downloadBaseUrl: noDownload.url,
    sha256: 'f'.repeat(64),
    ...options,
  });
}

test('resolveTemporalServer finds an executable although TEMPORAL_ADDRESS is set', async () => {
  await machine.install('temporal', FAKE_TEMPORAL);
  const env = { ...machine.env, TEMPORAL_ADDRESS: 'temporal.example:7233' };
  expect(await resolve({ env })).toEqual({
    source: 'path',
    executable: join(machine.root, 'bin', 'temporal'),
  });
});

describe('the Temporal server on the PATH', () => {
  test('is used rather than the one in the cache', async () => {
    await machine.install('temporal', FAKE_TEMPORAL);
    await fillCacheByHand();
    expect(await resolve()).toMatchObject({ source: 'path' });
  });

  test('is not used if the file `temporal` is another program', async () => {
    await machine.install('temporal', `console.log('a calendar');`);
    await fillCacheByHand();
    expect(await resolve()).toEqual({ source: 'cache', executable: cached });
  });
});

test('the Temporal server in the cache is used, and nothing is downloaded', async () => {
  await fillCacheByHand();
  expect(await resolve()).toEqual({ source: 'cache', executable: cached });
  expect(noDownload.requests).toEqual([]);
});

describe('the download of the Temporal server', () => {
  test('follows the redirect, fills the cache and prints that', async () => {
    await machine.borrow('tar');
    await machine.borrow('gzip');
    const archive = await makeArchive(machine.root, 'temporal', FAKE_TEMPORAL);
    const server = await serveDownload(await archiveListener(archive));
    const lines: string[] = [];
    try {
      const sha256 = await sha256Of(archive);
      const options = { downloadBaseUrl: server.url, sha256 };
      const temporal = await resolve({ ...options, onProgress: (line) => lines.push(line) });
      expect(temporal).toEqual({ source: 'download', executable: cached });
      expect(await resolve()).toEqual({ source: 'cache', executable: cached });
    } finally {
      server.close();
    }
    expect(server.requests[0]).toMatch(
      /^\/cli\/archive\/v1\.5\.1\?platform=(linux|darwin)&arch=(amd64|arm64)$/,
    );
    expect(lines).toContain(`Using the Temporal server ${cached} (downloaded)`);
    expect(await temporalFiles()).toEqual(['temporal-1.5.1']);
  });

  test.each([
    ['holds no `temporal`', 'other', FAKE_TEMPORAL],
    ['holds a `temporal` that does not run', 'temporal', 'process.exit(3);'],
  ])('does not fill the cache with an archive that %s', async (_what, name, script) => {
    await machine.borrow('tar');
    await machine.borrow('gzip');
    const archive = await makeArchive(machine.root, name, script);
    const server = await serveDownload(await archiveListener(archive));
    try {
      const sha256 = await sha256Of(archive);
      await expect(resolve({ downloadBaseUrl: server.url, sha256 })).rejects.toThrow(
        TemporalServerNotFoundError,
      );
    } finally {
      server.close();
    }
    expect(await temporalFiles()).toEqual([]);
  });

  test('is not unpacked and not run if the archive has an unexpected digest', async () => {
    await machine.borrow('tar');
    await machine.borrow('gzip');
    const ran = join(machine.root, 'ran');
    const script = `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '');`;
    const archive = await makeArchive(machine.root, 'temporal', script);
    const server = await serveDownload(await archiveListener(archive));
    try {
      await expect(resolve({ downloadBaseUrl: server.url })).rejects.toMatchObject({
        attempts: expect.arrayContaining([
          {
            way: 'download',
            reason: expect.stringContaining(`has the SHA-256 ${await sha256Of(archive)}, not`),
          },
        ]),
      });
    } finally {
      server.close();
    }
    expect(existsSync(ran)).toBe(false);
    expect(await temporalFiles()).toEqual([]);
  });

  test('is compared with the known digest for this machine', async () => {
    const machineKey = `${process.platform} ${process.arch === 'x64' ? 'amd64' : process.arch}`;
    expect(CLI_DIGESTS[machineKey]).toMatch(/^[\da-f]{64}$/);
    const archive = await makeArchive(machine.root, 'temporal', FAKE_TEMPORAL);
    const server = await serveDownload(await archiveListener(archive));
    try {
      const { env } = machine;
      await expect(resolveTemporalServer({ downloadBaseUrl: server.url, env })).rejects.toMatchObject({
        attempts: expect.arrayContaining([
          { way: 'download', reason: expect.stringContaining(`not ${String(CLI_DIGESTS[machineKey])}`) },
        ]),
      });
    } finally {
      server.close();
    }
  });

  test('is skipped if no digest is known', async () => {
    const { downloadBaseUrl, env } = { downloadBaseUrl: noDownload.url, env: machine.env };
    await expect(resolveTemporalServer({ downloadBaseUrl, env, digests: {} })).rejects.toMatchObject({
      attempts: expect.arrayContaining([
        { way: 'download', reason: expect.stringContaining('Set PAYSESSION_TEMPORAL_SHA256') },
      ]),
    });
    expect(noDownload.requests).toEqual([]);
    const wrong = { ...env, PAYSESSION_TEMPORAL_SHA256: 'none' };
    await expect(resolveTemporalServer({ downloadBaseUrl, env: wrong })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    });
  });

  test.each(['http://temporal.invalid/archive', 'http://169.254.169.254/archive'])(
    'does not follow a redirect over plain http to %s',
    async (location) => {
      const server = await serveDownload((_request, response) => {
        response.writeHead(302, { location }).end();
      });
      try {
        await expect(resolve({ downloadBaseUrl: server.url })).rejects.toMatchObject({
          attempts: expect.arrayContaining([
            { way: 'download', reason: expect.stringContaining('is not https') },
          ]),
        });
      } finally {
        server.close();
      }
    },
  );

  test('is followed by a build if it breaks off', async () => {
    await machine.install('go', fakeGo(gate.port));
    gate.open();
    const server = await serveDownload((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('only the beginning');
      response.destroy();
    });
    try {
      expect(await resolve({ downloadBaseUrl: server.url })).toMatchObject({ source: 'build' });
    } finally {
      server.close();
    }
  });
});

describe('the build of the Temporal server', () => {
  test('reports its progress, and fills the cache', async () => {
    await machine.install('go', fakeGo(gate.port));
    const lines: string[] = [];
    const temporal = await resolve({
      progressIntervalMs: 5,
      onProgress: (line) => {
        lines.push(line);
        if (/^Building the Temporal server with Go: \d+ s$/.test(line)) gate.open();
      },
    });
    expect(temporal).toEqual({ source: 'build', executable: cached });
    expect(lines.at(-1)).toBe(`Using the Temporal server ${cached} (built with Go)`);
    expect((await stat(cached)).mode & 0o111).not.toBe(0);
    expect(await temporalFiles()).toEqual(['temporal-1.5.1']);
  });

  test('reports every few seconds in a terminal, and four times a minute in a log', () => {
    expect([
      usualIntervalMs({ isTTY: true }),
      usualIntervalMs({ isTTY: false }),
      usualIntervalMs({}),
    ]).toEqual([3_000, 15_000, 15_000]);
  });

  test('leaves no files if it fails, and the error quotes its output', async () => {
    await machine.install('go', `console.error('go: no network'); process.exit(1);`);
    await expect(resolve()).rejects.toThrow('build: go failed (1): go: no network');
    expect(await temporalFiles()).toEqual([]);
  });
});

test('two simultaneous calls of resolveTemporalServer in one process build the server once', async () => {
  await machine.install('go', fakeGo(gate.port));
  gate.open();
  const temporalServers = await Promise.all([resolve(), resolve()]);
  expect(temporalServers.map(({ source }) => source).sort()).toEqual(['build', 'cache']);
  expect(gate.arrivals()).toBe(1);
});

test('if no Temporal server can be found, the error lists each way to get one and why it failed', async () => {
  const error: unknown = await resolve().catch((caught: unknown) => caught);
  if (!(error instanceof TemporalServerNotFoundError)) throw error;
  expect(error.code).toBe('TEMPORAL_NOT_FOUND');
  expect(error.attempts).toEqual([
    { way: 'path', reason: 'no `temporal` on the PATH' },
    { way: 'cache', reason: `${cached} does not exist` },
    { way: 'download', reason: expect.stringMatching(/\/cli\/archive\/v1\.5\.1.*: answered 404$/) },
    { way: 'build', reason: 'go is not installed' },
  ]);
  for (const { way, reason } of error.attempts) expect(error.message).toContain(`${way}: ${reason}`);
});

test('if the cache folder cannot be created, the error says that the Temporal server cannot be downloaded or built', async () => {
  const env = { ...machine.env, PAYSESSION_CACHE_DIR: join(process.execPath, 'cache') };
  await expect(resolve({ env })).rejects.toMatchObject({
    attempts: expect.arrayContaining([
      { way: 'download', reason: expect.stringContaining('the cache cannot be used') },
      { way: 'build', reason: expect.stringContaining('the cache cannot be used') },
    ]),
  });
});

async function fillCacheByHand(): Promise<void> {
  await mkdir(dirname(cached), { recursive: true });
  await writeScript(cached, FAKE_TEMPORAL);
}

function temporalFiles(): Promise<string[]> {
  return readdir(join(machine.cacheFolder, 'temporal'));
}
