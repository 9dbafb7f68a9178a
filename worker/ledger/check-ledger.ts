import type { PaymentLedger } from '../../ledger';
import { isPaysessionError } from '../../src/errors';
import type { LedgerLog } from './session-ledger';
import type { LedgerNamespaces } from '../../ledger/namespaces';
import type { TemporalNamespace } from '../../src/sessions/temporal-values';

/** The worker that is to use a ledger. */
export interface LedgerUser {
  readonly namespace: TemporalNamespace;
  /** Whether it encrypts what Temporal stores. */
  readonly encrypts: boolean;
}

/** A ledger as a worker looks at it before it works. */
export interface CheckedLedger extends Pick<PaymentLedger, 'environment' | 'isEncrypted' | 'check'> {
  readonly namespaces: Pick<LedgerNamespaces, 'register' | 'misfitOf'>;
}

/**
 * Asks whether the ledger can be used, and warns of what is probably not meant. One that is away for a while keeps no worker from polling;
 * one that cannot be used does: throws what `PaymentLedger.check` throws, but for `LEDGER_UNAVAILABLE`.
 */
export async function checkLedger(
  ledger: CheckedLedger,
  { namespace, encrypts }: LedgerUser,
  log: Pick<LedgerLog, 'warn'>,
): Promise<void> {
  const { environment } = ledger;
  if (environment === 'default' && namespace.name !== 'default')
    log.warn('the ledger’s environment is `default`, which other namespaces may share: name it', {
      namespace: namespace.name,
    });
  if (encrypts && !ledger.isEncrypted)
    log.warn('the worker encrypts, and its ledger does not: give it `encryption`', { environment });
  try {
    await ledger.check();
    const { strangers } = await ledger.namespaces.misfitOf(namespace);
    if (strangers.length > 0)
      log.warn(
        'workers of another namespace record in the same environment of the ledger: a key that they have claimed is refused here. Give each namespace an environment of its own',
        { environment, others: strangers.map(({ name, id }) => `${name} (${id})`) },
      );
    await ledger.namespaces.register(namespace);
  } catch (error) {
    if (!isPaysessionError(error, 'LEDGER_UNAVAILABLE')) throw error;
    log.warn(`no session is created yet: ${error.message}`, { code: error.code });
  }
}
