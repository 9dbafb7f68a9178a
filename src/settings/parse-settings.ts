import type { z } from 'zod';
import type { ValidationFailure } from '../contract';
import { settingFault, withoutLineBreak } from '../contract/values/outside-text';
import { nearest } from '../contract/values/text';
import { SettingsError } from '../errors';
import { CONSOLE_SETTINGS } from './table/console';
import { LEDGER_SETTINGS } from './table/ledger';
import { WEBHOOK_SETTINGS } from './table/webhooks';
import { PAYMENT_SERVICE_SETTINGS } from './table/payment-service';
import type { Setting, SettingRow, SettingSubject } from './table/setting-row';
import { ENCRYPTION_SETTINGS, TEMPORAL_SERVER_SETTINGS, TEMPORAL_SETTINGS } from './table/temporal';
import { WORKER_SETTINGS } from './table/worker';

/** Adds the subject to the rows of one table of settings. */
const under = <Row extends SettingRow>(subject: SettingSubject, rows: readonly Row[]) =>
  rows.map((row) => ({ subject, secret: false, ...row }));

/**
 * The table of all settings, in the order of the documentation. The code that reads settings, the documentation and `paysession doctor`
 * all use this table.
 */
export const SETTINGS = [
  ...under('Temporal', TEMPORAL_SETTINGS),
  ...under('Temporal', ENCRYPTION_SETTINGS),
  ...under('Payment service', PAYMENT_SERVICE_SETTINGS),
  ...under('Worker', WORKER_SETTINGS),
  ...under('Ledger', LEDGER_SETTINGS),
  ...under('Webhooks', WEBHOOK_SETTINGS),
  ...under('Console', CONSOLE_SETTINGS),
  ...under('Temporal server', TEMPORAL_SERVER_SETTINGS),
];

export type SettingName = (typeof SETTINGS)[number]['name'];

/** Environment variables. An empty variable counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

type Row = (typeof SETTINGS)[number];

type RowOf<Name extends SettingName> = Extract<Row, { readonly name: Name }>;

/** The type of a setting's value. It includes `undefined` if the setting has no default. */
export type SettingValue<Name extends SettingName> =
  | z.output<RowOf<Name>['schema']>
  | (RowOf<Name> extends { readonly default: string } ? never : undefined);

/** Reads settings, and collects their failures. */
export class SettingsReader {
  readonly env: Environment;
  readonly failures: ValidationFailure[] = [];

  constructor(env: Environment) {
    this.env = env;
  }

  /** Returns the value of a setting. Returns `undefined` and adds a failure if the setting is malformed. */
  read<Name extends SettingName>(name: Name): SettingValue<Name> {
    return this.#parse(settingNamed(name)) as SettingValue<Name>;
  }

  /** True if the setting's variable is set, or the variable that names the setting's file. The value may be malformed. */
  isSet(name: string): boolean {
    return [name, `${name}_FILE`].some((variable) => readVariable(this.env, variable) !== undefined);
  }

  /** Adds a failure. */
  fail(path: string, message: string): void {
    this.failures.push({ path, message });
  }

  /** Checks settings that need each other. If some are set and some are missing, adds a failure for each missing setting. */
  requireTogether(names: readonly SettingName[], message: string): void {
    const missing = names.filter((name) => !this.isSet(name));
    if (missing.length < names.length) for (const name of missing) this.fail(name, message);
  }

  /**
   * Adds a failure for each variable with the prefix `PAYSESSION_` that is not a setting. The failure suggests the setting that the name
   * resembles, if there is one. A misspelt setting is dangerous: it could silently leave a worker without encryption.
   *
   * For a client, refuses only names that resemble a setting. Ignores empty variables and the variables of Kubernetes Services.
   */
  refuseUnknown(reader: Reader): void {
    for (const [name, value] of Object.entries(this.env)) {
      const ending = name.slice(PREFIX.length);
      if (!name.startsWith(PREFIX) || !value || ENDINGS.includes(ending) || isServiceLink(ending, value))
        continue;
      const meant = nearest(ending, ENDINGS);
      if (meant !== undefined) this.fail(name, `is not a setting; did you mean ${PREFIX}${meant}?`);
      else if (reader === 'worker') this.fail(name, UNKNOWN);
    }
  }

  #parse(row: Setting): unknown {
    const given = readVariable(this.env, row.name) ?? row.default;
    if (given === undefined) return undefined;
    const fault = settingFault(given, row.hasLines);
    if (fault === undefined) {
      const parsed = row.schema.safeParse(given);
      for (const { message } of parsed.error?.issues ?? []) this.fail(row.name, message);
      return parsed.data;
    }
    this.fail(row.name, fault);
    return undefined;
  }
}

/** Reads settings. Throws one `SettingsError` that lists every failure. */
export function readAll<T>(env: Environment, read: (settings: SettingsReader) => T): T {
  const settings = new SettingsReader(env);
  const value = read(settings);
  refuseFailures(settings.failures);
  return value;
}

/** Returns the text of a variable, without a line break at the end. Returns `undefined` if the variable is unset or empty. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = withoutLineBreak(env[name] ?? '');
  return value === '' ? undefined : value;
}

/** Returns all variables that are set, with their texts as `readVariable` returns them. */
export function setVariables(env: Environment): Record<string, string> {
  const read = Object.keys(env).map((name) => [name, readVariable(env, name)] as const);
  return Object.fromEntries(read.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Returns the default of a setting. */
export function defaultOf(name: Extract<Row, { readonly default: string }>['name']): string {
  return settingNamed(name).default ?? '';
}

/** If there are failures, throws one `SettingsError` that lists them. */
export function refuseFailures(failures: readonly ValidationFailure[]): void {
  if (failures.length > 0) throw new SettingsError(failures);
}

function settingNamed(name: SettingName): Setting {
  const row = SETTINGS.find((setting) => setting.name === name);
  if (row === undefined) throw new TypeError(`${name} is not in the table of settings`);
  return row;
}

const PREFIX = 'PAYSESSION_';
const ENDINGS = SETTINGS.flatMap(({ name }) => (name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []));

/**
 * The kind of process whose variables are read. A worker's process belongs to paysession alone. A client is a part of another program,
 * which may have its own variables.
 */
type Reader = 'worker' | 'client';

const UNKNOWN = 'is not a setting: remove it, or look it up in docs/reference/settings.md';

const LINK_NAME = /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const LINK_VALUE = /^(tcp|udp|sctp):\/\//;

/**
 * True if Kubernetes has set the variable for a Service. By default, Kubernetes sets variables for each Service of a namespace in all
 * containers. If a Service is called `paysession`, these variables have our prefix.
 */
function isServiceLink(ending: string, value: string): boolean {
  return LINK_NAME.test(`_${ending}`) || (/(^|_)PORT$/.test(ending) && LINK_VALUE.test(value));
}
