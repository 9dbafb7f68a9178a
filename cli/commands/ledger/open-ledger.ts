import { PaymentLedger } from '../../../ledger';
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
