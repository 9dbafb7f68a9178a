import { ledgerEnvironment, lateAfterDays, postgresUrl, signingKey } from '../setting-values';
import { fileRow, type SettingRow } from './setting-row';

/** Settings of the ledger, which keeps sessions for longer than Temporal does. */
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
      'The name of the sessions’ environment. In one environment, each key can be claimed only once. If unset: the name of the Temporal namespace. Set it if two Temporal servers share a database and have namespaces with the same name.',
    schema: ledgerEnvironment,
  },
  {
    name: 'PAYSESSION_LEDGER_LATE_AFTER_DAYS',
    meaning:
      'The number of business days (1 to 60) after the day of a payment. If the money has neither arrived nor come back within these days, it is late. Weekends and the holidays of Canadian banks do not count.',
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
