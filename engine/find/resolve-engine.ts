import { readCacheFolder, readDigest, readTemporalSettings } from '../../src/settings';
import { CLI_DIGESTS, digestFor, type Digests } from '../make/official-archives';
import { usualIntervalMs, type OnProgress } from '../progress';
import { buildEngine } from '../make/build-engine';
import { downloadProgram } from '../make/download-program';
import { fillCache, findInCache } from '../cache/engine-cache';
import { CLI_VERSION, TEMPORAL_CLI } from '../cache/temporal-cli';
import { EngineNotFoundError } from './engine-not-found-error';
import { type EngineExecutable, searchProgram, type SearchResult } from './program-search';
import { findOnPath } from './find-on-path';

/** A Temporal server that runs elsewhere. */
export interface EngineAddress {
  readonly source: 'address';
  /** HOST:PORT. */
  readonly address: string;
}

export type ResolvedEngine = EngineAddress | EngineExecutable;

export interface ResolveEngineOptions {
  /** A server to use before anything else, as HOST:PORT. @default TEMPORAL_ADDRESS */
  readonly address?: string;
  /** Looks for an executable even where an address is set. @default false */
  readonly ignoreAddress?: boolean;
  /** Called with each line of progress; the last one says which server is used. @default none */
  readonly onProgress?: OnProgress;
  /** How often a long step reports, in milliseconds. @default 3000 where standard error is a terminal, 15000 elsewhere */
  readonly progressIntervalMs?: number;
  /** Settings, PATH and the environment of `go` and `tar`. @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** Origin of the official download. @default 'https://temporal.download' */
  readonly downloadBaseUrl?: string;
  /** SHA-256 of the archive to download. @default PAYSESSION_ENGINE_SHA256, or the one that is known; without one, nothing is downloaded */
  readonly sha256?: string;
  /** SHA-256 of the official archives. @default those that are known */
  readonly digests?: Digests;
}

/**
 * Finds a Temporal server: an address that is set, `temporal` on the PATH, the cache, the official download if its digest is known, a build
 * with Go. Only one process at a time downloads or builds; others wait and use its result. Throws
 * `EngineNotFoundError`.
 */
export function resolveEngine(
  options: ResolveEngineOptions & { readonly ignoreAddress: true },
): Promise<EngineExecutable>;

export function resolveEngine(options?: ResolveEngineOptions): Promise<ResolvedEngine>;

export async function resolveEngine(options: ResolveEngineOptions = {}): Promise<ResolvedEngine> {
  const { onProgress = ignoreProgress, env = process.env } = options;
  const address = options.ignoreAddress === true ? undefined : (options.address ?? readAddress(env));
  if (address !== undefined) {
    onProgress(`Using the Temporal server at ${address}`);
    return { source: 'address', address };
  }
  const search = {
    cacheFolder: readCacheFolder(env),
    downloadBaseUrl: options.downloadBaseUrl ?? 'https://temporal.download',
    sha256:
      options.sha256 ??
      readDigest(env, 'PAYSESSION_ENGINE_SHA256') ??
      digestFor(options.digests ?? CLI_DIGESTS),
    env,
    onProgress,
    progressIntervalMs: options.progressIntervalMs ?? usualIntervalMs(),
  };
  const { engine, attempts } = await findExecutable(search);
  if (engine !== undefined) return engine;
  const reason = options.ignoreAddress === true ? 'not wanted here' : 'TEMPORAL_ADDRESS is not set';
  throw new EngineNotFoundError([{ way: 'address', reason }, ...attempts]);
}

function readAddress(env: NodeJS.ProcessEnv): string | undefined {
  const { addressIsSet, connection } = readTemporalSettings(env);
  return addressIsSet ? connection.address : undefined;
}

function ignoreProgress(): void {
  return undefined;
}

interface ExecutableSearch {
  readonly cacheFolder: string;
  readonly downloadBaseUrl: string;
  /** Of the archive that is downloaded. */
  readonly sha256: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: OnProgress;
  readonly progressIntervalMs: number;
}

/** The Temporal CLI: on the PATH, in the cache, downloaded or built. */
function findExecutable(search: ExecutableSearch): Promise<SearchResult> {
  const { cacheFolder, env, onProgress } = search;
  const program = TEMPORAL_CLI;
  const fill = (make: (workFolder: string) => Promise<void>) =>
    fillCache({ cacheFolder, program, env, make });
  return searchProgram({
    ...search,
    program,
    quick: [{ way: 'path', label: 'found on the PATH', find: () => findOnPath(program, env) }],
    cache: { way: 'cache', label: 'from the cache', find: () => findInCache(cacheFolder, program) },
    making: [
      {
        way: 'download',
        label: 'downloaded',
        find: () => {
          if (search.sha256 !== undefined) onProgress(`Downloading the Temporal CLI ${CLI_VERSION} …`);
          return fill((folder) =>
            downloadProgram({
              ...search,
              program,
              folder,
              sha256Setting: 'PAYSESSION_ENGINE_SHA256',
              archivePath: `cli/archive/v${CLI_VERSION}`,
            }),
          );
        },
      },
      {
        way: 'build',
        label: 'built with Go',
        find: () => {
          onProgress(
            `Building the Temporal CLI ${CLI_VERSION} with Go, which takes a few minutes the first time …`,
          );
          return fill((folder) => buildEngine({ ...search, folder }));
        },
      },
    ],
  });
}

/** The Temporal CLI that this machine has already, on the PATH or in the cache; downloads and builds nothing. */
export async function findOnMachine(
  env: NodeJS.ProcessEnv = process.env,
): Promise<EngineExecutable | undefined> {
  const onPath = await findOnPath(TEMPORAL_CLI, env).catch(() => undefined);
  if (onPath !== undefined) return { source: 'path', executable: onPath };
  const cached = await findInCache(readCacheFolder(env), TEMPORAL_CLI).catch(() => undefined);
  return cached === undefined ? undefined : { source: 'cache', executable: cached };
}
