import { z } from 'zod';
import { DEFAULT_ACCOUNT } from '../protocol/names';
import { accountFailures } from '../protocol/input';
import { callsPerSecondSchema, type ServiceAccount } from '../service/options';
import type { SettingsReader } from './parse-settings';
import { baseUrlSchema, fileText } from './setting-values';
import { readJsonFile } from './secret-files';

/** The accounts at the payment service, by name. A session whose input names no account uses the account `default`. */
export type Accounts = Readonly<Record<string, ServiceAccount>>;

/** The sources of the accounts: three environment variables for the account `default`, the accounts file, or both. */
export interface AccountSources {
  readonly defaultAccount?: ServiceAccount;
  /** The path of the accounts file. */
  readonly file?: string;
}

const THREE_VARIABLES = ['PAYSESSION_BASE_URL', 'PAYSESSION_CLIENT_ID', 'PAYSESSION_CLIENT_SECRET'] as const;

/**
 * Reads the sources of the accounts. Does not read the accounts file. If `isRequired` is true, it is a failure to have no account.
 * Messages contain no secrets.
 */
export function readAccountSources(settings: SettingsReader, isRequired: boolean): AccountSources {
  const [baseUrl, clientId, clientSecret] = THREE_VARIABLES.map((name) => settings.read(name));
  const callsPerSecond = settings.read('PAYSESSION_CALLS_PER_SECOND');
  const file = settings.read('PAYSESSION_ACCOUNTS_FILE');
  const absent = THREE_VARIABLES.filter((name) => !settings.isSet(name));
  const begun = absent.length < THREE_VARIABLES.length || callsPerSecond !== undefined;
  if (begun || (isRequired && file === undefined)) for (const name of absent) settings.fail(name, MISSING);
  const complete = baseUrl !== undefined && clientId !== undefined && clientSecret !== undefined;
  return {
    ...(complete && { defaultAccount: { baseUrl, clientId, clientSecret, callsPerSecond } }),
    ...(file !== undefined && { file }),
  };
}

const MISSING = 'is required for the account `default`; for several accounts, set PAYSESSION_ACCOUNTS_FILE';

/**
 * Returns all accounts. Reads the accounts file, if there is one. If the environment variables define the account `default`, it replaces
 * the file’s account of that name. Throws `PaysessionError` `INVALID_FILE`.
 */
export function loadAccounts({ defaultAccount, file }: AccountSources): Accounts {
  return {
    ...(file !== undefined && readAccountsFile(file)),
    ...(defaultAccount !== undefined && { [DEFAULT_ACCOUNT]: defaultAccount }),
  };
}

const filledText = fileText.pipe(z.string().min(1, 'must not be empty').max(4_096, 'is too long'));

const accountSchema = z.strictObject({
  baseUrl: filledText.pipe(baseUrlSchema),
  clientId: filledText,
  clientSecret: filledText,
  callsPerSecond: callsPerSecondSchema.optional(),
  sendTraceparent: z.boolean({ error: 'must be true or false' }).optional(),
});

const accountNameSchema = z.string().superRefine((name, context) => {
  for (const { message } of accountFailures(name)) context.addIssue(message);
});

const accountsFileSchema = z.strictObject({
  accounts: z
    .record(accountNameSchema, accountSchema)
    .refine((accounts) => Object.keys(accounts).length > 0, { error: 'must name at least one account' }),
});

function readAccountsFile(path: string): Accounts {
  const file = { what: 'accounts file', setting: 'PAYSESSION_ACCOUNTS_FILE', path };
  return readJsonFile(file, accountsFileSchema, 'accounts').accounts;
}
