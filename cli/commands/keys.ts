import { randomBytes } from 'node:crypto';
import { InvalidArgumentError, type Command } from 'commander';
import { isKeyId } from '../../src/protocol/temporal/encrypted-payload';
import { printJson, printLine, printProgress, type JsonOption } from '../shared/output';
import { wholeNumber } from '../shared/parse-arguments';
import type { KeyCheckOptions } from './keys-check';
import { dayOf } from '../../src/contract/values/day';

export function registerKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('make the keys that encrypt what Temporal stores, and change them step by step');
  keys
    .command('new')
    .description('generate a key, and say what to do with it')
    .option('--id <id>', 'the key’s id, which is stored in plain text (default: today’s date)', keyId)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ (umask 077; paysession keys new >> keys.txt)')
    .action(printNewKey);
  keys
    .command('check')
    .description(
      'show which keys are set here, which the workers have, which open sessions need, and the next step',
    )
    .option('--limit <n>', 'check at most this many open sessions', wholeNumber(1, 100_000), 1_000)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession keys check')
    .action(async (options: KeyCheckOptions) => {
      const { printCheck } = await import('./keys-check.js');
      await printCheck(options);
    });
}

function keyId(text: string): string {
  if (isKeyId(text)) return text;
  throw new InvalidArgumentError('must be 1 to 64 letters, digits, dots, hyphens or underscores.');
}

interface NewKeyOptions extends JsonOption {
  readonly id?: string;
}

/** Prints a new key. Standard output gets only the line with the key, so that a user can append it to a file. */
async function printNewKey({ id, json }: NewKeyOptions): Promise<void> {
  const taken = await idsHere();
  if (id !== undefined && taken.includes(id)) throw new InvalidArgumentError(`${id} is already in use.`);
  const key = await newKey(taken, new Date(), id);
  const next =
    taken.length === 0
      ? 'Give this line to every client and worker, as PAYSESSION_ENCRYPTION_KEYS or in the file of PAYSESSION_ENCRYPTION_KEYS_FILE.'
      : `Append this line to the keys of every client and worker (${[...taken, key.id].join(', ')}), and deploy. Then run \`paysession keys check\`.`;
  if (json) {
    printJson({ ...key, next });
    return;
  }
  printLine(key.line);
  printProgress(next);
}

/** Returns the ids of the keys in the settings. Throws `SettingsError` if the settings cannot be read. */
async function idsHere(): Promise<readonly string[]> {
  const { readTemporalSettings } = await import('../../src/settings/index.js');
  const { allKeys } = await import('../../src/encryption/index.js');
  const { encryption } = readTemporalSettings({ ...process.env, PAYSESSION_ENCRYPTION: 'optional' });
  return encryption === undefined ? [] : allKeys(encryption).map(({ id }) => id);
}

/** Creates a new key. Returns its id, and its line for the setting, `ID:KEY`. @param taken the ids that are already in use */
export async function newKey(taken: readonly string[], now: Date, asked?: string) {
  const { KEY_BYTES } = await import('../../src/encryption/index.js');
  const id = asked ?? freeId(taken, now);
  return { id, line: `${id}:${randomBytes(KEY_BYTES).toString('base64')}` };
}

/** Returns a free id. It is the date in UTC, so that ids sort by age. For further keys of a day, a letter is added, and after 26 of them the time. */
function freeId(taken: readonly string[], now: Date): string {
  const day = dayOf(now);
  const ids = [day, ...Array.from('bcdefghijklmnopqrstuvwxyz', (letter) => `${day}-${letter}`)];
  return ids.find((id) => !taken.includes(id)) ?? `${day}-${now.getTime()}`;
}
