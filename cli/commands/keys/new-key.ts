import { randomBytes } from 'node:crypto';
import { InvalidArgumentError } from 'commander';
import { allKeys, KEY_BYTES } from '../../../src/encryption';
import { readTemporalSettings } from '../../../src/settings';
import { printJson, printLine, printProgress, type JsonOption } from '../../shared/screen/output';

export interface NewKeyOptions extends JsonOption {
  readonly id?: string;
}

/** The line alone goes to standard output, so that it can be appended to a file. */
export function printNewKey({ id, json }: NewKeyOptions): void {
  const taken = idsHere();
  if (id !== undefined && taken.includes(id)) throw new InvalidArgumentError(`${id} is already in use.`);
  const key = newKey(taken, new Date(), id);
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

/** Without settings that can be read, a new key has nothing to go behind. */
function idsHere(): readonly string[] {
  const { encryption } = readTemporalSettings({ ...process.env, PAYSESSION_ENCRYPTION: 'optional' });
  return encryption === undefined ? [] : allKeys(encryption).map(({ id }) => id);
}

/** A fresh key as a setting takes it. */
interface NewKey {
  readonly id: string;
  /** `ID:KEY` */
  readonly line: string;
}

/** @param taken ids that are in use already */
export function newKey(taken: readonly string[], now: Date, asked?: string): NewKey {
  const id = asked ?? freeId(taken, now);
  return { id, line: `${id}:${randomBytes(KEY_BYTES).toString('base64')}` };
}

/** The day, so that ids sort by age; a second key of the day has a letter. */
function freeId(taken: readonly string[], now: Date): string {
  const day = now.toISOString().slice(0, 10);
  if (!taken.includes(day)) return day;
  const letters = 'bcdefghijklmnopqrstuvwxyz'.split('');
  return (
    letters.map((letter) => `${day}-${letter}`).find((id) => !taken.includes(id)) ?? `${day}-${now.getTime()}`
  );
}
