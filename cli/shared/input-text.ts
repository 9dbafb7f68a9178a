import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { PaysessionError } from '../../src/errors';
import { NotUtf8Error, Utf8Reader, whereNoJson } from '../../src/contract/values/outside-text';

/** Reads a text file in pieces. For the path `-`, reads standard input. Throws `PaysessionError` `INVALID_FILE` if it cannot be read. */
export async function* readText(path: string): AsyncIterable<string> {
  const input: Readable = path === '-' ? process.stdin : createReadStream(path);
  const reader = new Utf8Reader();
  try {
    for await (const bytes of input as AsyncIterable<Buffer>) yield reader.take(bytes);
    reader.end();
  } catch (cause) {
    if (cause instanceof NotUtf8Error) throw invalid(path, `${cause.message}: save it as UTF-8.`, cause);
    throw invalid(path, 'cannot be read: check the path and its permissions.', cause);
  }
}

/** The maximum number of characters to read. A request has at most 64 KiB as JSON: contract rule A20 (docs/contract.md). */
const MAX_LENGTH = 1024 * 1024;

/** Reads a JSON file. For the path `-`, reads standard input. Throws `PaysessionError` `INVALID_FILE` if it is not JSON or cannot be read. */
export async function readJsonFile(path: string): Promise<unknown> {
  let text = '';
  for await (const piece of readText(path)) {
    text += piece;
    if (text.length > MAX_LENGTH) throw invalid(path, 'is too large: a request has at most 64 KiB as JSON.');
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(path, `does not hold JSON: ${whereNoJson(text)}.`, cause);
  }
}

function invalid(path: string, why: string, cause?: unknown): PaysessionError {
  const name = path === '-' ? 'standard input' : `the file ${path}`;
  return new PaysessionError('INVALID_FILE', `${name} ${why}`, { cause });
}
