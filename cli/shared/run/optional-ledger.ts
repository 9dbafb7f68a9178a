import type { PaymentLedger } from '../../../ledger';
import { readOptionalLedger } from '../../../src/settings';

/** Opens the ledger of the settings, if there is one; the caller closes it. Throws `SettingsError`. */
export async function openOptionalLedger(): Promise<PaymentLedger | undefined> {
  const settings = readOptionalLedger();
  if (settings === undefined) return undefined;
  // Loaded here, because whoever has no ledger needs none of it.
  const { PaymentLedger } = await import('../../../ledger/index.js');
  return new PaymentLedger(settings);
}

/** Runs something with the ledger of the settings, if there is one, and closes its connections afterwards. Throws `SettingsError`. */
export async function withOptionalLedger<T>(
  work: (ledger: PaymentLedger | undefined) => Promise<T>,
): Promise<T> {
  const ledger = await openOptionalLedger();
  try {
    return await work(ledger);
  } finally {
    await ledger?.close();
  }
}
