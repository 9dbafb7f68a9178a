import { InvalidArgumentError, type Command } from 'commander';
import { allKeys } from '../../../src/encryption';
import { isKeyId } from '../../../src/protocol/encrypted-payload';
import { readTemporalSettings, type TemporalSettings } from '../../../src/settings';
import { EXIT } from '../../shared/run/exit-codes';
import { printJson, printLine, printProgress, type JsonOption } from '../../shared/screen/output';
import { wholeNumber } from '../../shared/input/parse-arguments';
import { check, type KeyCheck } from './check';
import { newKey } from './new-key';

export function registerKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('make the keys that encrypt what Temporal stores, and change them step by step');
  keys
    .command('new')
    .description('print a fresh key, and what to do with it')
    .option('--id <id>', 'its id, which is stored in plain text (default: today’s date)', keyId)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession keys new >> keys.txt')
    .action(printNewKey);
  keys
    .command('check')
    .description(
      'say which keys are set here, which the workers have, which open sessions need, and what is next',
    )
    .option('--limit <n>', 'look at this many open sessions at most', wholeNumber(1, 100_000), 1_000)
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
  if (id !== undefined && taken.includes(id)) throw new InvalidArgumentError(`${id} is in use already.`);
  const key = newKey(taken, new Date(), id);
  const next =
    taken.length === 0
      ? 'Give this line to every client and worker, as PAYSESSION_ENCRYPTION_KEYS or in the file of PAYSESSION_ENCRYPTION_KEYS_FILE.'
      : `Append this line behind the keys of every client and worker (${[...taken, key.id].join(', ')}), and deploy. Then run \`paysession keys check\`.`;
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
  printLine(`open sessions  ${looked}${complete ? '' : ' looked at, there are more'}: ${need}`);
  if (inPlainText > 0) printLine(`               ${inPlainText} with data in plain text`);
  printLine(`next           ${next.text}`);
}
