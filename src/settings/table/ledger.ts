import { ledgerEnvironment, lateAfterDays, postgresUrl, signingKey, text } from '../setting-values';
import type { Setting } from './setting';

/** Settings of the ledger, which outlives Temporal's histories. */
export const LEDGER_SETTINGS = [
  {
    name: 'PAYSESSION_LEDGER_URL',
    subject: 'Ledger',
    meaning:
      'The PostgreSQL database (14 or later) that keeps the ledger: postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with `?sslmode=verify-full` where it is on another machine. If unset, there is no ledger.',
    secret: true,
    schema: postgresUrl,
  },
  {
    name: 'PAYSESSION_LEDGER_URL_FILE',
    subject: 'Ledger',
    meaning: 'File with that URL instead, such as a mounted secret.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_LEDGER_ENVIRONMENT',
    subject: 'Ledger',
    meaning:
      'Whose sessions these are: a key is claimed once in it. Set it where namespaces of two Temporal servers with the same name share a database. If unset, the Temporal namespace.',
    secret: false,
    schema: ledgerEnvironment,
  },
  {
    name: 'PAYSESSION_LEDGER_LATE_AFTER_DAYS',
    subject: 'Ledger',
    meaning:
      'Business days after the day of a payment, 1 to 60. Money that has neither arrived nor come back after them is late. Weekends and the holidays of Canadian banks do not count.',
    default: '5',
    secret: false,
    schema: lateAfterDays,
  },
  {
    name: 'PAYSESSION_LEDGER_SIGNING_KEY',
    subject: 'Ledger',
    meaning:
      'The key that signs checkpoints of the ledger, from `paysession ledger new-key`. Only who makes checkpoints needs it, and not on the database’s machine.',
    secret: true,
    schema: signingKey,
  },
  {
    name: 'PAYSESSION_LEDGER_SIGNING_KEY_FILE',
    subject: 'Ledger',
    meaning: 'File with that key instead, such as a mounted secret.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
] as const satisfies readonly Setting[];
