/** The settings for finding a Temporal server, and no more: code that starts one need not load the other settings. */
import { parseSettings, refuseFailures, type Environment } from './parse-settings';
import { cacheFolderOf } from '../files';

/** Returns the digest that a download must have; `undefined` if none is set. Throws `SettingsError` if it is not a SHA-256. */
export function readDigest(
  env: Environment,
  name: 'PAYSESSION_TEMPORAL_SHA256' | 'PAYSESSION_TEST_SERVER_SHA256',
): string | undefined {
  const { value, failures } = parseSettings(env, [name]);
  refuseFailures(failures);
  return value[name];
}

/** Returns the folder for a downloaded or built Temporal server, as an absolute path; it need not exist. Throws `SettingsError`. */
export function readCacheFolder(env: Environment = process.env): string {
  const { value, failures } = parseSettings(env, ['PAYSESSION_CACHE_DIR']);
  refuseFailures(failures);
  return cacheFolderOf({ ...env, ...value });
}
