import type { Command } from 'commander';
import type { VerifiedLedger } from '../../../ledger';
import { PaysessionError } from '../../../src/errors';
import { EXIT } from '../../shared/exit-codes';
import { withLedger } from '../../shared/ledger';
import {
  counted,
  oneLine,
  printJson,
  printLine,
  printProgress,
  printWarning,
  type JsonOption,
} from '../../shared/output';
import { wholeNumber } from '../../shared/parse-arguments';
import { progressText, withStatusLine } from '../../shared/status-line';
import { checkedVerifierKey, configuredSigner, readCheckpoints } from './checkpoint';

export function registerVerify(ledger: Command): void {
  ledger
    .command('verify')
    .description('check that nothing in the ledger was changed, removed, inserted or rolled back')
    .option(
      '--since <file>',
      'a file of checkpoints that you have kept; the log is compared with each of them',
    )
    .option(
      '--key <verifier-key...>',
      'verify the signatures of checkpoints with these keys (default: the signing key, if one is set)',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ paysession ledger verify --since checkpoints.txt --key "$(cat verifier-key.txt)"',
    )
    .action(printVerification);
  ledger
    .command('prove')
    .description(
      'print a proof that an entry is in the log; to check the proof, only the last checkpoint is needed',
    )
    .argument('<key>', 'the session’s key')
    .option(
      '--number <n>',
      'the number of the entry (default: the last entry that the checkpoint covers)',
      wholeNumber(1, 1_000_000),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession ledger prove order-1042')
    .action(printProof);
}

interface VerifyCommandOptions extends JsonOption {
  readonly since?: string;
  readonly key?: readonly string[];
}

/** Verifies the ledger and prints the result. If the ledger was changed, the exit code is `EXIT.diverged`. */
async function printVerification({ since, key, json }: VerifyCommandOptions): Promise<void> {
  const verifierKey =
    key?.map((one) => checkedVerifierKey('--key', one)) ?? (await configuredSigner())?.verifierKey;
  const kept = since === undefined ? undefined : await readCheckpoints(since);
  const verified = await withStatusLine('Verifying …', (line) => {
    const onProgress = (done: number, total: number): void => {
      line.show(`Verifying: ${progressText({ done, total })}`);
    };
    return withLedger((ledger) => ledger.verify({ since: kept, verifierKey, onProgress }));
  });
  if (json) printJson(verified);
  else printFound(verified);
  if (verifierKey === undefined) printWarning('the signatures of checkpoints were not checked: give --key.');
  if (verified.fault !== undefined) process.exitCode = EXIT.diverged;
}

/** Returns a text such as `2 entries agree with their hashes`. Entries that wait for a place in the log are counted, too. */
export function entriesWithHashes({ entries, waiting }: Pick<VerifiedLedger, 'entries' | 'waiting'>): string {
  const all = entries + waiting;
  return `${counted(all, 'entry', 'entries')} ${all === 1 ? 'agrees with its hash' : 'agree with their hashes'}`;
}

function printFound(verified: VerifiedLedger): void {
  const { entries, covered, waiting, checkpoints, fault } = verified;
  if (fault === undefined) {
    printLine(`${entriesWithHashes(verified)}, and with ${counted(checkpoints, 'checkpoint')}.`);
    if (covered < entries + waiting)
      printLine(
        `Entries that no checkpoint covers yet: ${entries + waiting - covered}. Run \`paysession ledger checkpoint\`.`,
      );
    return;
  }
  const { kind, message, entry, position, claim, session = claim, line } = fault;
  printLine(`The ledger was changed (${kind}): ${message}`);
  if (entry !== undefined)
    printLine(`entry     ${oneLine(entry.key)}, number ${entry.number}, in ${entry.environment}`);
  if (position !== undefined) printLine(`place     ${position}`);
  if (session !== undefined && entry === undefined) {
    const which = claim === undefined ? '' : `, claim ${claim.claim}`;
    printLine(`session   ${oneLine(session.key)}${which}, in ${session.environment}`);
  }
  if (line !== undefined) printLine(`line      ${oneLine(line.id)}, in ${line.environment}`);
}

interface ProveOptions extends JsonOption {
  readonly number?: number;
}

/**
 * Prints the proof that an entry is in the log. Standard output has only the proof. Throws `PaysessionError` `SESSION_NOT_FOUND` if the last checkpoint
 * does not cover the entry.
 */
async function printProof(key: string, { number, json }: ProveOptions): Promise<void> {
  const proof = await withLedger((ledger) => ledger.prove(key, number));
  if (proof === undefined) throw notCovered(key, number);
  if (json) {
    printJson(proof);
    return;
  }
  process.stdout.write(proof.proof);
  printProgress(`Entry ${proof.number} of the session; its hash is ${proof.entryHash}.`);
}

function notCovered(key: string, number: number | undefined): PaysessionError {
  const which = number === undefined ? 'no entry' : `no entry ${number}`;
  const happened = `The last checkpoint covers ${which} of a session with the key "${key}".`;
  return new PaysessionError(
    'SESSION_NOT_FOUND',
    `${happened} Check the key, or run \`paysession ledger checkpoint\` first.`,
  );
}
