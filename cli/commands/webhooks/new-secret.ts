import { randomBytes } from 'node:crypto';
import { secretOf } from '../../../src/settings/webhooks/secret';
import { printJson, printLine, printProgress, type JsonOption } from '../../shared/output';

const SECRET_BYTES = 32;

/** Returns a new secret of Standard Webhooks. */
export const newSecret = (): string => secretOf(randomBytes(SECRET_BYTES));

/** Prints a new secret. Standard output has only the secret, so that it can be written to a file. */
export function printNewSecret({ json }: JsonOption): void {
  const secret = newSecret();
  if (json) {
    printJson({ secret });
    return;
  }
  printLine(secret);
  printProgress(
    'Keep it secret. Senders take it as PAYSESSION_WEBHOOK_SECRET, or in the file of PAYSESSION_WEBHOOK_FILE; the endpoint verifies messages with it.',
  );
}
