import { PaysessionError } from '../../../src/errors';
import { printJson, printProgress, type JsonOption } from '../../shared/screen/output';
import { withLedger } from './open-ledger';

export interface ProveOptions extends JsonOption {
  readonly number?: number;
}

/** Standard output has the proof alone. Throws `PaysessionError` `SESSION_NOT_FOUND` where no checkpoint covers the entry. */
export async function printProof(key: string, { number, json }: ProveOptions): Promise<void> {
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
