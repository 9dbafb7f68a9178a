/**
 * Reads the settings for finding a Temporal server. This file is separate, because it must not load any of Temporal's packages.
 */
import { readAll, type Environment } from './parse-settings';
import { cacheFolderOf } from '../files';

/**
 * Returns the digest that a download must have; `undefined` if the setting is unset. Throws `SettingsError` if it is not a
 * SHA-256.
 */
export function readDigest(
  env: Environment,
  name: 'PAYSESSION_TEMPORAL_SHA256' | 'PAYSESSION_TEST_SERVER_SHA256',
): string | undefined {
  return readAll(env, (settings) => settings.read(name));
}

/**
 * Returns the absolute path of the cache folder, which may not exist yet. Throws `SettingsError` if the setting is malformed.
 */
export function readCacheFolder(env: Environment = process.env): string {
  const PAYSESSION_CACHE_DIR = readAll(env, (settings) => settings.read('PAYSESSION_CACHE_DIR'));
  return cacheFolderOf({ ...env, PAYSESSION_CACHE_DIR });
}
