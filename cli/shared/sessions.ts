import type { Client } from '@temporalio/client';
import type { PaymentLedger } from '../../ledger';
import type { SessionsCommand } from './connected';

export type { CommandContext } from './connected';

/**
 * Runs a command against the Temporal server of the settings, and closes the connection afterwards. Temporal's client is loaded here, so
 * that commands that do not connect start without it. One dynamic import loads everything, because Node reads each dynamically imported
 * module twice, and one of the two times only to find its exported names.
 */
export async function withSessions<T>(command: SessionsCommand<T>): Promise<T> {
  const { runConnected } = await import('./connected.js');
  return runConnected(command);
}

/**
 * Runs `work` with the ledger and the Temporal server of the settings, and closes the connections afterwards. Throws `SettingsError` if no
 * ledger is set.
 */
export async function withLedgerAndClient(
  work: (ledger: PaymentLedger, client: Client) => Promise<void>,
): Promise<void> {
  const { readLedgerSettings } = await import('../../src/settings/index.js');
  // Throws before anything connects. So the ledger below is never undefined.
  readLedgerSettings();
  await withSessions(async (_sessions, { client, ledger }) => {
    if (ledger !== undefined) await work(ledger, client);
  });
}
