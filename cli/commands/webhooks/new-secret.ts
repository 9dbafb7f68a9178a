import { randomBytes } from 'node:crypto';
import { secretOf } from '../../../src/settings/webhooks/secret';
import { printJson, printLine, printProgress, type JsonOption } from '../../shared/output';

const SECRET_BYTES = 32;

/** Returns a new random secret in the form that Standard Webhooks specifies. */
export const newSecret = (): string => secretOf(randomBytes(SECRET_BYTES));

/** Prints a new secret on standard output, and a hint on standard error, so that a file to which the output goes has only the secret. */
export function printNewSecret({ json }: JsonOption): void {
  const secret = newSecret();
  if (json) {
    printJson({ secret });
    return;
  }
  printLine(secret);
  printProgress(
    'Keep it secret. Where webhooks are sent, set it in PAYSESSION_WEBHOOK_SECRET, or in the file that PAYSESSION_WEBHOOK_FILE names. The endpoint needs it, too, to verify messages.',
  );
}
