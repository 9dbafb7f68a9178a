import { flag, webhookSecret, text } from '../setting-values';
import { fileRow, type SettingRow } from './setting-row';

/** Settings of webhooks, which report changes to the merchant's systems. */
export const WEBHOOK_SETTINGS = [
  {
    name: 'PAYSESSION_WEBHOOK_URL',
    meaning:
      'The https URL that receives each change of a session from workers and from `paysession webhooks send`, as an HTTP POST with a signature of Standard Webhooks. Needs a ledger and a secret. For several endpoints, or for only some kinds of webhooks, set PAYSESSION_WEBHOOK_FILE.',
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
      'JSON file of endpoints by name: `{ "endpoints": { "shop": { "url": "https://…", "secrets": ["whsec_…"] } } }`. Each endpoint may also have `accounts`, `kinds` and `personalData`.',
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_WEBHOOK_LOOPBACK',
    meaning: 'For development: allows endpoints on this machine (true), with https or http.',
    schema: flag,
  },
] as const satisfies readonly SettingRow[];
