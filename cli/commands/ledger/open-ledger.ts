import type { Client } from '@temporalio/client';
import { PaymentLedger } from '../../../ledger';
import { isPaysessionError } from '../../../src/errors';
import { readLedgerSettings } from '../../../src/settings';
import { withSessions } from '../../shared/run/client';
import { warnOfOpenLedger } from '../../shared/run/settings-warnings';

/** Does something with the ledger of the settings, and closes its connections afterwards. */
export async function withLedger<T>(work: (ledger: PaymentLedger) => Promise<T>): Promise<T> {
  const settings = readLedgerSettings();
  warnOfOpenLedger(settings);
  const ledger = new PaymentLedger(settings);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** Does something with the ledger and the Temporal server of the settings, and closes the connections afterwards. */
export async function withLedgerAndClient(
  work: (ledger: PaymentLedger, client: Client) => Promise<void>,
): Promise<void> {
  // Throws where no ledger is set.
  readLedgerSettings();
  await withSessions(async (_sessions, { client, ledger }) => {
    if (ledger !== undefined) await work(ledger, client);
  });
}

/** For what runs on: a ledger that is away for a while is asked again. One that cannot be used ends the command. */
export async function checkUnlessAway(ledger: PaymentLedger): Promise<void> {
  try {
    await ledger.check();
  } catch (error) {
    if (!isPaysessionError(error, 'LEDGER_UNAVAILABLE')) throw error;
  }
}
