import type { VerifiedLedger, VerifyOptions } from '../../../ledger';
import { explain, PaysessionError } from '../../../src/errors';
import { readText } from '../../shared/input/input-text';
import { EXIT } from '../../shared/run/exit-codes';
import { oneLine, printJson, printLine, printWarning, type JsonOption } from '../../shared/screen/output';
import { progressText } from '../../shared/screen/progress-text';
import { openStatusLine } from '../../shared/screen/status-line';
import { withLedger } from './open-ledger';
import { checkedVerifierKey, configuredSigner } from './signing-key';

export interface VerifyCommandOptions extends JsonOption {
  readonly since?: string;
  readonly key?: string;
}

/** A ledger in which something differs ends the command with an exit code of its own. */
export async function printVerification({ since, key, json }: VerifyCommandOptions): Promise<void> {
  const verifierKey = key === undefined ? configuredSigner()?.verifierKey : checkedVerifierKey('--key', key);
  const kept = since === undefined ? undefined : await lastCheckpointIn(since);
  const verified = await verifyShown({ since: kept, verifierKey });
  if (json) printJson(verified);
  else printFound(verified);
  if (verifierKey === undefined) printWarning('the signatures of checkpoints were not checked: give --key.');
  if (verified.fault !== undefined) process.exitCode = EXIT.diverged;
}

async function verifyShown(options: Pick<VerifyOptions, 'since' | 'verifierKey'>): Promise<VerifiedLedger> {
  const line = await openStatusLine('Verifying …');
  const onProgress = (done: number, total: number): void => {
    line.show(`Verifying: ${progressText({ done, total })}`);
  };
  try {
    return await withLedger((ledger) => ledger.verify({ ...options, onProgress }));
  } finally {
    line.close();
  }
}

function printFound({ entries, covered, waiting, checkpoints, fault }: VerifiedLedger): void {
  if (fault === undefined) {
    printLine(`${entries} entries agree with their hashes, and with ${checkpoints} checkpoints.`);
    if (covered < entries + waiting)
      printLine(
        `${entries + waiting - covered} of all are not covered by a checkpoint yet: run \`paysession ledger checkpoint\`.`,
      );
    return;
  }
  const { kind, message, entry, position } = fault;
  printLine(`The ledger was changed (${kind}): ${message}`);
  if (entry !== undefined)
    printLine(`entry     ${oneLine(entry.key)}, number ${entry.number}, in ${entry.environment}`);
  if (position !== undefined) printLine(`place     ${position}`);
}

/** A file may hold all checkpoints that were made, one after another: each ends with its signatures. */
async function lastCheckpointIn(path: string): Promise<string> {
  let text = '';
  for await (const piece of readText(path)) text += piece;
  const [last] = text.match(/[^\n]+\n\d+\n[\w+/=]+\n(?:[^\n]+\n)*\n(?:— [^\n]+\n)+/g)?.slice(-1) ?? [];
  if (last !== undefined) return last;
  throw new PaysessionError('INVALID_FILE', `${path} holds no checkpoint. ${explain('INVALID_FILE')}`);
}
