import { readCacheFolder } from '../settings';
import { findInCache } from './engine-cache';
import type { EngineExecutable } from './find-executable';
import { findOnPath } from './find-on-path';

/** The Temporal CLI that this machine has already, on the PATH or in the cache; downloads and builds nothing. */
export async function findOnMachine(
  env: NodeJS.ProcessEnv = process.env,
): Promise<EngineExecutable | undefined> {
  const onPath = await findOnPath(env).catch(() => undefined);
  if (onPath !== undefined) return { source: 'path', executable: onPath };
  const cached = await findInCache(readCacheFolder(env)).catch(() => undefined);
  return cached === undefined ? undefined : { source: 'cache', executable: cached };
}
