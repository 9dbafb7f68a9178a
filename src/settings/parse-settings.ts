import type { z } from 'zod';
import type { ValidationFailure } from '../contract';
import { SettingsError } from '../errors';
import { SETTINGS, type SettingName } from './settings-table';
import type { Setting } from './table/setting';
import { settingFault, withoutLineBreak } from '../contract/values/outside-text';

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

/** Reads the named settings and collects what is wrong with them. A malformed one has no value. */
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

/** The text of a variable, without a line break at its end; `undefined` when it is unset or empty. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = withoutLineBreak(env[name] ?? '');
  return value === '' ? undefined : value;
}

/** The variables that are set, as `readVariable` reads them. */
export function setVariables(env: Environment): Record<string, string> {
  const read = Object.keys(env).map((name) => [name, readVariable(env, name)] as const);
  return Object.fromEntries(read.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** The default that the table gives for a setting. */
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
