import { PaymentLedger } from '../../../ledger';
import { isPaysessionError } from '../../../src/errors';
import { readLedgerSettings } from '../../../src/settings';

/** Does something with the ledger of the settings, and closes its connections afterwards. */
export async function withLedger<T>(work: (ledger: PaymentLedger) => Promise<T>): Promise<T> {
  const ledger = new PaymentLedger(readLedgerSettings());
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** For what runs on: a ledger that is away for a while is asked again. One that cannot be used ends the command. */
export async function checkUnlessAway(ledger: PaymentLedger): Promise<void> {
  try {
    await ledger.check();
  } catch (error) {
    if (!isPaysessionError(error, 'LEDGER_UNAVAILABLE')) throw error;
  }
}
