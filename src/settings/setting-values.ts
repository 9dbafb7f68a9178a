/** The schemas of settings: each checks the text of a setting and converts it to the setting's value. */
import { z } from 'zod';
import { toMilliseconds } from '../protocol/duration';
import { isExactText, NOT_EXACT } from '../protocol/temporal/query-text';
import { callsPerSecondSchema, BASE_URL_RULE, credential, readBaseUrl } from '../service/options';
import { isSecret, SECRET_RULE } from './webhooks/secret';
import { postgresFault } from './postgres-url';
import { withoutLineBreak } from '../contract/values/outside-text';

export const text = z.string();

/** A text in a JSON file. It is read like the variable of the same setting. */
export const fileText = z.string({ error: 'must be text' }).transform(withoutLineBreak).pipe(credential);

export const HEADER_RULE = 'must be printable ASCII characters, as in a header';

/** The value of a gRPC header. If it has other characters, gRPC refuses the call with an error as if the server were unreachable. */
export const headerValue = z.string().regex(/^[\x20-\x7e]+$/, HEADER_RULE);

export const flag = z
  .enum(['true', '1', 'false', '0'], { error: 'must be true or false' })
  .transform((value) => value === 'true' || value === '1');

export const encryptionMode = z.enum(['required', 'optional'], { error: 'must be required or optional' });

export const BEARER_TOKEN_RULE = 'must be 16 to 4096 printable ASCII characters without spaces';

/** A bearer token: too long to guess, and usable in a header. */
export const bearerToken = z.string().regex(/^[\x21-\x7e]{16,4096}$/, BEARER_TOKEN_RULE);

export const unsupportedFlag = flag.refine((value) => !value, {
  error: 'is not supported by Temporal’s TypeScript SDK; give TEMPORAL_TLS_SERVER_CA_CERT_PATH instead',
});

/** A whole number from 1 to `most`. */
const wholeNumber = (most: number, what = 'a whole number') =>
  z
    .string()
    .regex(/^\d+$/, `must be ${what} from 1 to ${most}`)
    .transform(Number)
    .refine((value) => value >= 1 && value <= most, { error: `must be ${what} from 1 to ${most}` });

export const port = wholeNumber(65_535, 'a port number');

/** An IP address to listen on, for listeners that accept no host names. */
export const ipAddress = z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' });

export const host = z.string().regex(/^[^\s/]+$/, 'must be an address or the name of a host');

/** The URL of a PostgreSQL database. Messages must not contain the URL, because it may contain a password. */
export const postgresUrl = z.string().refine((value) => postgresFault(value) === undefined, {
  error: ({ input }) => postgresFault(String(input)),
});

/**
 * A signing key in the form of Go's `note` package. Only the form is checked here. `readSigningKey` checks whether the key's parts
 * belong together.
 */
export const signingKey = z
  .string()
  .regex(/^PRIVATE\+KEY\+[^+\s]+\+[0-9a-f]{8}\+\S+$/, 'must be a key from `paysession ledger new-key`');

/** A secret of Standard Webhooks. */
export const webhookSecret = z.string().refine(isSecret, { error: SECRET_RULE });

export const ledgerEnvironment = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable ASCII characters without spaces');

export const lateAfterDays = wholeNumber(60);

/** The levels of the log, from the least to the most urgent. */
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const logLevel = z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` });

/** The format of the log's lines. */
export type LogFormat = 'json' | 'text';

export const logFormat = z.enum(['json', 'text'], { error: 'must be json or text' });

export const taskQueue = z
  .string()
  .max(200, 'must have at most 200 characters')
  .refine(isExactText, { error: NOT_EXACT });

export const callsPerSecond = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'must be a number')
  .transform(Number)
  .pipe(callsPerSecondSchema);

export const workerCount = wholeNumber(1_000);

/** Returns the schema of a duration as text, such as `15m`, which becomes milliseconds. The bounds are such texts, too. */
export const duration = (shortest: string, longest: string) =>
  z
    .string({ error: 'must be a duration such as 90s or 15m' })
    .transform((text) => toMilliseconds(text) ?? NaN)
    .refine((ms) => ms >= (toMilliseconds(shortest) ?? NaN) && ms <= (toMilliseconds(longest) ?? NaN), {
      error: `must be a duration from ${shortest} to ${longest}`,
    });

/**
 * The longest wait until an answer begins. It is at least 2 s, because a call counts as hung only after 1.9 s. It is at most 25 s,
 * because a call may take 30 s, of which 5 s are for the rest of the answer.
 */
export const answerTime = duration('2s', '25s');

export const hostAndPort = z.string().regex(/^[^\s/:[\]]+:\d{1,5}$|^\[[0-9a-fA-F:.]+\]:\d{1,5}$/, {
  error: 'must be HOST:PORT, without a scheme',
});

/** The base URL of a payment service, or of a collector of traces. */
export const baseUrlSchema = z.string().refine((value) => readBaseUrl(value) !== undefined, {
  error: BASE_URL_RULE,
});

export const tracedPolls = z.enum(['changes', 'all'], { error: 'must be changes or all' });
