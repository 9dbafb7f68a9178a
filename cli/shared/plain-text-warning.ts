import type { PaymentSessions } from '../../src/sessions';
import { printProgress } from './output';

/** Warns on standard error where the workers encrypt, and a command without keys is about to start sessions. */
export async function warnOfPlainText(sessions: PaymentSessions): Promise<void> {
  // Where nobody can tell, the start itself tells why.
  const encrypted = await sessions.workersEncrypt().catch(() => false);
  if (!encrypted) return;
  printProgress(
    'warning: the workers encrypt what Temporal stores, but the request is stored in plain text: this command has no keys. ' +
      'Set PAYSESSION_ENCRYPTION_KEYS to the workers’ keys.',
  );
}
