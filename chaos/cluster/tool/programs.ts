import { dirname, join } from 'node:path';
import { EngineNotFoundError, type OnProgress } from '../../../engine';
import { fillCache, findInCache } from '../../../engine/cache/engine-cache';
import type { CachedProgram } from '../../../engine/cache/cached-program';
import { searchProgram } from '../../../engine/find/program-search';
import { buildEngine } from '../../../engine/make/build-engine';
import { runCommand } from '../../../engine/run-command';
import { readCacheFolder } from '../../../src/settings';

/** The release of Temporal’s server that the development server holds, too. */
const SERVER_VERSION = '1.29.1';

const MODULE = 'go.temporal.io/server/cmd';

/** What the cluster runs, as absolute paths. */
export interface ClusterPrograms {
  readonly server: string;
  /** Makes the schema, which it holds. */
  readonly sqlTool: string;
}

const SQL_TOOL = 'sql';
const VERSION_TIMEOUT_MS = 20_000;

const SERVER: CachedProgram = {
  title: 'Temporal server of a cluster',
  entry: `temporal-cluster-${SERVER_VERSION}`,
  executableName: 'server',
  check: async (executable, env) => {
    for (const file of [executable, join(dirname(executable), SQL_TOOL)]) {
      const output = await runCommand({ file, args: ['--version'], env, timeoutMs: VERSION_TIMEOUT_MS });
      if (!output.includes(SERVER_VERSION)) throw new Error(`${file} is not of version ${SERVER_VERSION}`);
    }
  },
};

/**
 * Finds the server and its SQL tool in the cache, beside the development server, or builds them with the `go` on the PATH,
 * which takes minutes. Throws `EngineNotFoundError`.
 */
export async function resolveClusterPrograms(
  onProgress: OnProgress = () => undefined,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ClusterPrograms> {
  const making = {
    program: SERVER,
    cacheFolder: readCacheFolder(env),
    env,
    onProgress,
    progressIntervalMs: 10_000,
  };
  const packages = ['server', 'tools/sql'].map((name) => `${MODULE}/${name}@v${SERVER_VERSION}`);
  const { engine, attempts } = await searchProgram({
    ...making,
    quick: [],
    cache: { way: 'cache', label: 'from the cache', find: () => findInCache(making.cacheFolder, SERVER) },
    making: [
      {
        way: 'build',
        label: 'built with Go',
        find: () => fillCache({ ...making, make: (folder) => buildEngine({ ...making, folder, packages }) }),
      },
    ],
  });
  if (engine === undefined)
    throw new EngineNotFoundError(attempts, 'No Temporal server for a cluster was found. Install Go.');
  return { server: engine.executable, sqlTool: join(dirname(engine.executable), SQL_TOOL) };
}
