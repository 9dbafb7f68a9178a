import { ledgerEnvironment, lateAfterDays, postgresUrl, signingKey } from '../setting-values';
import { fileRow, type SettingRow } from './setting-row';

/** Settings of the ledger, which outlives Temporal's histories. */
export const LEDGER_SETTINGS = [
  {
    name: 'PAYSESSION_LEDGER_URL',
    meaning:
      'The PostgreSQL database (14 or later) that keeps the ledger: postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with `?sslmode=verify-full` if it is on another machine. If unset, there is no ledger.',
    secret: true,
    schema: postgresUrl,
  },
  fileRow('PAYSESSION_LEDGER_URL_FILE', 'that URL'),
  {
    name: 'PAYSESSION_LEDGER_ENVIRONMENT',
    meaning:
      'The name of the environment in which each key is claimed once. Set it if namespaces of two Temporal servers have the same name and share a database. If unset: the name of the Temporal namespace.',
    schema: ledgerEnvironment,
  },
  {
    name: 'PAYSESSION_LEDGER_LATE_AFTER_DAYS',
    meaning:
      'Money is late if it has neither arrived nor come back within this many business days (1 to 60) after the day of its payment. Weekends and the holidays of Canadian banks do not count.',
    default: '5',
    schema: lateAfterDays,
  },
  {
    name: 'PAYSESSION_LEDGER_SIGNING_KEY',
    meaning:
      'The key that signs checkpoints of the ledger, from `paysession ledger new-key`. Only the process that makes checkpoints needs it. Keep it off the database’s machine.',
    secret: true,
    schema: signingKey,
  },
  fileRow('PAYSESSION_LEDGER_SIGNING_KEY_FILE', 'that key'),
] as const satisfies readonly SettingRow[];
