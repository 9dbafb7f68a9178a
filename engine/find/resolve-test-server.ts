import { digestFor, TEST_SERVER_DIGESTS } from '../make/official-archives';
import { readCacheFolder, readDigest } from '../../src/settings/engine-settings';
import { assembleTestServer } from '../make/assemble-test-server';
import type * as Downloading from '../make/download-program';
import { fillCache, findInCache } from '../cache/engine-cache';
import { EngineNotFoundError } from './engine-not-found-error';
import { findOnPath } from './find-on-path';
import { searchProgram, type EngineExecutable } from './program-search';
import { usualIntervalMs, type OnProgress } from '../progress';
import { TEST_SERVER, TEST_SERVER_VERSION } from '../cache/test-server';

export interface ResolveTestServerOptions {
  /** Called with each line of progress; the last one says which server is used. @default none */
  readonly onProgress?: OnProgress;
  /** How often a long step reports, in milliseconds. @default 3000 where standard error is a terminal, 15000 elsewhere */
  readonly progressIntervalMs?: number;
  /** Settings, PATH and the environment of `mvn`, `java` and `tar`. @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** Origin of the official download. @default 'https://temporal.download' */
  readonly downloadBaseUrl?: string;
  /** SHA-256 of the archive to download. @default PAYSESSION_TEST_SERVER_SHA256, or the one that is known; without one, nothing is downloaded */
  readonly sha256?: string;
  /** SHA-256 of each library from Maven. @default those of its version */
  readonly libraries?: Readonly<Record<string, string>>;
}

/**
 * Finds Temporal's time-skipping test server: on the PATH, the cache, the official download if its digest is known, or its Java libraries from
 * Maven. Only one process at a time fills the cache; others wait and use its result. Throws `EngineNotFoundError`.
 */
export async function resolveTestServer(options: ResolveTestServerOptions = {}): Promise<EngineExecutable> {
  const { engine, attempts } = await search(options);
  if (engine !== undefined) return engine;
  throw new EngineNotFoundError(
    attempts,
    'Temporal’s test server was not found. Install Java 17 and Maven, or set PAYSESSION_TEST_SERVER_SHA256 to let it be downloaded.',
  );
}

function search({
  onProgress = () => undefined,
  progressIntervalMs = usualIntervalMs(),
  env = process.env,
  downloadBaseUrl = 'https://temporal.download',
  sha256 = readDigest(env, 'PAYSESSION_TEST_SERVER_SHA256') ?? digestFor(TEST_SERVER_DIGESTS),
  libraries,
}: ResolveTestServerOptions) {
  const program = TEST_SERVER;
  const cacheFolder = readCacheFolder(env);
  const making = { program, cacheFolder, env, onProgress, progressIntervalMs };
  return searchProgram({
    ...making,
    quick: [{ way: 'path', label: 'found on the PATH', find: () => findOnPath(program, env) }],
    cache: { way: 'cache', label: 'from the cache', find: () => findInCache(cacheFolder, program) },
    making: [
      {
        way: 'download',
        label: 'downloaded',
        find: () => {
          if (sha256 !== undefined)
            onProgress(`Downloading the Temporal test server ${TEST_SERVER_VERSION} …`);
          // A server that is there is started without an HTTP client.
          const { downloadProgram } = require('../make/download-program') as typeof Downloading;
          const archivePath = `temporal-test-server/archive/v${TEST_SERVER_VERSION}`;
          return fillCache({
            ...making,
            make: (folder) =>
              downloadProgram({
                ...making,
                downloadBaseUrl,
                sha256,
                sha256Setting: 'PAYSESSION_TEST_SERVER_SHA256',
                folder,
                archivePath,
                stripFolders: 1,
              }),
          });
        },
      },
      {
        way: 'maven',
        label: 'from Maven, run with Java',
        find: () => {
          onProgress(`Getting the Temporal test server with Maven …`);
          return fillCache({
            ...making,
            make: (folder) => assembleTestServer({ ...making, folder, libraries }),
          });
        },
      },
    ],
  });
}
