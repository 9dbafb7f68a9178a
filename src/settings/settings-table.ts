import { CONSOLE_SETTINGS } from './table/console';
import { ENCRYPTION_SETTINGS } from './table/encryption';
import { LEDGER_SETTINGS } from './table/ledger';
import { WEBHOOK_SETTINGS } from './table/webhooks';
import { OBSERVABILITY_SETTINGS } from './table/observability';
import { PAYMENT_SERVICE_SETTINGS } from './table/payment-service';
import { TEMPORAL_SETTINGS } from './table/temporal';
import { TEMPORAL_SERVER_SETTINGS } from './table/temporal-server';
import { WORKER_SETTINGS } from './table/worker';

/**
 * Every setting, once, in the order of the documentation. Reading, documentation and `paysession doctor` all follow this
 * table.
 */
export const SETTINGS = [
  ...TEMPORAL_SETTINGS,
  ...ENCRYPTION_SETTINGS,
  ...PAYMENT_SERVICE_SETTINGS,
  ...WORKER_SETTINGS,
  ...OBSERVABILITY_SETTINGS,
  ...LEDGER_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...CONSOLE_SETTINGS,
  ...TEMPORAL_SERVER_SETTINGS,
] as const;

export type SettingName = (typeof SETTINGS)[number]['name'];
