import type { PaymentLedger } from '../../ledger';
import { isPaysessionError } from '../../src/errors';
import type { LedgerLog } from './session-ledger';

/** The worker that is to use a ledger. */
export interface LedgerUser {
  readonly namespace: string;
  /** Whether it encrypts what Temporal stores. */
  readonly encrypts: boolean;
}

/**
 * Asks whether the ledger can be used, and warns of what is probably not meant. One that is away for a while keeps no worker from polling;
 * one that cannot be used does: throws what `PaymentLedger.check` throws, but for `LEDGER_UNAVAILABLE`.
 */
export async function checkLedger(
  ledger: Pick<PaymentLedger, 'environment' | 'isEncrypted' | 'check'>,
  { namespace, encrypts }: LedgerUser,
  log: Pick<LedgerLog, 'warn'>,
): Promise<void> {
  const { environment } = ledger;
  if (environment === 'default' && namespace !== 'default')
    log.warn('the ledger’s environment is `default`, which other namespaces may share: name it', {
      namespace,
    });
  if (encrypts && !ledger.isEncrypted)
    log.warn('the worker encrypts, and its ledger does not: give it `encryption`', { environment });
  try {
    await ledger.check();
  } catch (error) {
    if (!isPaysessionError(error, 'LEDGER_UNAVAILABLE')) throw error;
    log.warn(`no session is created yet: ${error.message}`, { code: error.code });
  }
}
