import type { Client } from '@temporalio/client';
import type * as Sessions from '../../src/sessions';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { decodeUtf8, NotUtf8Error } from '../../src/contract/values/outside-text';
import { PaysessionError } from '../../src/errors';
import type * as HistoryJson from './history-json';
import { workflowIdOf } from '../../src/protocol/names';

type History = HistoryJson.History;

/** A session's history, with a name for reports. */
export interface RecordedHistory {
  /** The history's name in reports: the name of its file, or the session's key. */
  readonly name: string;
  /** The history, in the form of Temporal's API. */
  readonly history: History;
}

/**
 * Parses the JSON of a history. The Temporal CLI and `paysession export` write such JSON.
 *
 * @throws {@link PaysessionError} `INVALID_FILE` if the JSON is not a history
 *
 * @example
 * ```ts
 * const recorded = parseHistory('order-1042', JSON.parse(await readFile('order-1042.json', 'utf8')));
 * const { divergences } = await replayHistories([recorded]);
 * ```
 */
export function parseHistory(name: string, json: unknown): RecordedHistory {
  const events: unknown =
    typeof json === 'object' && json !== null && 'events' in json ? json.events : undefined;
  if (!Array.isArray(events) || events.length === 0 || !events.every(isEvent)) throw notHistory(name);
  // Loaded only here, because Temporal's schema of a history is large, and most projects replay no histories.
  const { historyFromJson } = require('./history-json') as typeof HistoryJson;
  try {
    return { name, history: historyFromJson(json) };
  } catch (cause) {
    throw notHistory(name, cause);
  }
}

function isEvent(event: unknown): boolean {
  if (typeof event !== 'object' || event === null) return false;
  return Object.keys(event).some((name) => name.endsWith('EventAttributes'));
}

/**
 * Reads history files in the given order. If a path is a folder, reads the `.json` files in it, sorted by name.
 *
 * @throws {@link PaysessionError} `INVALID_FILE` if a path cannot be read, a file is not a history, or a folder has no `.json` file
 *
 * @example
 * ```ts
 * for await (const { name } of readHistories(['test/histories'])) console.log(name);
 * ```
 */
export async function* readHistories(paths: Iterable<string>): AsyncIterable<RecordedHistory> {
  for (const path of paths) {
    for (const file of await filesOf(path)) yield parseHistory(basename(file, '.json'), await readJson(file));
  }
}

async function filesOf(path: string): Promise<readonly string[]> {
  const names = await namesIn(path);
  if (names === undefined) return [path];
  // An empty folder is an error: a check that replays no history would always pass.
  if (names.length === 0)
    throw new PaysessionError('INVALID_FILE', `${path} holds no .json files: check the path.`);
  return names.map((name) => join(path, name));
}

/** Returns the names of the histories in a folder. Returns `undefined` if the path is a file. */
async function namesIn(path: string): Promise<readonly string[] | undefined> {
  try {
    if (!(await stat(path)).isDirectory()) return undefined;
    return (await readdir(path)).filter((name) => name.endsWith('.json')).sort();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(decodeUtf8(await readFile(file)));
  } catch (cause) {
    if (cause instanceof SyntaxError) throw notHistory(file, cause);
    if (!(cause instanceof NotUtf8Error)) throw unreadable(file, cause);
    throw new PaysessionError('INVALID_FILE', `${file} ${cause.message}: save it as UTF-8.`, { cause });
  }
}

function unreadable(path: string, cause: unknown): PaysessionError {
  const message = `${path} cannot be read: check the path and its permissions.`;
  return new PaysessionError('INVALID_FILE', message, { cause });
}

function notHistory(name: string, cause?: unknown): PaysessionError {
  const message = `${name} does not hold a workflow history as JSON; write one with \`paysession export\`.`;
  return new PaysessionError('INVALID_FILE', message, { cause });
}

/** Fetches the history of a session's workflow run, by default of the latest run. Throws `PaysessionError`, such as `SESSION_NOT_FOUND`. */
export function fetchHistory(client: Client, key: string, runId?: string): Promise<History> {
  // Loaded only here, so that a project that replays only files does not load Temporal's client.
  const { callTemporal } = require('../../src/sessions') as typeof Sessions;
  const handle = client.workflow.getHandle(workflowIdOf(key), runId);
  return callTemporal(key, () => handle.fetchHistory());
}

type HistoryEvent = NonNullable<History['events']>[number];

/** The number and the kind of an event in a history. */
export interface EventName {
  /** The event's number in its history. */
  readonly id: number;
  /** The kind of event, such as `activityTaskScheduled`. */
  readonly type: string;
}

/**
 * Returns all prefixes of a history that Temporal's SDK can replay. The shortest comes first, and the whole history comes last. Each prefix
 * includes the event that schedules the first workflow task, because the SDK would wait for that event for ever.
 */
export function prefixes(history: History): readonly History[] {
  const events = history.events ?? [];
  const first = events.findIndex((event) => event.workflowTaskScheduledEventAttributes != null);
  if (first === -1) return [];
  return events.slice(first).map((_, index) => ({ ...history, events: events.slice(0, first + index + 1) }));
}

export function describeEvent(event: HistoryEvent | undefined): EventName {
  const [member = 'unknown'] = Object.keys(event ?? {}).filter((name) => name.endsWith('EventAttributes'));
  return { id: Number(event?.eventId ?? 0), type: member.replace(/EventAttributes$/, '') };
}
