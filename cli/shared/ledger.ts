import type { Client } from '@temporalio/client';
import type { PaymentLedger } from '../../ledger';
import { isPaysessionError } from '../../src/errors';
import type { LedgerSettings } from '../../src/settings';
import { printWarning } from './output';
import { isTlsLeftOpen, TLS_LEFT_OPEN } from '../../src/settings/postgres-url';

/**
 * Runs `work` with the ledger in the settings, and closes the ledger's connections. The modules of the ledger and the settings are loaded only here,
 * because `--help` does not need them. Throws `SettingsError` if no ledger is set.
 */
export async function withLedger<T>(work: (ledger: PaymentLedger) => Promise<T>): Promise<T> {
  const { readLedgerSettings } = await import('../../src/settings/index.js');
  return withLedgerOf(readLedgerSettings(), work);
}

/** Runs `work` with the ledger in these settings, and closes the ledger's connections. */
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

/** Ends a long-running command if the ledger cannot be used. If the ledger only does not answer now, the command goes on. */
export async function checkUnlessAway(ledger: PaymentLedger): Promise<void> {
  await ledger.check().catch(unlessAway);
}

/** Calls `checkUnlessAway`, and then `warnOfOtherEnvironments`. */
export async function checkForWebhooks(ledger: PaymentLedger): Promise<void> {
  await checkUnlessAway(ledger);
  await warnOfOtherEnvironments(ledger).catch(unlessAway);
}

/** Ends a long-running command if the namespace's workers use only other environments of the ledger. Each sweep of the command would fail. */
export async function checkOwnEnvironment(
  ledger: PaymentLedger,
  { connection, options }: Client,
): Promise<void> {
  const { readNamespace } = await import('../../src/sessions/index.js');
  const namespace = await readNamespace(connection, options.namespace);
  await ledger.namespaces.refuseElsewhere(namespace).catch(unlessAway);
}

/** Ignores the error `LEDGER_UNAVAILABLE`: the command tries again, or its next call fails. Throws all other errors. */
function unlessAway(error: unknown): undefined {
  if (!isPaysessionError(error, 'LEDGER_UNAVAILABLE')) throw error;
  return undefined;
}

/** Warns if workers use other environments of the ledger and not this one. */
export async function warnOfOtherEnvironments({ environment, namespaces }: PaymentLedger): Promise<void> {
  const used = await namespaces.otherEnvironments();
  if (used.length > 0)
    printWarning(
      `no worker records in the environment ${environment}; workers record in ${used.join(', ')}. Is PAYSESSION_LEDGER_ENVIRONMENT set as it is for them?`,
    );
}
