import type { Connection } from '@temporalio/client';
import { PaymentLedger, type EnvironmentMisfit, type TemporalNamespace } from '../../../ledger';
import { isPaysessionError } from '../../../src/errors';
import { readNamespace } from '../../../src/sessions';
import type { Settings } from '../../../src/settings';
import type { Finding } from './finding';

const SUBJECT = 'Ledger environment';

/**
 * Checks that the ledger's environment is the one in which the namespace's workers record, and no other namespace's. Returns nothing without a
 * ledger, and while it does not answer, which is a finding of its own.
 */
export async function examineLedgerEnvironment(
  connection: Connection,
  { ledger: settings, namespace: name }: Pick<Settings, 'ledger' | 'namespace'>,
): Promise<readonly Finding[]> {
  if (settings === undefined) return [];
  const ledger = new PaymentLedger(settings);
  try {
    const namespace = await readNamespace(connection, name);
    return [findingOf(await ledger.namespaces.misfitOf(namespace), settings.environment, namespace)];
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    return [];
  } finally {
    await ledger.close();
  }
}

function findingOf(
  { strangers, elsewhere }: EnvironmentMisfit,
  environment: string,
  namespace: TemporalNamespace,
): Finding {
  if (elsewhere.length > 0) {
    const found = `this machine reads ${environment}, and workers of the namespace ${namespace.name} record in ${elsewhere.join(', ')}`;
    const fix = 'Set PAYSESSION_LEDGER_ENVIRONMENT here as it is set for the workers.';
    return { subject: SUBJECT, ok: false, found, fix };
  }
  if (strangers.length > 0) {
    const others = strangers.map((other) => nameOf(other, namespace)).join(', ');
    const found = `${environment} is also used by ${others}: a key that one has claimed is refused to the other`;
    const fix =
      'Set PAYSESSION_LEDGER_ENVIRONMENT to a name of its own for the workers of one. After a Temporal server was replaced, this passes within a day.';
    return { subject: SUBJECT, ok: false, found, fix };
  }
  return { subject: SUBJECT, ok: true, found: `${environment} has no workers of other namespaces` };
}

const nameOf = ({ name, id }: TemporalNamespace, own: TemporalNamespace): string =>
  name === own.name ? `the namespace ${name} of another Temporal server (${id})` : `the namespace ${name}`;
