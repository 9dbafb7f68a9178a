import type { EncryptionKeys } from '../encryption';
import { SettingsError } from '../errors';
import { defined } from '../contract/values/json';
import { readTemporal, type TemporalSettings } from './temporal-settings';
import { readAll, type Environment, type SettingsReader } from './parse-settings';
import { readSecret } from './secret-files';

/** Settings of the ledger. */
export interface LedgerSettings {
  /** The URL of a PostgreSQL database, which may contain a password. */
  readonly url: string;
  /** The name of the sessions' environment. In one environment, each key can be claimed only once. */
  readonly environment: string;
  /**
   * The keys that encrypt the ledger's own keys, with which personal data is encrypted. If absent, these own keys are stored in
   * plain text.
   */
  readonly encryption?: EncryptionKeys;
  /**
   * The number of business days after the day of the payment. If money has neither arrived nor come back within these days, it is
   * late.
   */
  readonly lateAfterDays: number;
  /** The merchant's time zone, in which days are counted: a name of the IANA time zone database. */
  readonly timeZone: string;
}

/** Reads the ledger's settings, and collects the failures. Returns `undefined` if no ledger is set. */
export function readLedger(
  settings: SettingsReader,
  { namespace, encryption }: Pick<TemporalSettings, 'namespace' | 'encryption'>,
): LedgerSettings | undefined {
  const url = readSecret(settings, 'PAYSESSION_LEDGER_URL');
  const environment = settings.read('PAYSESSION_LEDGER_ENVIRONMENT') ?? namespace;
  const lateAfterDays = settings.read('PAYSESSION_LEDGER_LATE_AFTER_DAYS');
  const timeZone = settings.read('PAYSESSION_CONSOLE_TIME_ZONE');
  if (url === undefined) return undefined;
  return defined({ url, environment, lateAfterDays, timeZone, encryption });
}

/** Reads the ledger's settings. Returns `undefined` if no ledger is set. Throws `SettingsError`. */
export function readOptionalLedger(env: Environment = process.env): LedgerSettings | undefined {
  return readAll(env, (settings) => {
    settings.refuseUnknown('client');
    return readLedger(settings, readTemporal(settings));
  });
}

/** Reads the ledger's settings. Throws `SettingsError` if a setting is invalid, or if no ledger is set. */
export function readLedgerSettings(env: Environment = process.env): LedgerSettings {
  const ledger = readOptionalLedger(env);
  if (ledger !== undefined) return ledger;
  throw new SettingsError([
    { path: 'PAYSESSION_LEDGER_URL', message: 'is missing: it names the ledger’s database' },
  ]);
}

/**
 * Reads the ledger's settings for a Temporal server that this process has started, so that the namespace and the keys are known.
 * Returns `undefined` if no ledger is set. Throws `SettingsError`.
 */
export function readLedgerOf(
  temporal: Parameters<typeof readLedger>[1],
  env: Environment = process.env,
): LedgerSettings | undefined {
  return readAll(env, (settings) => readLedger(settings, temporal));
}

/** Reads the key that signs checkpoints of the ledger. Returns `undefined` if no key is set. Throws `SettingsError`. */
export function readSigningKeyText(env: Environment): string | undefined {
  return readAll(env, (settings) => readSecret(settings, 'PAYSESSION_LEDGER_SIGNING_KEY'));
}
