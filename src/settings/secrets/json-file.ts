import { readFileSync, statSync } from 'node:fs';
import type { z } from 'zod';
import type { ValidationFailure } from '../../contract';
import { decodeUtf8, NotUtf8Error, whereNoJson } from '../../contract/values/outside-text';
import { listFailures, PaysessionError } from '../../errors';
import { systemCode } from '../../files';

/** A file of JSON that holds secrets. */
export interface SecretJsonFile {
  /** What it is, in messages: such as `accounts file`. */
  readonly what: string;
  /** The setting that names it. */
  readonly setting: string;
  readonly path: string;
}

const MAX_FILE_BYTES = 1024 * 1024;

/** Reads it; `names` is its member whose keys are names. Throws `PaysessionError` `INVALID_FILE`; no message holds a secret. */
export function readJsonFile<T>(file: SecretJsonFile, schema: z.ZodType<T>, names: string): T {
  const parsed = schema.safeParse(parseJson(file, readText(file)));
  if (parsed.success) return parsed.data;
  throw invalidFile(file, listFailures(parsed.error.issues.map((issue) => toFailure(issue, names))));
}

function toFailure(issue: z.core.$ZodIssue, names: string): ValidationFailure {
  // The name itself is not repeated: it may be of any length and break the line.
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

/** The parser’s own message quotes the text, which holds secrets: it is not passed on. */
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
