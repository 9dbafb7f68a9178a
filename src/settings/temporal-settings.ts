import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import type { ConnectionOptions } from '@temporalio/client';
import { loadClientConfig, loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig';
import type { ValidationFailure } from '../contract';
import { decodeUtf8, NotUtf8Error, withoutLineBreak } from '../contract/values/outside-text';
import type { EncryptionKeys } from '../encryption';
import { defined } from '../contract/values/json';
import {
  defaultOf,
  readAll,
  readVariable,
  setVariables,
  type Environment,
  type SettingName,
  type SettingsReader,
} from './parse-settings';
import { readSecret } from './secret-files';
import { HEADER_RULE, headerValue } from './setting-values';
import { TEMPORAL_SETTINGS } from './table/temporal';

/** The connection options that a client’s `Connection` and a worker’s `NativeConnection` both accept. */
export interface TemporalConnectionOptions {
  /** HOST:PORT. */
  readonly address: string;
  readonly apiKey?: string;
  readonly tls?: NonNullable<ConnectionOptions['tls']>;
  readonly metadata?: Record<string, string | Buffer>;
}

/** The connection to Temporal, the namespace, the task queue and the encryption of sessions. */
export interface TemporalSettings extends EncryptionSettings {
  readonly connection: TemporalConnectionOptions;
  readonly namespace: string;
  /** The task queue that clients and workers share. */
  readonly taskQueue: string;
  /** True if the address was set. False if it is the default. */
  readonly addressIsSet: boolean;
}

/**
 * Reads Temporal’s settings. The environment takes precedence over the profile in Temporal’s configuration file. Throws `SettingsError`.
 */
export function readTemporalSettings(env: Environment = process.env): TemporalSettings {
  return readAll(env, (settings) => {
    settings.refuseUnknown('client');
    return readTemporal(settings);
  });
}

const HEADERS = 'TEMPORAL_GRPC_META_';

/** Reads Temporal’s settings, and collects the failures. */
export function readTemporal(settings: SettingsReader): TemporalSettings {
  const { env, failures } = settings;
  const before = failures.length;
  const taskQueue = settings.read('PAYSESSION_TASK_QUEUE');
  for (const { name } of TEMPORAL_SETTINGS) if (!name.startsWith(HEADERS)) settings.read(name);
  failures.push(...headerFailures(env));
  const encryption = readKeys(settings);
  failures.push(...fileFailures(env), ...pairFailures(env));
  const config = failures.length > before ? {} : loadConfig(settings);
  const { address, apiKey, tls, metadata } = config.connectionOptions ?? {};
  const connection = defined({
    address: address ?? defaultOf('TEMPORAL_ADDRESS'),
    apiKey: apiKey && withoutLineBreak(apiKey),
    tls: tls ?? undefined,
    metadata,
  });
  failures.push(...headerFailuresOfFile(connection, env));
  const namespace = config.namespace ?? defaultOf('TEMPORAL_NAMESPACE');
  return { connection, namespace, taskQueue, ...encryption, addressIsSet: address !== undefined };
}

/** Loads the connection from Temporal’s configuration file and variables. Adds a failure if that is not possible. */
function loadConfig({ env, failures }: SettingsReader): Partial<ClientConnectConfig> {
  try {
    return loadClientConnectConfig({ overrideEnvVars: setVariables(env) });
  } catch {
    failures.push(loadFailure(env));
    return {};
  }
}

const isHeaderValue = (value: unknown): boolean => headerValue.safeParse(value).success;

function headerFailures(env: Environment): ValidationFailure[] {
  return Object.entries(setVariables(env)).flatMap(([path, value]) =>
    path.startsWith(HEADERS) && !isHeaderValue(value) ? [{ path, message: HEADER_RULE }] : [],
  );
}

/** Returns the failures of the headers and the API key in the configuration file. The variables were checked before. */
function headerFailuresOfFile(
  { apiKey, metadata = {} }: TemporalConnectionOptions,
  env: Environment,
): ValidationFailure[] {
  const values = { ...(apiKey !== undefined && { api_key: apiKey }), ...metadata };
  const file = readVariable(env, 'TEMPORAL_CONFIG_FILE') ?? DEFAULT_FILE;
  return Object.entries(values).flatMap(([name, value]) =>
    isHeaderValue(value)
      ? []
      : [{ path: 'TEMPORAL_CONFIG_FILE', message: `names ${file}, whose ${name} ${HEADER_RULE}` }],
  );
}

const DEFAULT_FILE = 'Temporal’s default configuration file';

const FILES = [
  'TEMPORAL_CONFIG_FILE',
  'TEMPORAL_TLS_CLIENT_CERT_PATH',
  'TEMPORAL_TLS_CLIENT_KEY_PATH',
  'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
] as const satisfies readonly SettingName[];

function fileFailures(env: Environment): ValidationFailure[] {
  return FILES.flatMap((name) => {
    const path = readVariable(env, name);
    const fault = path === undefined ? undefined : fileFault(path, name === 'TEMPORAL_CONFIG_FILE');
    return fault === undefined ? [] : [{ path: name, message: `names a file that ${fault}: ${path}` }];
  });
}

/**
 * Returns the failures of TLS variables that exclude or need each other. Without this check, Temporal's `envconfig` would ignore a
 * certificate without its key, and the server’s refusal would not say why.
 */
function pairFailures(env: Environment): ValidationFailure[] {
  const has = (part: string) =>
    ['PATH', 'DATA'].filter((form) => readVariable(env, `TEMPORAL_TLS_${part}_${form}`) !== undefined);
  const parts = ['CLIENT_CERT', 'CLIENT_KEY', 'SERVER_CA_CERT'];
  const twice = parts
    .filter((part) => has(part).length > 1)
    .map((part) => ({
      path: `TEMPORAL_TLS_${part}_PATH`,
      message: `cannot be set together with TEMPORAL_TLS_${part}_DATA`,
    }));
  const [certificate, key] = [has('CLIENT_CERT').length > 0, has('CLIENT_KEY').length > 0];
  if (certificate === key) return twice;
  const [given, missing] = certificate ? ['CLIENT_CERT', 'CLIENT_KEY'] : ['CLIENT_KEY', 'CLIENT_CERT'];
  return [
    ...twice,
    { path: `TEMPORAL_TLS_${missing}_PATH`, message: `is required with TEMPORAL_TLS_${given}_PATH or _DATA` },
  ];
}

/**
 * Returns the failure of a configuration that cannot be loaded. Does not pass the loader’s own message on, because it may quote the
 * file, which may contain an API key.
 */
function loadFailure(env: Environment): ValidationFailure {
  const profile = readVariable(env, 'TEMPORAL_PROFILE');
  if (profile !== undefined && profilesOf(env)?.includes(profile) === false) {
    return {
      path: 'TEMPORAL_PROFILE',
      message: `names a profile that is not in the configuration file: ${profile}`,
    };
  }
  const path = readVariable(env, 'TEMPORAL_CONFIG_FILE') ?? DEFAULT_FILE;
  return {
    path: 'TEMPORAL_CONFIG_FILE',
    message: `is malformed, or names files that cannot be read: ${path}`,
  };
}

/** Returns the names of the profiles in the configuration file; `undefined` if the file cannot be read. */
function profilesOf(env: Environment): readonly string[] | undefined {
  try {
    return Object.keys(loadClientConfig({ overrideEnvVars: setVariables(env) }).profiles);
  } catch {
    return undefined;
  }
}

function fileFault(path: string, isText: boolean): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    if (isText) decodeUtf8(readFileSync(path));
    return statSync(path).isDirectory() ? UNREADABLE : undefined;
  } catch (error) {
    return error instanceof NotUtf8Error ? error.message : UNREADABLE;
  }
}

const UNREADABLE = 'cannot be read';

/** Settings of the encryption of the data that Temporal stores. */
export interface EncryptionSettings {
  /** The keys that encrypt the data that Temporal stores. If absent, the data is stored in plain text. */
  readonly encryption?: EncryptionKeys;
  /** True if plain text is refused. If so, `encryption` is present. */
  readonly encryptionRequired: boolean;
}

/** Reads the encryption keys, from the environment or from a file. */
function readKeys(settings: SettingsReader): EncryptionSettings {
  const encryptionRequired = settings.read('PAYSESSION_ENCRYPTION') === 'required';
  const encryption = readSecret(settings, 'PAYSESSION_ENCRYPTION_KEYS');
  if (encryptionRequired && !settings.isSet('PAYSESSION_ENCRYPTION_KEYS'))
    settings.fail('PAYSESSION_ENCRYPTION', NO_KEYS);
  return defined({ encryption, encryptionRequired });
}

const NO_KEYS =
  'is `required`, but there are no keys: set PAYSESSION_ENCRYPTION_KEYS_FILE or PAYSESSION_ENCRYPTION_KEYS to the keys of the workers';

/** Returns the bearer token of the codec server, if one is set. Throws `SettingsError`. */
export function readCodecToken(env: Environment): string | undefined {
  return readAll(env, (settings) => readSecret(settings, 'PAYSESSION_CODEC_TOKEN'));
}
