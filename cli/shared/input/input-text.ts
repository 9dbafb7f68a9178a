import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { PaysessionError } from '../../../src/errors';

/** Reads a file as text, or standard input for `-`, in pieces. Throws `PaysessionError` `INVALID_FILE`. */
export async function* readText(path: string): AsyncIterable<string> {
  const input: Readable = path === '-' ? process.stdin : createReadStream(path);
  try {
    yield* input.setEncoding('utf8') as AsyncIterable<string>;
  } catch (cause) {
    const message = `${inputName(path)} cannot be read: check the path and its permissions.`;
    throw new PaysessionError('INVALID_FILE', message, { cause });
  }
}

/** What messages call it. */
export const inputName = (path: string): string => (path === '-' ? 'standard input' : `the file ${path}`);
