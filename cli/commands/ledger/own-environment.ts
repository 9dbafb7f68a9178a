import type { Client } from '@temporalio/client';
import type { PaymentLedger } from '../../../ledger';
import { readNamespace } from '../../../src/sessions';
import { isPaysessionError, SettingsError } from '../../../src/errors';
import { printWarning } from '../../shared/screen/output';

/**
 * Refuses to record the namespace's sessions in an environment where its workers do not: each payment would be in the ledger twice. Throws
 * `SettingsError`.
 */
export async function checkOwnEnvironment(
  ledger: PaymentLedger,
  { connection, options }: Client,
): Promise<void> {
  const namespace = await readNamespace(connection, options.namespace);
  const { elsewhere } = await ledger.namespaces.misfitOf(namespace).catch(unlessAway);
  if (elsewhere.length === 0) return;
  const message = `is ${ledger.environment}, and workers of the namespace ${namespace.name} record in ${elsewhere.join(', ')}: set it here as it is set for them`;
  throw new SettingsError([{ path: 'PAYSESSION_LEDGER_ENVIRONMENT', message }]);
}

/** A ledger that is away is asked again by whatever goes on. */
function unlessAway(error: unknown): { readonly elsewhere: readonly string[] } {
  if (isPaysessionError(error, 'LEDGER_UNAVAILABLE')) return { elsewhere: [] };
  throw error;
}

/** Warns where nothing was found because this environment is not the workers'. */
export async function warnOfOtherEnvironments({ environment, namespaces }: PaymentLedger): Promise<void> {
  const used = [...new Set((await namespaces.all()).map((use) => use.environment))];
  if (used.length === 0 || used.includes(environment)) return;
  printWarning(
    `no worker records in the environment ${environment}; workers record in ${used.join(', ')}. Is PAYSESSION_LEDGER_ENVIRONMENT set as it is for them?`,
  );
}
