import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { PaysessionError } from '../errors';

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
  try {
    return path === '-' ? await text(process.stdin) : await readFile(path, 'utf8');
  } catch (cause) {
    throw new PaysessionError('INVALID_FILE', `${name} cannot be read: check the path and its permissions.`, {
      cause,
    });
  }
}
