import type { Client } from '@temporalio/client';
import type { PaymentLedger } from '../../ledger';
import type { SessionsCommand } from './connected';

export type { CommandContext } from './connected';

/**
 * Runs a command with the sessions at the Temporal server in the settings, and closes the connection.
 *
 * Temporal's client is loaded only here, so that other commands start faster. A single dynamic import loads everything, because Node reads each
 * module that is imported dynamically a second time, to find its exported names.
 */
export async function withSessions<T>(command: SessionsCommand<T>): Promise<T> {
  const { runConnected } = await import('./connected.js');
  return runConnected(command);
}

/**
 * Runs `work` with the ledger and the Temporal server in the settings, and closes the connections. Throws `SettingsError` if no ledger is set.
 */
export async function withLedgerAndClient(
  work: (ledger: PaymentLedger, client: Client) => Promise<void>,
): Promise<void> {
  const { readLedgerSettings } = await import('../../src/settings/index.js');
  // Throws if no ledger is set, before anything connects. So the ledger below is never undefined.
  readLedgerSettings();
  await withSessions(async (_sessions, { client, ledger }) => {
    if (ledger !== undefined) await work(ledger, client);
  });
}
