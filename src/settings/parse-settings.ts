import type { z } from 'zod';
import type { ValidationFailure } from '../contract';
import { settingFault, withoutLineBreak } from '../contract/values/outside-text';
import { nearest } from '../contract/values/text';
import { SettingsError } from '../errors';
import { CONSOLE_SETTINGS } from './table/console';
import { LEDGER_SETTINGS } from './table/ledger';
import { WEBHOOK_SETTINGS } from './table/webhooks';
import { PAYMENT_SERVICE_SETTINGS } from './table/payment-service';
import type { Setting } from './table/setting';
import { ENCRYPTION_SETTINGS, TEMPORAL_SERVER_SETTINGS, TEMPORAL_SETTINGS } from './table/temporal';
import { HINT_SETTINGS, OBSERVABILITY_SETTINGS, WORKER_SETTINGS } from './table/worker';

/**
 * Every setting, once, in the order of the documentation. Reading, documentation and `paysession doctor` all follow this
 * table.
 */
export const SETTINGS = [
  ...TEMPORAL_SETTINGS,
  ...ENCRYPTION_SETTINGS,
  ...PAYMENT_SERVICE_SETTINGS,
  ...WORKER_SETTINGS,
  ...OBSERVABILITY_SETTINGS,
  ...HINT_SETTINGS,
  ...LEDGER_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...CONSOLE_SETTINGS,
  ...TEMPORAL_SERVER_SETTINGS,
] as const;

export type SettingName = (typeof SETTINGS)[number]['name'];

/** Environment variables; an empty one counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

type Row = (typeof SETTINGS)[number];

/** The parsed value of each named setting; `undefined` if it is unset and has no default. */
export type SettingValues<Name extends SettingName> = {
  readonly [R in Row as R['name'] & Name]: z.output<R['schema']> | DefaultOf<R>;
};

type DefaultOf<R extends Row> = R extends { readonly default: string } ? never : undefined;

export interface Parsed<Value> {
  readonly value: Value;
  readonly failures: readonly ValidationFailure[];
}

/** Reads the named settings and collects their failures. A malformed setting has no value. */
export function parseSettings<Name extends SettingName>(
  env: Environment,
  names: readonly Name[],
): Parsed<SettingValues<Name>> {
  const rows = names.map(settingNamed);
  const results = rows.map((row) => ({ row, ...parseOne(row, env) }));
  return {
    value: Object.fromEntries(results.map(({ row, value }) => [row.name, value])) as SettingValues<Name>,
    failures: results.flatMap(({ failures }) => failures),
  };
}

function parseOne(row: Setting, env: Environment): Parsed<unknown> {
  const given = readVariable(env, row.name) ?? row.default;
  if (given === undefined) return { value: undefined, failures: [] };
  const fault = settingFault(given, row.hasLines);
  if (fault !== undefined) return { value: undefined, failures: [{ path: row.name, message: fault }] };
  const parsed = row.schema.safeParse(given);
  if (parsed.success) return { value: parsed.data, failures: [] };
  const failures = parsed.error.issues.map(({ message }) => ({ path: row.name, message }));
  return { value: undefined, failures };
}

/** Returns the text of a variable, without a line break at its end; `undefined` if it is unset or empty. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = withoutLineBreak(env[name] ?? '');
  return value === '' ? undefined : value;
}

/** Returns the variables that are set, as `readVariable` reads them. */
export function setVariables(env: Environment): Record<string, string> {
  const read = Object.keys(env).map((name) => [name, readVariable(env, name)] as const);
  return Object.fromEntries(read.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Returns the default of a setting. */
export function defaultOf(name: Extract<Row, { readonly default: string }>['name']): string {
  return settingNamed(name).default ?? '';
}

/** Throws one `SettingsError` that lists every failure. */
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
 * The process whose variables are read. A worker's variables are all its own; a client shares them with the program that it is part
 * of.
 */
type Reader = 'worker' | 'client';

/**
 * Returns a failure for each variable with our prefix that is not a setting, with the setting that it resembles. A misspelt setting
 * would silently leave a worker without its encryption. A client refuses only a name that resembles a setting.
 */
export function unknownSettings(env: Environment, reader: Reader): ValidationFailure[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!name.startsWith(PREFIX) || value === undefined || value === '') return [];
    const ending = name.slice(PREFIX.length);
    if (ENDINGS.includes(ending) || isServiceLink(ending, value)) return [];
    const meant = nearest(ending, ENDINGS);
    if (meant !== undefined)
      return [{ path: name, message: `is not a setting; did you mean ${PREFIX}${meant}?` }];
    return reader === 'client' ? [] : [{ path: name, message: UNKNOWN }];
  });
}

const UNKNOWN = 'is not a setting: remove it, or look it up in docs/reference/settings.md';

const LINK_NAME = /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const LINK_VALUE = /^(tcp|udp|sctp):\/\//;

/**
 * True for a variable of a Kubernetes Service. Kubernetes sets such variables in every container, named after each Service: one may
 * be called `paysession`.
 */
function isServiceLink(ending: string, value: string): boolean {
  return LINK_NAME.test(`_${ending}`) || (/(^|_)PORT$/.test(ending) && LINK_VALUE.test(value));
}
