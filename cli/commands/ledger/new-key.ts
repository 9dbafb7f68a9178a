import { isOrigin, newSigningKey } from '../../../ledger';
import { SettingsError } from '../../../src/errors';
import { printJson, printLine, printProgress, type JsonOption } from '../../shared/screen/output';
import { signerOf } from './signing-key';

/** Standard output has the key alone, so that it can be written to a file. */
export function printSigningKey(name: string, { json }: JsonOption): void {
  if (!isOrigin(name))
    throw new SettingsError([
      { path: 'name', message: 'must be 1 to 200 printable ASCII characters without spaces and plus signs' },
    ]);
  const signingKey = newSigningKey(name);
  const { verifierKey } = signerOf(signingKey);
  if (json) {
    printJson({ signingKey, verifierKey });
    return;
  }
  printLine(signingKey);
  printProgress(`Keep it secret, and give it to who makes checkpoints as PAYSESSION_LEDGER_SIGNING_KEY_FILE.
Give this to who verifies the ledger (paysession ledger verify --key):
${verifierKey}`);
}
