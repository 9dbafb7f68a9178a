import type { EncryptionKeys } from '../encryption';
import { SettingsError } from '../errors';
import { parseTemporalSettings } from './temporal-settings';
import { parseSettings, refuseFailures, type Environment, type Parsed } from './parse-settings';
import { parseSecret } from './secret-files';

/** The ledger's database, and the environment of its sessions. */
export interface LedgerSettings {
  /** The URL of a PostgreSQL database, with its password. */
  readonly url: string;
  /** The environment of the sessions, in which a key is claimed once. */
  readonly environment: string;
  /** The keys that wrap the keys of personal data. */
  readonly encryption?: EncryptionKeys;
  /** The business days after its payment within which money arrives. */
  readonly lateAfterDays: number;
  /** The merchant's time zone. */
  readonly timeZone: string;
}

/** Parses the ledger's settings; the result is empty if no ledger is set. */
export function parseLedger(
  env: Environment,
  temporal: { readonly namespace: string; readonly encryption?: EncryptionKeys },
): Parsed<{ readonly ledger?: LedgerSettings }> {
  const url = parseSecret(env, 'PAYSESSION_LEDGER_URL', 'PAYSESSION_LEDGER_URL_FILE');
  const rest = parseSettings(env, [
    'PAYSESSION_LEDGER_ENVIRONMENT',
    'PAYSESSION_LEDGER_LATE_AFTER_DAYS',
    'PAYSESSION_CONSOLE_TIME_ZONE',
  ]);
  const failures = [...url.failures, ...rest.failures];
  if (url.value === undefined) return { value: {}, failures };
  const { namespace, encryption } = temporal;
  const { PAYSESSION_LEDGER_ENVIRONMENT: environment = namespace } = rest.value;
  const ledger = {
    url: url.value,
    environment,
    lateAfterDays: rest.value.PAYSESSION_LEDGER_LATE_AFTER_DAYS,
    timeZone: rest.value.PAYSESSION_CONSOLE_TIME_ZONE,
    ...(encryption !== undefined && { encryption }),
  };
  return { value: { ledger }, failures };
}

/** Reads the ledger's settings; `undefined` if none is set. Throws `SettingsError`. */
export function readOptionalLedger(env: Environment = process.env): LedgerSettings | undefined {
  const temporal = parseTemporalSettings(env);
  const { value, failures } = parseLedger(env, temporal.value);
  refuseFailures([...temporal.failures, ...failures]);
  return value.ledger;
}

/** Reads the ledger's settings. Throws `SettingsError` if none is set. */
export function readLedgerSettings(env: Environment = process.env): LedgerSettings {
  const ledger = readOptionalLedger(env);
  if (ledger !== undefined) return ledger;
  throw new SettingsError([
    { path: 'PAYSESSION_LEDGER_URL', message: 'is missing: it names the ledger’s database' },
  ]);
}

/**
 * Reads the same for a Temporal server of this process, whose namespace and keys are known; `undefined` if no ledger is set. Throws
 * `SettingsError`.
 */
export function readLedgerOf(
  temporal: Parameters<typeof parseLedger>[1],
  env: Environment = process.env,
): LedgerSettings | undefined {
  const { value, failures } = parseLedger(env, temporal);
  refuseFailures(failures);
  return value.ledger;
}

/** Reads the key that signs checkpoints; `undefined` if none is set. Throws `SettingsError`. */
export function readSigningKeyText(): string | undefined {
  const name = 'PAYSESSION_LEDGER_SIGNING_KEY';
  const { value, failures } = parseSecret(process.env, name, `${name}_FILE`);
  refuseFailures(failures);
  return value;
}
