import type { Client } from '@temporalio/client';
import type { PaymentLedger } from '../../ledger';
import { isPaysessionError } from '../../src/errors';
import type { LedgerSettings } from '../../src/settings';
import { printWarning } from './output';
import { isTlsLeftOpen, TLS_LEFT_OPEN } from '../../src/settings/postgres-url';

/**
 * Runs `work` with the ledger of the settings, and closes its connections afterwards. Ledger and settings are loaded here, so that `--help`
 * starts without them. Throws `SettingsError` if no ledger is set.
 */
export async function withLedger<T>(work: (ledger: PaymentLedger) => Promise<T>): Promise<T> {
  const { readLedgerSettings } = await import('../../src/settings/index.js');
  return withLedgerOf(readLedgerSettings(), work);
}

/** Runs `work` with the ledger of these settings, and closes its connections afterwards. */
export async function withLedgerOf<T>(
  settings: LedgerSettings,
  work: (ledger: PaymentLedger) => Promise<T>,
): Promise<T> {
  warnOfOpenLedger(settings);
  const { PaymentLedger } = await import('../../ledger/index.js');
  const ledger = new PaymentLedger(settings);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** Warns on standard error if the ledger is on another machine and its URL does not mention TLS. */
export function warnOfOpenLedger(ledger: { readonly url: string }): void {
  if (isTlsLeftOpen(ledger)) printWarning(TLS_LEFT_OPEN);
}

/** Ends a long-running command if the ledger cannot be used, but not while the ledger is only unavailable. */
export async function checkUnlessAway(ledger: PaymentLedger): Promise<void> {
  await ledger.check().catch(unlessAway);
}

/** Checks as `checkUnlessAway` does, and warns as `warnOfOtherEnvironments` does. */
export async function checkForWebhooks(ledger: PaymentLedger): Promise<void> {
  await checkUnlessAway(ledger);
  await warnOfOtherEnvironments(ledger).catch(unlessAway);
}

/** Ends a long-running command if the namespace's workers record only in other environments: each of its sweeps would fail. */
export async function checkOwnEnvironment(
  ledger: PaymentLedger,
  { connection, options }: Client,
): Promise<void> {
  const { readNamespace } = await import('../../src/sessions/index.js');
  const namespace = await readNamespace(connection, options.namespace);
  await ledger.namespaces.refuseElsewhere(namespace).catch(unlessAway);
}

/** Ignores that the ledger is unavailable: the command tries again, or fails at its next call. Throws every other error. */
function unlessAway(error: unknown): undefined {
  if (!isPaysessionError(error, 'LEDGER_UNAVAILABLE')) throw error;
  return undefined;
}

/** Warns if no worker records in this environment although workers record in others. */
export async function warnOfOtherEnvironments({ environment, namespaces }: PaymentLedger): Promise<void> {
  const used = await namespaces.otherEnvironments();
  if (used.length > 0)
    printWarning(
      `no worker records in the environment ${environment}; workers record in ${used.join(', ')}. Is PAYSESSION_LEDGER_ENVIRONMENT set as it is for them?`,
    );
}
