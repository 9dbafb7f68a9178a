/** What finding a Temporal server asks for, and no more: whoever starts one need not load what reads the other settings. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseSettings, readVariable, refuseFailures, type Environment } from './parse-settings';

/** The digest that a download must have; `undefined` if none is set. Throws `SettingsError` for what is no SHA-256. */
export function readDigest(
  env: Environment,
  name: 'PAYSESSION_ENGINE_SHA256' | 'PAYSESSION_TEST_SERVER_SHA256',
): string | undefined {
  const { value, failures } = parseSettings(env, [name]);
  refuseFailures(failures);
  return value[name];
}

/** The folder for a downloaded or built Temporal server, as an absolute path; it need not exist. */
export function readCacheFolder(env: Environment = process.env): string {
  const own = parseSettings(env, ['PAYSESSION_CACHE_DIR']).value.PAYSESSION_CACHE_DIR;
  if (own !== undefined) return resolve(own);
  const shared =
    readVariable(env, 'XDG_CACHE_HOME') ?? join(readVariable(env, 'HOME') ?? homedir(), '.cache');
  return resolve(shared, 'paysession');
}
