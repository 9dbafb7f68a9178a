import { buildEngine } from '../make/build-engine';
import { downloadProgram } from '../make/download-program';
import { fillCache, findInCache } from '../cache/engine-cache';
import { CLI_VERSION, TEMPORAL_CLI } from '../cache/temporal-cli';
import { findOnPath } from './find-on-path';
import { searchProgram, type SearchResult } from './program-search';
import type { OnProgress } from '../progress';

export interface ExecutableSearch {
  readonly cacheFolder: string;
  readonly downloadBaseUrl: string;
  /** Of the archive that is downloaded. */
  readonly sha256: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: OnProgress;
  readonly progressIntervalMs: number;
}

/** The Temporal CLI: on the PATH, in the cache, downloaded or built. */
export function findExecutable(search: ExecutableSearch): Promise<SearchResult> {
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
            `Building the Temporal CLI ${CLI_VERSION} with Go, which takes minutes the first time …`,
          );
          return fill((folder) => buildEngine({ ...search, folder }));
        },
      },
    ],
  });
}
