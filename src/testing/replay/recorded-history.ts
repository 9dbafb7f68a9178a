import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { historyFromJSON, type History } from '@temporalio/common/lib/proto-utils';
import { PaysessionError } from '../../errors';

/** A session's history, by a name for reports. */
export interface RecordedHistory {
  readonly name: string;
  readonly history: History;
}

/** Takes a history as JSON, as the Temporal CLI and `paysession export` write it. Throws `INVALID_FILE`. */
export function parseHistory(name: string, json: unknown): RecordedHistory {
  const events: unknown =
    typeof json === 'object' && json !== null && 'events' in json ? json.events : undefined;
  if (!Array.isArray(events) || events.length === 0) throw notHistory(name);
  try {
    return { name, history: historyFromJSON(json) };
  } catch (cause) {
    throw notHistory(name, cause);
  }
}

/** Reads history files, and all the `.json` files of folders, in the order of their names. Throws `INVALID_FILE`. */
export async function* readHistories(paths: Iterable<string>): AsyncIterable<RecordedHistory> {
  for (const path of paths) {
    for (const file of await filesOf(path)) yield parseHistory(basename(file, '.json'), await readJson(file));
  }
}

async function filesOf(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter((name) => name.endsWith('.json'));
    return names.sort().map((name) => join(path, name));
  } catch (cause) {
    throw new PaysessionError('INVALID_FILE', `${path} cannot be read: check the path.`, { cause });
  }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw notHistory(file, cause);
  }
}

function notHistory(name: string, cause?: unknown): PaysessionError {
  const message = `${name} does not hold a workflow history as JSON; write one with \`paysession export\`.`;
  return new PaysessionError('INVALID_FILE', message, { cause });
}
