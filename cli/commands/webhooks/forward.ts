import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { leadsHere } from '../../../src/contract/values/loopback';
import { PaysessionError, SettingsError } from '../../../src/errors';
import { systemCode } from '../../../src/files';
import { isWebhookUrl } from '../../../src/settings/webhooks/address';
import { isSecret, SECRET_RULE } from '../../../src/settings/webhooks/secret';
import { openDataFolder } from '../../shared/data-folder';
import { newSecret } from './new-secret';

/** Options for the secret that signs messages to a receiver of this machine. */
export interface ForwardSecretOptions {
  readonly secret?: string;
  readonly data: string;
}

/** The secret's file in the data folder. */
const SECRET_FILE = 'listen-secret.txt';

/**
 * Returns the given secret, or else that of the data folder, which the first run creates and later runs share. Throws `PaysessionError`
 * `INVALID_FILE`.
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

/** Checks that a URL is one of this machine. Throws `SettingsError`, with advice about other URLs, if it is not. */
export function checkHere(path: string, url: string, advice: string): void {
  if (isWebhookUrl(url, true) && leadsHere(new URL(url).hostname)) return;
  const message = `must be a URL of this machine, such as http://localhost:3000/webhooks; ${advice}`;
  throw new SettingsError([{ path, message }]);
}
