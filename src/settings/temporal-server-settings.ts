/** Reads the settings for finding a Temporal server. They are in a file of their own, which loads none of Temporal's packages. */
import { readAll, type Environment } from './parse-settings';
import { cacheFolderOf } from '../files';

/** Returns the digest that a download must have; `undefined` if none is set. Throws `SettingsError` if it is not a SHA-256. */
export function readDigest(
  env: Environment,
  name: 'PAYSESSION_TEMPORAL_SHA256' | 'PAYSESSION_TEST_SERVER_SHA256',
): string | undefined {
  return readAll(env, (settings) => settings.read(name));
}

/** Returns the cache folder as an absolute path; it need not exist. Throws `SettingsError` if the setting is malformed. */
export function readCacheFolder(env: Environment = process.env): string {
  const PAYSESSION_CACHE_DIR = readAll(env, (settings) => settings.read('PAYSESSION_CACHE_DIR'));
  return cacheFolderOf({ ...env, PAYSESSION_CACHE_DIR });
}
