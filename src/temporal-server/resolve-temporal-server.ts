import { readCacheFolder, readDigest } from '../settings';
import { findInCache, type CachedProgram } from './cache';
import { CLI_DIGESTS, digestFor, type Digests } from './digests';
import { findOnPath, officialDownload, searchProgram, type TemporalServerExecutable } from './program-search';
import { usualIntervalMs, whileReporting, type OnProgress, type Reports } from './progress';
import { runCommand } from './run-command';

/** The release of the Temporal CLI that paysession downloads or builds. It contains the Temporal server 1.29.1. */
const VERSION = '1.5.1';

const VERSION_TIMEOUT_MS = 20_000;

/** The Temporal CLI, which contains the server. */
const TEMPORAL_CLI: CachedProgram = {
  title: 'Temporal server',
  entry: `temporal-${VERSION}`,
  executableName: process.platform === 'win32' ? 'temporal.exe' : 'temporal',
  check: async (executable, env) => {
    const args = ['--version'];
    const output = await runCommand({ file: executable, args, env, timeoutMs: VERSION_TIMEOUT_MS });
    if (!/^temporal version /m.test(output)) throw new Error(`${executable} is not the Temporal CLI`);
  },
};

export interface ResolveTemporalServerOptions {
  /** Called with each line of progress. The last line says which server is used. @default none */
  readonly onProgress?: OnProgress;
  /** The interval at which a long step reports, in milliseconds. @default 3000 if standard error is a terminal, 15000 elsewhere */
  readonly progressIntervalMs?: number;
  /** The environment variables: settings, PATH, and the environment of `go` and `tar`. @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** The origin of the official download. @default 'https://temporal.download' */
  readonly downloadBaseUrl?: string;
  /**
   * The SHA-256 of the archive to download. If it is not known, nothing is downloaded.
   * @default PAYSESSION_TEMPORAL_SHA256, or the known digest for this machine
   */
  readonly sha256?: string;
  /** The SHA-256 of the official archives. @default the known digests */
  readonly digests?: Digests;
}

/**
 * Finds the Temporal CLI. Tries these ways, in this order: `temporal` on the PATH, the cache, the official download if its digest is
 * known, a build with Go. Does not search for a running server.
 *
 * Only one process at a time downloads or builds. Other processes wait and use the result. Throws `TemporalServerNotFoundError`. Throws
 * `SettingsError` if a setting is invalid.
 */
export async function resolveTemporalServer({
  onProgress = () => undefined,
  progressIntervalMs = usualIntervalMs(),
  env = process.env,
  downloadBaseUrl,
  digests = CLI_DIGESTS,
  sha256 = readDigest(env, 'PAYSESSION_TEMPORAL_SHA256') ?? digestFor(digests),
}: ResolveTemporalServerOptions = {}): Promise<TemporalServerExecutable> {
  const cacheFolder = readCacheFolder(env);
  const search = { onProgress, progressIntervalMs, program: TEMPORAL_CLI, cacheFolder, env };
  return await searchProgram({
    ...search,
    making: [
      officialDownload(`Temporal CLI ${VERSION}`, {
        ...search,
        downloadBaseUrl,
        sha256,
        sha256Setting: 'PAYSESSION_TEMPORAL_SHA256',
        archivePath: `cli/archive/v${VERSION}`,
      }),
      {
        way: 'build',
        label: 'built with Go',
        announcement: `Building the Temporal CLI ${VERSION} with Go, which takes a few minutes the first time …`,
        make: (folder) => buildWithGo([CLI_PACKAGE], folder, env, search),
      },
    ],
    advice: 'No Temporal server was found. Set TEMPORAL_ADDRESS, or install the Temporal CLI or Go.',
  });
}

const CLI_PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${VERSION}`;

const BUILD_TIMEOUT_MS = 15 * 60_000;

/** Builds Go packages into a folder, with the `go` on the PATH. If that fails, throws an `Error` that says why. */
export async function buildWithGo(
  packages: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv,
  reports: Reports,
): Promise<void> {
  await whileReporting(
    reports,
    (seconds) => `Building the Temporal server with Go: ${seconds} s`,
    () =>
      runCommand({
        file: 'go',
        args: ['install', ...packages],
        // Go runs in another folder, because the current folder may be inside a Go module or workspace.
        cwd: folder,
        env: { ...env, GOBIN: folder, GOWORK: 'off' },
        timeoutMs: BUILD_TIMEOUT_MS,
      }),
  );
}

/**
 * Finds a Temporal CLI on the PATH or in the cache. Returns `undefined` if there is none. Downloads and builds nothing. Throws
 * `SettingsError` if the setting of the cache folder is needed and malformed.
 */
export async function findOnMachine(
  env: NodeJS.ProcessEnv = process.env,
): Promise<TemporalServerExecutable | undefined> {
  const onPath = await findOnPath(TEMPORAL_CLI, env).catch(() => undefined);
  if (onPath !== undefined) return { source: 'path', executable: onPath };
  const place = { cacheFolder: readCacheFolder(env), program: TEMPORAL_CLI };
  const cached = await findInCache(place).catch(() => undefined);
  return cached === undefined ? undefined : { source: 'cache', executable: cached };
}
