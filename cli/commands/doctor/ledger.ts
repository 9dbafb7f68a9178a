import { PaymentLedger } from '../../../ledger';
import { ERROR_CODES, isPaysessionError } from '../../../src/errors';
import type { Settings } from '../../../src/settings';
import type { Finding } from './finding';
import { examineNews } from './news';

/**
 * Whether the ledger answers, and its tables are those of this version; then what it tells of the endpoints of news. Nothing where no
 * ledger is set.
 */
export async function examineLedger({
  ledger: settings,
  news,
}: Pick<Settings, 'ledger' | 'news'>): Promise<readonly Finding[]> {
  if (settings === undefined) return [];
  const subject = 'Ledger';
  const ledger = new PaymentLedger(settings);
  try {
    await ledger.check();
    return [
      { subject, ok: true, found: `answers, for the environment ${settings.environment}` },
      ...(news === undefined ? [] : await examineNews(ledger, news)),
    ];
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    const { code } = error;
    const { meaning: found, remedy: fix } = ERROR_CODES[code];
    const isOutdated = code === 'LEDGER_SCHEMA_OUTDATED';
    return [
      {
        subject,
        ok: false,
        found,
        fix,
        ...(isOutdated && { commands: ['paysession ledger migrate'] }),
      },
    ];
  } finally {
    await ledger.close();
  }
}
