import type { PaymentSessions } from '../../../src/sessions';
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
