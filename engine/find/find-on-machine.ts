import { readCacheFolder } from '../../src/settings';
import { TEMPORAL_CLI } from '../cache/temporal-cli';
import { findInCache } from '../cache/engine-cache';
import type { EngineExecutable } from './program-search';
import { findOnPath } from './find-on-path';

/** The Temporal CLI that this machine has already, on the PATH or in the cache; downloads and builds nothing. */
export async function findOnMachine(
  env: NodeJS.ProcessEnv = process.env,
): Promise<EngineExecutable | undefined> {
  const onPath = await findOnPath(TEMPORAL_CLI, env).catch(() => undefined);
  if (onPath !== undefined) return { source: 'path', executable: onPath };
  const cached = await findInCache(readCacheFolder(env), TEMPORAL_CLI).catch(() => undefined);
  return cached === undefined ? undefined : { source: 'cache', executable: cached };
}
