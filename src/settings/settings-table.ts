import type { z } from 'zod';
import { encryptionKeysSchema } from '../encryption';
import {
  text,
  flag,
  unsupportedFlag,
  host,
  ipAddress,
  logFormat,
  logLevel,
  port,
  taskQueue,
  callsPerSecond,
  workerCount,
  longestRetryAfterSchema,
  exchangeTime,
  hostAndPort,
  baseUrlSchema,
  encryptionMode,
  bearerToken,
  tracedPolls,
} from './setting-values';
import {
  addressRanges,
  consoleSecret,
  headerName,
  issuerUrl,
  loginLasts,
  oidcScope,
  publicUrl,
  roleName,
} from './console-values';

/** The subjects that settings are grouped by, in the order of the documentation. */
export type SettingSubject = 'Temporal' | 'Payment service' | 'Worker' | 'Console' | 'Temporal server';

/** One setting: an environment variable of the same name. */
export interface Setting {
  /** The environment variable; a trailing `*` stands for any ending. */
  readonly name: string;
  readonly subject: SettingSubject;
  readonly meaning: string;
  /** The value of the setting if it is unset; absent if it then has none. */
  readonly default?: string;
  /** Whether the value must never be shown. */
  readonly secret: boolean;
  /** Whether it names a file that holds secrets, which other users should not read. */
  readonly isSecretFile?: true;
  /** Checks the text and turns it into the setting's value. Its messages never hold the value. */
  readonly schema: z.ZodType<unknown, string>;
}

/**
 * Every setting, once. Reading, documentation and `paysession doctor` all follow this table. Temporal's own settings are
 * those of `@temporalio/envconfig`: the environment wins over the profile in its file.
 */
export const SETTINGS = [
  {
    name: 'TEMPORAL_ADDRESS',
    subject: 'Temporal',
    meaning: 'The Temporal server, as HOST:PORT.',
    default: 'localhost:7233',
    secret: false,
    schema: hostAndPort,
  },
  {
    name: 'TEMPORAL_NAMESPACE',
    subject: 'Temporal',
    meaning: 'The namespace that holds the payment sessions.',
    default: 'default',
    secret: false,
    schema: text,
  },
  {
    name: 'TEMPORAL_API_KEY',
    subject: 'Temporal',
    meaning: 'API key for Temporal Cloud; turns TLS on.',
    secret: true,
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS',
    subject: 'Temporal',
    meaning: 'Turns TLS on (true) or off (false), whatever the other TLS settings say.',
    secret: false,
    schema: flag,
  },
  {
    name: 'TEMPORAL_TLS_CLIENT_CERT_PATH',
    subject: 'Temporal',
    meaning: 'File with the client’s certificate (PEM), for mutual TLS.',
    secret: false,
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS_CLIENT_CERT_DATA',
    subject: 'Temporal',
    meaning: 'The client’s certificate itself (PEM), instead of a file.',
    secret: false,
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS_CLIENT_KEY_PATH',
    subject: 'Temporal',
    meaning: 'File with the client’s private key (PEM).',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS_CLIENT_KEY_DATA',
    subject: 'Temporal',
    meaning: 'The client’s private key itself (PEM), instead of a file.',
    secret: true,
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
    subject: 'Temporal',
    meaning: 'File with the certificate of the authority that signed the server’s (PEM).',
    secret: false,
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS_SERVER_CA_CERT_DATA',
    subject: 'Temporal',
    meaning: 'The certificate of that authority itself (PEM), instead of a file.',
    secret: false,
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS_SERVER_NAME',
    subject: 'Temporal',
    meaning: 'The name in the server’s certificate, if it is not the host of the address.',
    secret: false,
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION',
    subject: 'Temporal',
    meaning: 'Not supported by Temporal’s TypeScript SDK: true is refused.',
    secret: false,
    schema: unsupportedFlag,
  },
  {
    name: 'TEMPORAL_GRPC_META_*',
    subject: 'Temporal',
    meaning: 'A gRPC header sent with every call. The ending is its name.',
    secret: true,
    schema: text,
  },
  {
    name: 'TEMPORAL_PROFILE',
    subject: 'Temporal',
    meaning: 'The profile to read from Temporal’s configuration file.',
    default: 'default',
    secret: false,
    schema: text,
  },
  {
    name: 'TEMPORAL_CONFIG_FILE',
    subject: 'Temporal',
    meaning:
      'Temporal’s configuration file (TOML). If unset: temporalio/temporal.toml in the user’s configuration folder.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_ENCRYPTION_KEYS',
    subject: 'Temporal',
    meaning:
      'Keys that encrypt what Temporal stores of a session, the same for every client and worker: ID:KEY, or several joined by commas. Each KEY is 32 bytes in base64. The first encrypts, all decrypt. If unset, sessions are stored in plain text.',
    secret: true,
    schema: encryptionKeysSchema,
  },
  {
    name: 'PAYSESSION_ENCRYPTION_KEYS_FILE',
    subject: 'Temporal',
    meaning:
      'File with these keys instead, such as a mounted secret: a key a line, or joined by commas. It is read at the start.',
    secret: false,
    schema: text,
  },
  {
    name: 'PAYSESSION_ENCRYPTION',
    subject: 'Temporal',
    meaning:
      '`required`: clients and workers without keys refuse to start, and plain text is refused where data of a session is expected. `optional`: plain text is read, because sessions may be older than the keys.',
    default: 'optional',
    secret: false,
    schema: encryptionMode,
  },
  {
    name: 'PAYSESSION_CODEC_TOKEN',
    subject: 'Temporal',
    meaning: 'The bearer token that `paysession codec` asks of its callers, at least 16 characters.',
    secret: true,
    schema: bearerToken,
  },
  {
    name: 'PAYSESSION_CODEC_TOKEN_FILE',
    subject: 'Temporal',
    meaning: 'File with that token instead, such as a mounted secret.',
    secret: false,
    schema: text,
  },
  {
    name: 'PAYSESSION_BASE_URL',
    subject: 'Payment service',
    meaning: 'URL of the payment service, for the account `default`.',
    secret: false,
    schema: baseUrlSchema,
  },
  {
    name: 'PAYSESSION_CLIENT_ID',
    subject: 'Payment service',
    meaning: 'Client id at the payment service, for the account `default`.',
    secret: false,
    schema: text,
  },
  {
    name: 'PAYSESSION_CLIENT_SECRET',
    subject: 'Payment service',
    meaning: 'Client secret at the payment service, for the account `default`.',
    secret: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_CALLS_PER_SECOND',
    subject: 'Payment service',
    meaning:
      'The most creates and polls a second that all workers together make for the account `default`. If unset, there is no limit. Cancels are never held back.',
    secret: false,
    schema: callsPerSecond,
  },
  {
    name: 'PAYSESSION_ACCOUNTS_FILE',
    subject: 'Payment service',
    meaning:
      'JSON file with several accounts: { "accounts": { NAME: { "baseUrl", "clientId", "clientSecret", "callsPerSecond"?, "longestRetryAfter"?, "sendTraceparent"? } } }. If the three variables of the account `default` are set, they replace the file’s account of that name.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_LONGEST_RETRY_AFTER',
    subject: 'Payment service',
    meaning:
      'The longest wait that the service may ask for with `Retry-After`; longer ones are cut to it. An account in the accounts file may have its own.',
    default: '15m',
    secret: false,
    schema: longestRetryAfterSchema,
  },
  {
    name: 'PAYSESSION_ANSWER_TIMEOUT',
    subject: 'Payment service',
    meaning: 'How long a call waits for its answer to begin, once it is sent. Then it is given up.',
    default: '10s',
    secret: false,
    schema: exchangeTime,
  },
  {
    name: 'PAYSESSION_EXCHANGE_TIMEOUT',
    subject: 'Payment service',
    meaning:
      'How long a call may take, from connecting to the end of the answer. With a new token and one repeat, it takes 30 s at most.',
    default: '15s',
    secret: false,
    schema: exchangeTime,
  },
  {
    name: 'PAYSESSION_ALLOW_HTTP',
    subject: 'Payment service',
    meaning:
      'Allows plain http to another machine (true), in a network of your own. Otherwise `paysession doctor` refuses it and workers warn about it, because it exposes the client secret.',
    secret: false,
    schema: flag,
  },
  {
    name: 'PAYSESSION_SEND_TRACEPARENT',
    subject: 'Payment service',
    meaning:
      'Whether traced calls carry W3C’s `traceparent` to the payment service (true). An account in the accounts file may have its own.',
    default: 'false',
    secret: false,
    schema: flag,
  },
  {
    name: 'PAYSESSION_TASK_QUEUE',
    subject: 'Worker',
    meaning: 'The task queue that clients and workers share.',
    default: 'payment-sessions',
    secret: false,
    schema: taskQueue,
  },
  {
    name: 'TEMPORAL_DEPLOYMENT_NAME',
    subject: 'Worker',
    meaning:
      'Name of the worker deployment, for Temporal’s worker versioning. If unset, the worker is not versioned. Temporal’s Kubernetes controller sets it.',
    secret: false,
    schema: text,
  },
  {
    name: 'TEMPORAL_WORKER_BUILD_ID',
    subject: 'Worker',
    meaning: 'Build id of this worker within its deployment. Set it together with the name.',
    secret: false,
    schema: text,
  },
  {
    name: 'PAYSESSION_WORKERS',
    subject: 'Worker',
    meaning:
      'How many workers share the accounts’ `callsPerSecond`. If unset, each worker counts the workers that poll its task queue.',
    secret: false,
    schema: workerCount,
  },
  {
    name: 'PAYSESSION_HEALTH_PORT',
    subject: 'Worker',
    meaning:
      'Port of the worker’s health endpoint: `/livez`, `/readyz` and `/healthz`. If unset, there is none.',
    secret: false,
    schema: port,
  },
  {
    name: 'PAYSESSION_HEALTH_HOST',
    subject: 'Worker',
    meaning:
      'The address that the health endpoint listens on. Probes from outside, such as those of Kubernetes, need 0.0.0.0 (or ::).',
    default: '127.0.0.1',
    secret: false,
    schema: host,
  },
  {
    name: 'PAYSESSION_METRICS_PORT',
    subject: 'Worker',
    meaning:
      'Port of the worker’s metrics, `/metrics` in Prometheus’ format: docs/reference/metrics.md lists them. If unset, there are none.',
    secret: false,
    schema: port,
  },
  {
    name: 'PAYSESSION_METRICS_HOST',
    subject: 'Worker',
    meaning:
      'The IP address that the metrics are to be had at. For a Prometheus on another machine, 0.0.0.0 (or ::).',
    default: '127.0.0.1',
    secret: false,
    schema: ipAddress,
  },
  {
    name: 'PAYSESSION_LOG_LEVEL',
    subject: 'Worker',
    meaning:
      'The least urgent lines that a worker logs: debug, info, warn or error. At info, it writes a few lines as it starts and stops, and otherwise only what a person should know.',
    default: 'info',
    secret: false,
    schema: logLevel,
  },
  {
    name: 'PAYSESSION_LOG_FORMAT',
    subject: 'Worker',
    meaning:
      'How a worker logs, to standard error: text, or json with one object a line. If unset: text in a terminal, json otherwise.',
    secret: false,
    schema: logFormat,
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    subject: 'Worker',
    meaning:
      'Where the worker sends its traces, by OTLP. If unset, it makes none. OpenTelemetry’s other variables count as it defines them.',
    secret: false,
    schema: baseUrlSchema,
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    subject: 'Worker',
    meaning: 'The same, with the path that traces are sent to.',
    secret: false,
    schema: baseUrlSchema,
  },
  {
    name: 'PAYSESSION_TRACED_POLLS',
    subject: 'Worker',
    meaning: 'Which polls become spans of a trace: those that brought news or failed (news), or all.',
    default: 'news',
    secret: false,
    schema: tracedPolls,
  },
  {
    name: 'PAYSESSION_CONSOLE_PUBLIC_URL',
    subject: 'Console',
    meaning:
      'The URL that browsers know the console by, such as https://payments.example: scheme, host and port. It is https, but on this machine.',
    secret: false,
    schema: publicUrl,
  },
  {
    name: 'PAYSESSION_CONSOLE_OIDC_ISSUER',
    subject: 'Console',
    meaning:
      'The identity provider that people log in at, by OpenID Connect: its issuer, which is https, but on this machine. It redirects to the public URL with `/login/callback`.',
    secret: false,
    schema: issuerUrl,
  },
  {
    name: 'PAYSESSION_CONSOLE_OIDC_CLIENT_ID',
    subject: 'Console',
    meaning: 'The console’s client id at this provider.',
    secret: false,
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_OIDC_CLIENT_SECRET',
    subject: 'Console',
    meaning:
      'The console’s client secret at this provider. If unset, it is a public client, whose only proof is PKCE.',
    secret: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_OIDC_CLIENT_SECRET_FILE',
    subject: 'Console',
    meaning: 'File with that secret instead, such as a mounted secret.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_OIDC_SCOPE',
    subject: 'Console',
    meaning: 'The scopes that the console asks for, with spaces.',
    default: 'openid profile email',
    secret: false,
    schema: oidcScope,
  },
  {
    name: 'PAYSESSION_CONSOLE_NAME_CLAIM',
    subject: 'Console',
    meaning:
      'The claim of the id token that names a person in logs and in the record. If unset: `preferred_username`, `email` or `sub`, the first that is there.',
    secret: false,
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_ROLE_CLAIM',
    subject: 'Console',
    meaning:
      'The claim of the id token that lists a person’s roles: its name, or the way to it with dots, such as `realm_access.roles`.',
    default: 'roles',
    secret: false,
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_VIEWER_ROLE',
    subject: 'Console',
    meaning: 'The role of those who may look.',
    default: 'paysession-viewer',
    secret: false,
    schema: roleName,
  },
  {
    name: 'PAYSESSION_CONSOLE_OPERATOR_ROLE',
    subject: 'Console',
    meaning: 'The role of those who may look and act.',
    default: 'paysession-operator',
    secret: false,
    schema: roleName,
  },
  {
    name: 'PAYSESSION_CONSOLE_PROXY_ADDRESSES',
    subject: 'Console',
    meaning:
      'The proxies in front of the console: IP addresses, and ranges such as 10.0.0.0/8, with commas. Without an OpenID Connect issuer, they say who asks.',
    secret: false,
    schema: addressRanges,
  },
  {
    name: 'PAYSESSION_CONSOLE_PROXY_USER_HEADER',
    subject: 'Console',
    meaning: 'The header in which such a proxy names the person. It must replace what others send.',
    default: 'X-Forwarded-User',
    secret: false,
    schema: headerName,
  },
  {
    name: 'PAYSESSION_CONSOLE_PROXY_ROLE_HEADER',
    subject: 'Console',
    meaning: 'The header in which it lists the person’s roles, with commas.',
    default: 'X-Forwarded-Groups',
    secret: false,
    schema: headerName,
  },
  {
    name: 'PAYSESSION_CONSOLE_SECRET',
    subject: 'Console',
    meaning:
      'What logins are encrypted and forms are signed with, 32 characters or more; the same for all consoles behind the public URL. If unset, it is made at the start, and logins end with the process.',
    secret: true,
    schema: consoleSecret,
  },
  {
    name: 'PAYSESSION_CONSOLE_SECRET_FILE',
    subject: 'Console',
    meaning: 'File with that text instead, such as a mounted secret.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_LOGIN_LASTS',
    subject: 'Console',
    meaning: 'A person logs in again after so long.',
    default: '8h',
    secret: false,
    schema: loginLasts,
  },
  {
    name: 'PAYSESSION_CACHE_DIR',
    subject: 'Temporal server',
    meaning:
      'Folder for the downloaded or built Temporal server. If unset: $XDG_CACHE_HOME/paysession, or ~/.cache/paysession.',
    secret: false,
    schema: text,
  },
] as const satisfies readonly Setting[];

export type SettingName = (typeof SETTINGS)[number]['name'];
