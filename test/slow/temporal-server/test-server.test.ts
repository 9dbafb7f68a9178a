import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  TemporalServerNotFoundError,
  resolveTestServer,
  startTestServer,
} from '../../../src/temporal-server';
import { TEST_SERVER_DIGESTS } from '../../../src/temporal-server/digests';
import { runChild } from '../../support/temporal-server/child';
import {
  archiveListener,
  serveDownload,
  statusListener,
  type DownloadServer,
} from '../../support/temporal-server/download-server';
import { isolate, makeArchive, type Isolation } from '../../support/temporal-server/isolation';
import { ended, isRunning } from '../../support/temporal-server/processes';

const JAR = 'temporal-test-server-1.38.0.jar';

let machine: Isolation;
let noDownload: DownloadServer;

beforeEach(async () => {
  machine = await isolate();
  noDownload = await serveDownload(statusListener(404));
});

afterEach(async () => {
  noDownload.close();
  await machine.remove();
});

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const resolve = (libraries: Readonly<Record<string, string>> = { [JAR]: EMPTY }) =>
  resolveTestServer({
    env: machine.env,
    downloadBaseUrl: noDownload.url,
    sha256: EMPTY,
    libraries,
  });

/** A program in place of `mvn`. It expects the goal `copy-dependencies` of a pinned version of the plugin. */
const FAKE_MAVEN = `
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const goal = /^org[.]apache[.]maven[.]plugins:maven-dependency-plugin:[0-9.]+:copy-dependencies$/;
if (!process.argv.some((argument) => goal.test(argument))) throw new Error('the version of the plugin is not pinned');
const [, version] = /temporal-test-server<.artifactId>\\s*<version>(.*?)</.exec(readFileSync('pom.xml', 'utf8'));
mkdirSync('lib');
writeFileSync('lib/temporal-test-server-' + version + '.jar', '');
`;

const FAKE_JAVA = `console.log('Usage: <command> <port>', '--enable-time-skipping');`;

describe('Temporal’s test server', () => {
  test('comes from Maven if no download is possible, and then from the cache', async () => {
    await machine.install('mvn', FAKE_MAVEN);
    await machine.install('java', FAKE_JAVA);
    await machine.borrow('dirname');
    const executable = join(
      machine.cacheFolder,
      'temporal',
      'temporal-test-server-1.38.0',
      'temporal-test-server',
    );
    expect(await resolve()).toEqual({ source: 'maven', executable });
    expect(await resolve()).toEqual({ source: 'cache', executable });
    expect(noDownload.requests[0]).toMatch(/^\/temporal-test-server\/archive\/v1\.38\.0\?/);
  });

  test('is compared with the known digest for this machine, if there is one', async () => {
    const digest =
      TEST_SERVER_DIGESTS[`${process.platform} ${process.arch === 'x64' ? 'amd64' : process.arch}`];
    const archive = await makeArchive(machine.root, 'temporal-test-server', FAKE_JAVA);
    const server = await serveDownload(await archiveListener(archive));
    const reason = digest === undefined ? 'Set PAYSESSION_TEST_SERVER_SHA256' : `not ${digest}`;
    try {
      const { env } = machine;
      await expect(resolveTestServer({ env, downloadBaseUrl: server.url })).rejects.toMatchObject({
        attempts: expect.arrayContaining([{ way: 'download', reason: expect.stringContaining(reason) }]),
      });
    } finally {
      server.close();
    }
  });

  test.each([
    ['another library', { [JAR]: 'f'.repeat(64) }],
    ['a library that it does not need', {}],
    ['not all libraries', { [JAR]: EMPTY, 'guava.jar': EMPTY }],
  ])('does not run if Maven delivers %s', async (_, libraries) => {
    await machine.install('mvn', FAKE_MAVEN);
    await machine.install('java', FAKE_JAVA);
    await machine.borrow('dirname');
    await expect(resolve(libraries)).rejects.toThrow(TemporalServerNotFoundError);
  });

  test('is not found without a download, Maven and Java, and the error gives the reason for each way', async () => {
    const error: unknown = await resolve().catch((thrown: unknown) => thrown);
    const attempts = error instanceof TemporalServerNotFoundError ? error.attempts : undefined;
    expect(attempts?.map(({ way }) => way)).toEqual(['path', 'cache', 'download', 'maven']);
    expect(attempts?.at(-1)?.reason).toBe('mvn is not installed');
  });

  test('that cannot start is reported with the reason', async () => {
    await expect(startTestServer({ executable: join(machine.root, 'none') })).rejects.toMatchObject({
      code: 'TEMPORAL_UNAVAILABLE',
      message: expect.stringContaining('ENOENT'),
    });
  });

  test('exits once the process that started it is killed', async () => {
    const { executable } = await resolveTestServer();
    const child = runChild('start-test-server-in-child.ts', [executable], process.env);
    const pid = Number(await child.line((line) => /^\d+$/.test(line)));
    expect(isRunning(pid)).toBe(true);
    await child.kill();
    await ended(pid);
  });
});
