import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { DEFAULT_ACCOUNT } from '../../protocol/names';
import { accountFailures } from '../../protocol/input/rules';
import type { ValidationFailure } from '../../contract';
import { PaysessionError, listFailures } from '../../errors';
import { callsPerSecondSchema, type ServiceAccount } from '../../service/options';
import {
  parseSettings,
  readVariable,
  refuseFailures,
  type Environment,
  type Parsed,
} from '../parse-settings';
import { baseUrlSchema, longestRetryAfterSchema } from '../setting-values';

/** The accounts at the payment service, by name. Sessions that name none use `default`. */
export type Accounts = Readonly<Record<string, ServiceAccount>>;

/** Where the accounts come from: the three variables, the accounts file, or both. */
export interface AccountSources {
  readonly defaultAccount?: ServiceAccount;
  /** Path of the accounts file. */
  readonly file?: string;
}

/**
 * Reads the accounts: those of PAYSESSION_ACCOUNTS_FILE, and the account `default` of the three variables, which replaces
 * the file’s. Throws `SettingsError` if there is no account or a variable is missing, and `PaysessionError` `INVALID_FILE`
 * for the file. No message contains a secret.
 */
export function readAccounts(env: Environment = process.env): Accounts {
  const { value, failures } = parseAccountSources(env, { required: true });
  refuseFailures(failures);
  return loadAccounts(value);
}

const THREE_VARIABLES = ['PAYSESSION_BASE_URL', 'PAYSESSION_CLIENT_ID', 'PAYSESSION_CLIENT_SECRET'] as const;

/** Reads where the accounts come from, but not the file itself. `required`: having no account is a failure. */
export function parseAccountSources(
  env: Environment,
  { required }: { readonly required: boolean },
): Parsed<AccountSources> {
  const { value, failures } = parseSettings(env, [
    ...THREE_VARIABLES,
    'PAYSESSION_CALLS_PER_SECOND',
    'PAYSESSION_ACCOUNTS_FILE',
  ]);
  const {
    PAYSESSION_BASE_URL: baseUrl,
    PAYSESSION_CLIENT_ID: clientId,
    PAYSESSION_CLIENT_SECRET: clientSecret,
    PAYSESSION_CALLS_PER_SECOND: callsPerSecond,
    PAYSESSION_ACCOUNTS_FILE: file,
  } = value;
  const absent = THREE_VARIABLES.filter((name) => readVariable(env, name) === undefined);
  const begun = absent.length < THREE_VARIABLES.length || callsPerSecond !== undefined;
  const needed = begun || (required && file === undefined);
  const missing = needed ? absent.map((name) => ({ path: name, message: MISSING })) : [];
  const complete = baseUrl !== undefined && clientId !== undefined && clientSecret !== undefined;
  return {
    value: {
      ...(complete && { defaultAccount: { baseUrl, clientId, clientSecret, callsPerSecond } }),
      ...(file !== undefined && { file }),
    },
    failures: [...failures, ...missing],
  };
}

const MISSING = 'is required for the account `default`; for several accounts, set PAYSESSION_ACCOUNTS_FILE';

/** Reads the accounts file, if any. Throws `PaysessionError` `INVALID_FILE`. */
export function loadAccounts({ defaultAccount, file }: AccountSources): Accounts {
  return {
    ...(file !== undefined && readAccountsFile(file)),
    ...(defaultAccount !== undefined && { [DEFAULT_ACCOUNT]: defaultAccount }),
  };
}

const filledText = z.string({ error: 'must be text' }).min(1, 'must not be empty').max(4_096, 'is too long');

const accountSchema = z
  .strictObject({
    baseUrl: filledText.pipe(baseUrlSchema),
    clientId: filledText,
    clientSecret: filledText,
    callsPerSecond: callsPerSecondSchema.optional(),
    longestRetryAfter: longestRetryAfterSchema.optional(),
    sendTraceparent: z.boolean({ error: 'must be true or false' }).optional(),
  })
  .transform(({ longestRetryAfter: longestRetryAfterMs, ...account }) => ({
    ...account,
    ...(longestRetryAfterMs !== undefined && { longestRetryAfterMs }),
  }));

const accountNameSchema = z.string().superRefine((name, context) => {
  for (const { message } of accountFailures(name)) context.addIssue(message);
});

const accountsFileSchema = z.strictObject({
  accounts: z
    .record(accountNameSchema, accountSchema)
    .refine((accounts) => Object.keys(accounts).length > 0, { error: 'must name at least one account' }),
});

const MAX_FILE_BYTES = 1024 * 1024;

function readAccountsFile(path: string): Accounts {
  const parsed = accountsFileSchema.safeParse(parseJson(path, readText(path)));
  if (parsed.success) return parsed.data.accounts;
  throw invalidFile(path, listFailures(parsed.error.issues.map(toFailure)));
}

function toFailure(issue: z.core.$ZodIssue): ValidationFailure {
  // The name itself is not repeated: it may be of any length and break the line.
  if (issue.code === 'invalid_key')
    return { path: 'a name in accounts', message: issue.issues.map(({ message }) => message).join(', ') };
  return { path: issue.path.join('.') || 'the file', message: issue.message };
}

function readText(path: string): string {
  try {
    if (statSync(path).size <= MAX_FILE_BYTES) return readFileSync(path, 'utf8');
  } catch (cause) {
    throw invalidFile(path, whyUnreadable(cause), cause);
  }
  throw invalidFile(path, `it has more than ${MAX_FILE_BYTES} bytes`);
}

function whyUnreadable(error: unknown): string {
  switch (typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined) {
    case 'ENOENT':
      return 'there is no such file. Correct PAYSESSION_ACCOUNTS_FILE, or create the file';
    case 'EACCES':
      return 'paysession has no permission to read it. Give the user that it runs as read access';
    default:
      return 'it cannot be read';
  }
}

/** The parser’s own message quotes the text, which holds secrets: it is not passed on. */
function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidFile(path, 'it is not JSON');
  }
}

function invalidFile(path: string, reason: string, cause?: unknown): PaysessionError {
  return new PaysessionError('INVALID_FILE', `The accounts file ${path} cannot be used: ${reason}`, {
    cause,
  });
}
