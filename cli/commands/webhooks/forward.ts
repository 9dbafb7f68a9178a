import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { leadsHere } from '../../../src/contract/values/loopback';
import { PaysessionError, SettingsError } from '../../../src/errors';
import { systemCode } from '../../../src/files';
import { isWebhookUrl } from '../../../src/settings/webhooks/address';
import { isSecret, SECRET_RULE } from '../../../src/settings/webhooks/secret';
import { openDataFolder } from '../../shared/data-folder';
import { newSecret } from './new-secret';

/** The options for the secret with which messages to a receiver on this machine are signed. */
export interface ForwardSecretOptions {
  readonly secret?: string;
  readonly data: string;
}

/** The name of the file in the data folder that keeps the secret. */
const SECRET_FILE = 'listen-secret.txt';

/**
 * Returns the secret that the options give. If they give none, returns the secret in the data folder. The first run creates that secret, and later runs
 * use it again. Throws `PaysessionError` `INVALID_FILE` if the file cannot be used.
 */
export async function forwardSecret({ secret, data }: ForwardSecretOptions): Promise<string> {
  if (secret !== undefined) return secret;
  openDataFolder(data);
  const file = join(data, SECRET_FILE);
  try {
    await writeFile(file, `${newSecret()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    if (systemCode(cause) !== 'EEXIST') throw unusable(file, 'cannot be written', cause);
  }
  const kept = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw unusable(file, 'cannot be read', cause);
  });
  if (!isSecret(kept.trim())) throw unusable(file, SECRET_RULE);
  return kept.trim();
}

const unusable = (file: string, why: string, cause?: unknown): PaysessionError =>
  new PaysessionError('INVALID_FILE', `The secret’s file ${file} ${why}. Remove it, or pass --secret.`, {
    cause,
  });

/** Checks that a URL leads to this machine. If it does not, throws `SettingsError` with advice about other URLs. */
export function checkHere(path: string, url: string, advice: string): void {
  if (isWebhookUrl(url, true) && leadsHere(new URL(url).hostname)) return;
  const message = `must be a URL of this machine, such as http://localhost:3000/webhooks; ${advice}`;
  throw new SettingsError([{ path, message }]);
}
