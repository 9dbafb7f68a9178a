import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { Client } from '@temporalio/client';
import { allKeys, KEY_BYTES } from '../../../src/encryption';
import { isKeyId } from '../../../src/protocol/temporal/encrypted-payload';
import { connectTemporal, readTemporalSettings, type TemporalSettings } from '../../../src/settings';
import { encryptionOf, nameOf } from '../../../src/protocol/temporal/worker-identity';
import { type Poller, pollersOf } from '../../../src/sessions';
import { EXIT } from '../../shared/run/exit-codes';
import { type JsonOption, printJson, printLine, printProgress } from '../../shared/screen/output';
import { wholeNumber } from '../../shared/input/parse-arguments';
import { type KeyUse, readKeyUse } from './key-use';
import { nextStep, type NextStep } from './next-step';

export function registerKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('make the keys that encrypt what Temporal stores, and change them step by step');
  keys
    .command('new')
    .description('generate a key, and say what to do with it')
    .option('--id <id>', 'its id, which is stored in plain text (default: today’s date)', keyId)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession keys new >> keys.txt')
    .action(printNewKey);
  keys
    .command('check')
    .description(
      'show which keys are set here, which the workers have, which open sessions need, and the next step',
    )
    .option('--limit <n>', 'check at most this many open sessions', wholeNumber(1, 100_000), 1_000)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession keys check')
    .action(printCheck);
}

function keyId(text: string): string {
  if (isKeyId(text)) return text;
  throw new InvalidArgumentError('must be 1 to 64 letters, digits, dots, hyphens or underscores.');
}

/** The line alone goes to standard output, so that it can be appended to a file. */
function printNewKey({ id, json }: JsonOption & { readonly id?: string }): void {
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

async function printCheck({ limit, json }: JsonOption & { readonly limit: number }): Promise<void> {
  const settings: TemporalSettings = readTemporalSettings({
    ...process.env,
    PAYSESSION_ENCRYPTION: 'optional',
  });
  const found = await check(settings, limit);
  if (json) printJson(found);
  else printFound(found);
  if (!found.next.ok) process.exitCode = EXIT.unavailable;
}

function printFound({ here, workers, openSessions, next }: KeyCheck): void {
  printLine(`keys here      ${here.length === 0 ? 'none' : here.join(', ')}`);
  if (workers.length === 0) printLine('workers        none polls the task queue');
  for (const { name, encrypts, keyIds } of workers) {
    const has = keyIds === undefined ? 'keys unknown' : keyIds.join(', ');
    printLine(`worker         ${name}: ${encrypts ? has : 'no keys'}`);
  }
  const { looked, complete, neededKeys, inPlainText } = openSessions;
  const need = neededKeys.length === 0 ? 'none needs a key' : `need ${neededKeys.join(', ')}`;
  printLine(`open sessions  ${looked}${complete ? '' : ' checked, there are more'}: ${need}`);
  if (inPlainText > 0) printLine(`               ${inPlainText} with data in plain text`);
  printLine(`next           ${next.text}`);
}

/** Everything that `paysession keys check` found. */
interface KeyCheck {
  /** Ids of the keys in the settings, the one that encrypts first. */
  readonly here: readonly string[];
  readonly workers: readonly WorkerKeys[];
  readonly openSessions: KeyUse;
  readonly next: NextStep;
}

interface WorkerKeys {
  /** Its identity at the engine, without what that says of its keys. */
  readonly name: string;
  readonly encrypts: boolean;
  /** Ids as the worker started; `undefined` where its data converter is not ours. */
  readonly keyIds: readonly string[] | undefined;
}

/** Throws `PaysessionError` `ENGINE_UNAVAILABLE`. */
export async function check(settings: TemporalSettings, limit: number): Promise<KeyCheck> {
  const { connection, namespace } = await connectTemporal(settings);
  try {
    const client = new Client({ connection, namespace });
    const here = settings.encryption === undefined ? [] : allKeys(settings.encryption).map(({ id }) => id);
    const pollers = await pollersOf(client, settings.taskQueue);
    const workers = newestOfEachName(pollers).map(({ identity }) => keysOf(identity));
    const openSessions = await readKeyUse(client, settings.taskQueue, limit);
    return { here, workers, openSessions, next: nextStep({ here, workers, use: openSessions }) };
  } finally {
    await connection.close();
  }
}

/** A worker that was started again under its name has taken the place of the one before, which the engine still lists. */
function newestOfEachName(pollers: readonly Poller[]): readonly Poller[] {
  const oldestFirst = pollers.filter(({ recent }) => recent).sort((a, b) => a.polledAtMs - b.polledAtMs);
  return [...new Map(oldestFirst.map((poller) => [nameOf(poller.identity), poller])).values()];
}

function keysOf(identity: string): WorkerKeys {
  const encryption = encryptionOf(identity);
  if (encryption === undefined) return { name: nameOf(identity), encrypts: false, keyIds: [] };
  const { keyIds } = encryption;
  return { name: nameOf(identity), encrypts: true, keyIds: keyIds.length === 0 ? undefined : keyIds };
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
