import { flag, newsSecret, text } from '../setting-values';
import type { Setting } from './setting';

/** Where the merchant's systems are told of changes. */
export const NEWS_SETTINGS = [
  {
    name: 'PAYSESSION_NEWS_URL',
    subject: 'News',
    meaning:
      'Where each change of a session is sent by HTTP POST, signed as Standard Webhooks has it: an https URL. Needs a ledger. For several endpoints, or some kinds of news only, set PAYSESSION_NEWS_FILE.',
    secret: false,
    showsOrigin: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_NEWS_SECRET',
    subject: 'News',
    meaning: 'Signs the messages to that URL: a secret from `paysession news new-secret`.',
    secret: true,
    schema: newsSecret,
  },
  {
    name: 'PAYSESSION_NEWS_SECRET_FILE',
    subject: 'News',
    meaning: 'File with that secret instead, such as a mounted secret.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_NEWS_FILE',
    subject: 'News',
    meaning:
      'JSON file of endpoints by name: `{ "endpoints": { "shop": { "url": "https://…", "secrets": ["whsec_…"] } } }`, each also with `accounts`, `kinds` and `personalData`.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_NEWS_LOOPBACK',
    subject: 'News',
    meaning: 'Whether endpoints may be on this machine, and http there: for development. If unset, false.',
    secret: false,
    schema: flag,
  },
] as const satisfies readonly Setting[];
