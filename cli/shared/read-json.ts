import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { PaysessionError } from '../../src/errors';

/** No session's input comes near it (contract A20). */
const MAX_LENGTH = 1024 * 1024;

/** Reads a JSON file, or standard input for `-`. Throws `PaysessionError` `INVALID_FILE`. */
export async function readJsonFile(path: string): Promise<unknown> {
  const name = path === '-' ? 'standard input' : `the file ${path}`;
  const content = await readText(path, name);
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new PaysessionError('INVALID_FILE', `${name} does not hold JSON.`, { cause });
  }
}

async function readText(path: string, name: string): Promise<string> {
  const input: Readable = path === '-' ? process.stdin : createReadStream(path);
  let content = '';
  try {
    for await (const chunk of input.setEncoding('utf8') as AsyncIterable<string>) {
      content += chunk;
      if (content.length > MAX_LENGTH) break;
    }
  } catch (cause) {
    throw new PaysessionError('INVALID_FILE', `${name} cannot be read: check the path and its permissions.`, {
      cause,
    });
  }
  if (content.length <= MAX_LENGTH) return content;
  throw new PaysessionError('INVALID_FILE', `${name} is too large: a session’s input has at most 1 MiB.`);
}
