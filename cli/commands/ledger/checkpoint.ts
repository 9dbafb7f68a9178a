import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  checkpointsIn,
  newSigningKey,
  readSigningKey,
  readVerifierKey,
  type CheckpointSigner,
} from '../../../ledger/log/signed-note';
import { PaysessionError, SettingsError, withRemedy } from '../../../src/errors';
import { readText } from '../../shared/input-text';
import { withLedger } from '../../shared/ledger';
import { counted, printJson, printLine, printProgress, type JsonOption } from '../../shared/output';
import type { MadeCheckpoint } from '../../../ledger/log/checkpoints';

export function registerCheckpoint(ledger: Command): void {
  ledger
    .command('new-key')
    .description('generate a key that signs checkpoints, and say what to do with it')
    .argument('<name>', 'a name for your ledger, such as shop.example/ledger; each checkpoint has this name')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ (umask 077; paysession ledger new-key shop.example/ledger > signing-key.txt)',
    )
    .action(printSigningKey);
  ledger
    .command('checkpoint')
    .description(
      'sign a checkpoint of the ledger; keep the checkpoint where the database’s administrator cannot change it',
    )
    .option('--after <file>', 'the checkpoints that you have kept: the log must have grown from each of them')
    .option('--first', 'this is your first checkpoint, so there is none to compare the log with')
    .option('--out <file>', 'write the checkpoint to this file, and print what it covers')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession ledger checkpoint --first >> checkpoints.txt\n  $ paysession ledger checkpoint --after checkpoints.txt >> checkpoints.txt',
    )
    .action(printCheckpoint);
}

/** Prints a new signing key. Standard output gets only the key, so that a user can write it to a file. */
function printSigningKey(name: string, { json }: JsonOption): void {
  const signingKey = newSigningKey(name);
  const { verifierKey } = signerOf(signingKey);
  if (json) {
    printJson({ signingKey, verifierKey });
    return;
  }
  printLine(signingKey);
  printProgress(`Keep it secret. Give it as PAYSESSION_LEDGER_SIGNING_KEY, or in the file of PAYSESSION_LEDGER_SIGNING_KEY_FILE, where checkpoints are made.
Use this where the ledger is verified (paysession ledger verify --key):
${verifierKey}`);
}

interface CheckpointOptions extends JsonOption {
  readonly after?: string;
  readonly first?: true;
  readonly out?: string;
}

/** Makes a checkpoint, and writes it to the file `--out`. Without `--out`, prints it. Standard output then has only the checkpoint. */
async function printCheckpoint({ after, first, out, json }: CheckpointOptions): Promise<void> {
  const signer = await requiredSigner();
  if ((after === undefined) === (first === undefined)) throw oneOfBoth();
  const { warnOfExposedFiles } = await import('../../shared/settings-warnings.js');
  warnOfExposedFiles();
  const kept = after === undefined ? undefined : await readCheckpoints(after);
  const made = await withLedger((ledger) => ledger.checkpoint(signer, kept));
  const { note } = made;
  if (out !== undefined) await writeFile(out, note);
  const covers = coveredBy(made);
  if (json) printJson(made);
  else if (out !== undefined) printLine(covers);
  else {
    process.stdout.write(note);
    printProgress(covers);
  }
}

/**
 * Returns the error if the command line has both `--after` and `--first`, or none of them. `--after` compares the log with an earlier checkpoint, which
 * finds a rewritten log. Only `--first` may skip that.
 */
function oneOfBoth(): SettingsError {
  const message =
    'is needed: the file of the checkpoints that you have kept; or else --first, if you have kept none yet';
  return new SettingsError([{ path: '--after', message }]);
}

/** Describes a checkpoint: the number of entries that it covers and, if rows were deleted, their number. */
export function coveredBy({ size, added, skipped }: Omit<MadeCheckpoint, 'note'>): string {
  const covers = `The checkpoint covers ${counted(size, 'entry', 'entries')}, ${added} of them new.`;
  if (skipped === 0) return covers;
  return `${covers} ${counted(skipped, 'ROW', 'ROWS')} OF THE TABLE "unsequenced" BELONGED TO NO ENTRY, OR TO ONE THAT HAS A PLACE, AND ${skipped === 1 ? 'WAS' : 'WERE'} DELETED: no part of paysession writes such rows.`;
}

/** Returns the signer for the signing key in the settings, if there is one. Throws `SettingsError` if the key is invalid or cannot be read. */
export async function configuredSigner(env = process.env): Promise<CheckpointSigner | undefined> {
  const { readSigningKeyText } = await import('../../../src/settings/index.js');
  const text = readSigningKeyText(env);
  return text === undefined ? undefined : signerOf(text);
}

/** Returns the signer for a signing key. Throws `SettingsError` if the key is invalid. */
function signerOf(text: string): CheckpointSigner {
  const signer = readSigningKey(text);
  if (signer !== undefined) return signer;
  throw new SettingsError([
    { path: KEY, message: 'must be a key from `paysession ledger new-key`, whole as it was printed' },
  ]);
}

/** Returns the signer for the signing key in the settings. Throws `SettingsError` if the key is missing, is invalid or cannot be read. */
async function requiredSigner(): Promise<CheckpointSigner> {
  const signer = await configuredSigner();
  if (signer !== undefined) return signer;
  throw new SettingsError([
    { path: KEY, message: 'is missing: make one with `paysession ledger new-key NAME`' },
  ]);
}

/** Returns the verifier key in an option. Throws `SettingsError` if the key is invalid. */
export function checkedVerifierKey(option: string, key: string): string {
  if (readVerifierKey(key) !== undefined) return key;
  throw new SettingsError([
    {
      path: option,
      message: 'must be a verifier key, NAME+ID+KEY, as `paysession ledger new-key` prints it',
    },
  ]);
}

const KEY = 'PAYSESSION_LEDGER_SIGNING_KEY';

/**
 * Reads a file with one or more checkpoints. Throws `PaysessionError` `INVALID_FILE` if the file cannot be read, has no checkpoint, or has other
 * content.
 */
export async function readCheckpoints(path: string): Promise<readonly string[]> {
  let text = '';
  for await (const piece of readText(path)) text += piece;
  const notes = checkpointsIn(text);
  if (notes !== undefined) return notes;
  const happened = `${path} does not consist of checkpoints, whole as \`paysession ledger checkpoint\` printed them.`;
  throw new PaysessionError('INVALID_FILE', withRemedy('INVALID_FILE', happened));
}
