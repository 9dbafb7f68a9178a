import type { VerifiedLedger, VerifyOptions } from '../../../ledger';
import { EXIT } from '../../shared/run/exit-codes';
import { oneLine, printJson, printLine, printWarning, type JsonOption } from '../../shared/screen/output';
import { progressText } from '../../shared/screen/progress-text';
import { openStatusLine } from '../../shared/screen/status-line';
import { readCheckpoints } from './kept-checkpoints';
import { withLedger } from './open-ledger';
import { checkedVerifierKey, configuredSigner } from './signing-key';

export interface VerifyCommandOptions extends JsonOption {
  readonly since?: string;
  readonly key?: readonly string[];
}

/** A ledger in which something differs ends the command with an exit code of its own. */
export async function printVerification({ since, key, json }: VerifyCommandOptions): Promise<void> {
  const verifierKey = key?.map((one) => checkedVerifierKey('--key', one)) ?? configuredSigner()?.verifierKey;
  const kept = since === undefined ? undefined : await readCheckpoints(since);
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
  const { kind, message, entry, position, claim, session = claim } = fault;
  printLine(`The ledger was changed (${kind}): ${message}`);
  if (entry !== undefined)
    printLine(`entry     ${oneLine(entry.key)}, number ${entry.number}, in ${entry.environment}`);
  if (position !== undefined) printLine(`place     ${position}`);
  if (session !== undefined && entry === undefined) {
    const which = claim === undefined ? '' : `, claim ${claim.claim}`;
    printLine(`session   ${oneLine(session.key)}${which}, in ${session.environment}`);
  }
}
