import type { PaymentLedger } from '../../../ledger';
import { readOptionalLedger } from '../../../src/settings';
import { warnOfOpenLedger } from './settings-warnings';

/** Runs something with the ledger of the settings, if there is one, and closes its connections afterwards. Throws `SettingsError`. */
export async function withOptionalLedger<T>(
  work: (ledger: PaymentLedger | undefined) => Promise<T>,
): Promise<T> {
  const settings = readOptionalLedger();
  if (settings === undefined) return work(undefined);
  warnOfOpenLedger(settings);
  // Loaded here, because whoever has no ledger needs none of it.
  const { PaymentLedger } = await import('../../../ledger/index.js');
  const ledger = new PaymentLedger(settings);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}
