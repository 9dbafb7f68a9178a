import { flag, webhookSecret, text } from '../setting-values';
import { fileRow, type SettingRow } from './setting';

/** Settings of webhooks, which report changes to the merchant's systems. */
export const WEBHOOK_SETTINGS = [
  {
    name: 'PAYSESSION_WEBHOOK_URL',
    meaning:
      'Where each change of a session is sent by HTTP POST, signed as Standard Webhooks has it: an https URL. Needs a ledger. For several endpoints, or some kinds of webhooks only, set PAYSESSION_WEBHOOK_FILE.',
    showsOrigin: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_WEBHOOK_SECRET',
    meaning: 'Signs the messages to that URL: a secret from `paysession webhooks new-secret`.',
    secret: true,
    schema: webhookSecret,
  },
  fileRow('PAYSESSION_WEBHOOK_SECRET_FILE', 'that secret'),
  {
    name: 'PAYSESSION_WEBHOOK_FILE',
    meaning:
      'JSON file of endpoints by name: `{ "endpoints": { "shop": { "url": "https://…", "secrets": ["whsec_…"] } } }`, each also with `accounts`, `kinds` and `personalData`.',
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_WEBHOOK_LOOPBACK',
    meaning: 'Allows endpoints on this machine, also by http (true), for development.',
    schema: flag,
  },
] as const satisfies readonly SettingRow[];
