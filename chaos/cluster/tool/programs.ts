import { dirname, join } from 'node:path';
import type { OnProgress } from '../../../src/temporal-server';
import type { CachedProgram } from '../../../src/temporal-server/cache';
import { searchProgram } from '../../../src/temporal-server/program-search';
import { runCommand } from '../../../src/temporal-server/run-command';
import { readCacheFolder } from '../../../src/settings';
import { buildWithGo } from '../../../src/temporal-server/resolve-temporal-server';

/** The release of the Temporal server. `docker-compose.yml` runs the same release. */
export const SERVER_VERSION = '1.32.0';

const MODULE = 'go.temporal.io/server/cmd';

/** The programs that the cluster runs, as absolute paths. */
export interface ClusterPrograms {
  readonly server: string;
  /** The program that creates the databases. It contains their schema. */
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
 * Finds the server and its SQL tool in the cache folder of the development server. If they are missing, builds them with the `go` on the
 * PATH, which takes minutes. Throws `TemporalServerNotFoundError` if the build fails.
 */
export async function resolveClusterPrograms(
  onProgress: OnProgress = () => undefined,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ClusterPrograms> {
  const reports = { onProgress, progressIntervalMs: 10_000 };
  const packages = ['server', 'tools/sql'].map((name) => `${MODULE}/${name}@v${SERVER_VERSION}`);
  const { executable } = await searchProgram({
    ...reports,
    program: SERVER,
    cacheFolder: readCacheFolder(env),
    env,
    ignoresPath: true,
    making: [
      {
        way: 'build',
        label: 'built with Go',
        make: (folder) => buildWithGo(packages, folder, env, reports),
      },
    ],
    advice: 'No Temporal server for a cluster was found. Install Go.',
  });
  return { server: executable, sqlTool: join(dirname(executable), SQL_TOOL) };
}
