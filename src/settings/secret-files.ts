/** Reads secrets from files: one secret per file, or several in a JSON file. Also finds such files that every user can read. */
import { readFileSync, statSync } from 'node:fs';
import type { z } from 'zod';
import type { ValidationFailure } from '../contract';
import { decodeUtf8, NotUtf8Error, whereNoJson } from '../contract/values/outside-text';
import { listFailures, PaysessionError } from '../errors';
import { systemCode } from '../files';
import {
  readVariable,
  SETTINGS,
  SettingsReader,
  type Environment,
  type SettingName,
  type SettingValue,
} from './parse-settings';
import type { Setting } from './table/setting-row';

const MAX_SECRET_BYTES = 64 * 1024;

/** The name of a setting whose secret may be in a file instead. Another setting, with the ending `_FILE`, names that file. */
type SecretName = { [Name in SettingName]: `${Name}_FILE` extends SettingName ? Name : never }[SettingName];

/**
 * Reads a secret from its variable, or from the file that another variable names. It is a failure if both variables are set,
 * because it would be unclear which of them counts. Messages name the file, but never contain the secret.
 */
export function readSecret<Name extends SecretName>(
  settings: SettingsReader,
  name: Name,
): SettingValue<Name> | undefined {
  const fileName = `${name}_FILE`;
  const path = readVariable(settings.env, fileName);
  if (path === undefined) return settings.read(name);
  const isTwice = readVariable(settings.env, name) !== undefined;
  const file = isTwice ? { fault: `cannot be set together with ${name}` } : readSmallFile(path);
  if ('fault' in file) {
    settings.fail(fileName, file.fault);
    return undefined;
  }
  const inFile = new SettingsReader({ [name]: file.text });
  const value = inFile.read(name);
  for (const { message } of inFile.failures) settings.fail(fileName, `names ${path}, which ${message}`);
  return value;
}

/** Returns the text of a file, or what is wrong with the file. */
function readSmallFile(path: string): { readonly text: string } | { readonly fault: string } {
  try {
    if (statSync(path).size > MAX_SECRET_BYTES)
      return { fault: `names a file that is too large for a secret: ${path}` };
    const text = decodeUtf8(readFileSync(path));
    return text.trim() === '' ? { fault: `names an empty file: ${path}` } : { text };
  } catch (error) {
    const fault = error instanceof NotUtf8Error ? error.message : 'cannot be read';
    return { fault: `names a file that ${fault}: ${path}` };
  }
}

/** A JSON file with secrets. */
interface SecretJsonFile {
  /** The file's kind in messages, such as `accounts file`. */
  readonly what: string;
  /** The setting that names the file. */
  readonly setting: string;
  readonly path: string;
}

const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Reads and checks a JSON file. `names` is the member whose keys are names, such as `accounts`. Throws `PaysessionError`
 * `INVALID_FILE`. No message contains a secret.
 */
export function readJsonFile<T>(file: SecretJsonFile, schema: z.ZodType<T>, names: string): T {
  const parsed = schema.safeParse(parseJson(file, readText(file)));
  if (parsed.success) return parsed.data;
  throw invalidFile(file, listFailures(parsed.error.issues.map((issue) => toFailure(issue, names))));
}

function toFailure(issue: z.core.$ZodIssue, names: string): ValidationFailure {
  // The message does not repeat the name, which may be long or contain line breaks.
  if (issue.code === 'invalid_key')
    return { path: `a name in ${names}`, message: issue.issues.map(({ message }) => message).join(', ') };
  return { path: issue.path.join('.') || 'the file', message: issue.message };
}

function readText(file: SecretJsonFile): string {
  try {
    if (statSync(file.path).size <= MAX_FILE_BYTES) return decodeUtf8(readFileSync(file.path));
  } catch (cause) {
    throw invalidFile(file, whyUnreadable(cause, file), cause);
  }
  throw invalidFile(file, `it has more than ${MAX_FILE_BYTES} bytes`);
}

function whyUnreadable(error: unknown, { setting }: SecretJsonFile): string {
  if (error instanceof NotUtf8Error) return `it ${error.message}: save it as UTF-8`;
  switch (systemCode(error)) {
    case 'ENOENT':
      return `there is no such file. Correct ${setting}, or create the file`;
    case 'EACCES':
      return 'paysession has no permission to read it. Give the user that it runs as read access';
    default:
      return 'it cannot be read';
  }
}

/** Parses JSON. Does not pass the parser’s own message on, because it quotes the text, which contains secrets. */
function parseJson(file: SecretJsonFile, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidFile(file, `it is not JSON (${whereNoJson(text)})`);
  }
}

function invalidFile({ what, path }: SecretJsonFile, reason: string, cause?: unknown): PaysessionError {
  return new PaysessionError('INVALID_FILE', `The ${what} ${path} cannot be used: ${reason}`, { cause });
}

/** The bit of a file's mode that allows all users to read the file. */
const OTHERS_READ = 0o004;

/**
 * Returns the names of the settings whose files of secrets can be read by every user of the machine. This is not a failure: Docker
 * and Kubernetes mount secrets in this way, in containers that have no other users.
 */
export function exposedSecretFiles(env: Environment): readonly string[] {
  const rows: readonly Setting[] = SETTINGS;
  return rows.flatMap(({ name, isSecretFile }) => {
    const path = isSecretFile === true ? readVariable(env, name) : undefined;
    return path !== undefined && isExposed(path) ? [name] : [];
  });
}

/** The remedy for a file of secrets that every user can read. */
export const HIDE_SECRET_FILE =
  'Remove read access for other users (chmod o-rwx), or mount it with mode 0440.';

/** The warning about a file of secrets that every user can read. */
export const exposedFileWarning = (setting: string): string =>
  `every user of this machine can read the file of ${setting}, which holds secrets. ${HIDE_SECRET_FILE}`;

function isExposed(path: string): boolean {
  // Windows has no such mode. The mode that Node reports there means nothing.
  if (process.platform === 'win32') return false;
  try {
    return (statSync(path).mode & OTHERS_READ) !== 0;
  } catch {
    return false;
  }
}
