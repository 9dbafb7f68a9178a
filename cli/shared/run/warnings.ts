import type { PaymentSessions } from '../../../src/sessions';
import { exposedFileWarning, exposedSecretFiles } from '../../../src/settings/secrets/exposed-secret-files';
import { isTlsLeftOpen, TLS_LEFT_OPEN } from '../../../src/settings/secrets/tls-left-open';
import type { CommandContext } from './client';
import { printWarning } from '../screen/output';

/** Warns on standard error where the workers encrypt, and a command without keys is about to start sessions. */
export async function warnOfPlainText(sessions: PaymentSessions): Promise<void> {
  // Where nobody can tell, the start itself tells why.
  const encrypted = await sessions.workersEncrypt().catch(() => false);
  if (!encrypted) return;
  printWarning(
    'the workers encrypt what Temporal stores, but the request is stored in plain text: this command has no keys. ' +
      'Set PAYSESSION_ENCRYPTION_KEYS to the workers’ keys.',
  );
}

/** Warns on standard error that what was started waits for a worker, where no worker gets it. */
export async function warnOfNoWorker({ unservedQueue }: CommandContext): Promise<void> {
  const queue = await unservedQueue();
  if (queue === undefined) return;
  const { taskQueue, why } = queue;
  printWarning(
    why === undefined
      ? `no worker polls the task queue "${taskQueue}": sessions wait until one does. Start one with \`paysession worker\`.`
      : `the workers of the task queue "${taskQueue}" get no sessions: ${why.found}. ${why.fix}`,
  );
}

/** Warns on standard error where the ledger is on another machine, and its URL says nothing of TLS. */
export function warnOfOpenLedger(ledger: { readonly url: string }): void {
  if (isTlsLeftOpen(ledger)) printWarning(TLS_LEFT_OPEN);
}

/** Warns on standard error of files of secrets that every user of this machine can read. */
export function warnOfExposedFiles(env: NodeJS.ProcessEnv = process.env): void {
  for (const setting of exposedSecretFiles(env)) printWarning(exposedFileWarning(setting));
}
