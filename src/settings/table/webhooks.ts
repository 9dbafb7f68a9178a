import { flag, webhookSecret, text } from '../setting-values';
import type { Setting } from './setting';

/** Settings of webhooks, which report changes to the merchant's systems. */
export const WEBHOOK_SETTINGS = [
  {
    name: 'PAYSESSION_WEBHOOK_URL',
    subject: 'Webhooks',
    meaning:
      'Where each change of a session is sent by HTTP POST, signed as Standard Webhooks has it: an https URL. Needs a ledger. For several endpoints, or some kinds of webhooks only, set PAYSESSION_WEBHOOK_FILE.',
    secret: false,
    showsOrigin: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_WEBHOOK_SECRET',
    subject: 'Webhooks',
    meaning: 'Signs the messages to that URL: a secret from `paysession webhooks new-secret`.',
    secret: true,
    schema: webhookSecret,
  },
  {
    name: 'PAYSESSION_WEBHOOK_SECRET_FILE',
    subject: 'Webhooks',
    meaning: 'File with that secret instead, such as a mounted secret.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_WEBHOOK_FILE',
    subject: 'Webhooks',
    meaning:
      'JSON file of endpoints by name: `{ "endpoints": { "shop": { "url": "https://…", "secrets": ["whsec_…"] } } }`, each also with `accounts`, `kinds` and `personalData`.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_WEBHOOK_LOOPBACK',
    subject: 'Webhooks',
    meaning: 'Whether endpoints may be on this machine, and http there: for development. If unset, false.',
    secret: false,
    schema: flag,
  },
] as const satisfies readonly Setting[];
