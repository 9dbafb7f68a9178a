import { encryptionKeysSchema } from '../../encryption/keys';
import {
  bearerToken,
  encryptionMode,
  flag,
  headerValue,
  hostAndPort,
  text,
  unsupportedFlag,
} from '../setting-values';
import { fileRow, type SettingRow } from './setting-row';

/**
 * Settings of the connection to Temporal. They are the variables of `@temporalio/envconfig`. The environment takes
 * precedence over the profile in Temporal's configuration file.
 */
export const TEMPORAL_SETTINGS = [
  {
    name: 'TEMPORAL_ADDRESS',
    meaning: 'The Temporal server, as HOST:PORT.',
    default: 'localhost:7233',
    schema: hostAndPort,
  },
  {
    name: 'TEMPORAL_NAMESPACE',
    meaning: 'The namespace that holds the payment sessions.',
    default: 'default',
    schema: text,
  },
  {
    name: 'TEMPORAL_API_KEY',
    meaning: 'API key for Temporal Cloud; turns TLS on.',
    secret: true,
    schema: headerValue,
  },
  {
    name: 'TEMPORAL_TLS',
    meaning:
      'Turns TLS on (true) or off (false). False turns TLS off even if an API key or a certificate is set.',
    schema: flag,
  },
  {
    name: 'TEMPORAL_TLS_CLIENT_CERT_PATH',
    meaning: 'File with the client’s certificate (PEM), for mutual TLS.',
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS_CLIENT_CERT_DATA',
    meaning: 'The client’s certificate itself (PEM), instead of a file.',
    hasLines: true,
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS_CLIENT_KEY_PATH',
    meaning: 'File with the client’s private key (PEM).',
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS_CLIENT_KEY_DATA',
    meaning: 'The client’s private key itself (PEM), instead of a file.',
    secret: true,
    hasLines: true,
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
    meaning:
      'File with the certificate (PEM) of the authority that signed the Temporal server’s certificate.',
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS_SERVER_CA_CERT_DATA',
    meaning: 'The certificate of that authority itself (PEM), instead of a file.',
    hasLines: true,
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS_SERVER_NAME',
    meaning: 'The name in the Temporal server’s certificate, if it differs from the host of the address.',
    schema: text,
  },
  {
    name: 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION',
    meaning: 'Not supported by Temporal’s TypeScript SDK: true is refused.',
    schema: unsupportedFlag,
  },
  {
    name: 'TEMPORAL_GRPC_META_*',
    meaning:
      'A gRPC header sent with every call. The part after META_ becomes its name: X_TEAM becomes x-team.',
    secret: true,
    schema: headerValue,
  },
  {
    name: 'TEMPORAL_PROFILE',
    meaning: 'The profile to read from Temporal’s configuration file.',
    default: 'default',
    schema: text,
  },
  {
    name: 'TEMPORAL_CONFIG_FILE',
    meaning:
      'Temporal’s configuration file (TOML). If unset: temporalio/temporal.toml in the user’s configuration folder.',
    isSecretFile: true,
    schema: text,
  },
] as const satisfies readonly SettingRow[];

/** Settings of the encryption of the data that Temporal stores, and of the codec server that decrypts it. */
export const ENCRYPTION_SETTINGS = [
  {
    name: 'PAYSESSION_ENCRYPTION_KEYS',
    meaning:
      'The keys that encrypt what Temporal stores of a session: one or more entries ID:KEY, separated by commas or line breaks. All clients and workers need the same keys. Each KEY is 32 bytes in base64. The first key encrypts, and all keys decrypt. If unset, sessions are stored in plain text.',
    secret: true,
    hasLines: true,
    schema: encryptionKeysSchema,
  },
  {
    name: 'PAYSESSION_ENCRYPTION_KEYS_FILE',
    meaning:
      'File with these keys instead, such as a mounted secret: one key per line, or separated by commas. It is read at startup.',
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_ENCRYPTION',
    meaning:
      '`required`: clients and workers without keys refuse to start, and plain text is refused where data of a session is expected. `optional`: plain text is accepted, because sessions may be older than the keys.',
    default: 'optional',
    schema: encryptionMode,
  },
  {
    name: 'PAYSESSION_CODEC_TOKEN',
    meaning: 'The bearer token that `paysession codec` accepts from its callers: at least 16 characters.',
    secret: true,
    schema: bearerToken,
  },
  fileRow('PAYSESSION_CODEC_TOKEN_FILE', 'that token'),
] as const satisfies readonly SettingRow[];

const sha256 = text.regex(/^[\da-f]{64}$/, 'must be 64 hexadecimal digits, in lower case');

/** Settings of the Temporal servers that paysession starts for development and tests, and of its cache folder. */
export const TEMPORAL_SERVER_SETTINGS = [
  {
    name: 'PAYSESSION_CACHE_DIR',
    meaning:
      'The cache folder. It has the Temporal servers that paysession downloads or builds, a copy of PostgreSQL from npm, the workflow bundles of the testing kit, and the compiled code of the command line. If paysession runs as root, the copy of PostgreSQL is in the system’s folder of temporary files. If unset: $XDG_CACHE_HOME/paysession, or ~/.cache/paysession.',
    schema: text,
  },
  {
    name: 'PAYSESSION_TEMPORAL_SHA256',
    meaning:
      'SHA-256 of the archive of the Temporal CLI 1.5.1 for this machine, in lower-case hexadecimal digits. If unset, paysession uses the digest that it knows. If it knows none for this machine, it builds the CLI with Go.',
    schema: sha256,
  },
  {
    name: 'PAYSESSION_TEST_SERVER_SHA256',
    meaning:
      'SHA-256 of the archive of Temporal’s test server 1.38.0 for this machine, in lower-case hexadecimal digits. If unset, paysession uses the digest that it knows. If it knows none for this machine, it gets the server with Maven.',
    schema: sha256,
  },
] as const satisfies readonly SettingRow[];
