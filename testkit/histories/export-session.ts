import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { isPaysessionError } from '../../src/errors';
import { Fakes } from './fakes';
import type * as Sanitizing from './sanitize-history';
import type { History } from './history-json';
import { fetchHistory } from './recorded-history';

/** Options of `exportSession`. */
export interface ExportOptions {
  /** Makes the fakes, which replace personal texts, the same in every export. @default random, so that no fake confirms a guess */
  readonly seed?: string;
}

/** One run of a session; a session that continued as new has several. */
export interface ExportedHistory {
  /** A file name without folders: a UUID in place of the session's key, the same with the same seed. */
  readonly fileName: string;
  /** The number of its events. */
  readonly events: number;
  /** The history as JSON, without personal data. */
  readonly json: string;
}

/**
 * Exports the histories of a session's runs, oldest first: the latest 100 at most, without those that the Temporal server has deleted, and
 * those that a reset has undone. Decodes them with the payload codecs of the client.
 *
 * @throws {@link PaysessionError} `SESSION_NOT_FOUND` if no session has the key
 * @throws {@link PaysessionError} `HISTORY_UNREADABLE` if a payload cannot be read
 *
 * @example
 * ```ts
 * for (const { fileName, json } of await exportSession(client, 'order-1042')) await writeFile(fileName, json);
 * ```
 */
export async function exportSession(
  client: Client,
  key: string,
  { seed = randomBytes(16).toString('hex') }: ExportOptions = {},
): Promise<readonly ExportedHistory[]> {
  // Loaded here, because a project without exports does not need Temporal's schema of a history.
  const { sanitizeHistory } = require('./sanitize-history') as typeof Sanitizing;
  const fakes = new Fakes(seed);
  const { payloadCodecs: codecs } = client.options.loadedDataConverter;
  const runs = await fetchRuns(client, key);
  const name = fakes.id(key);
  return Promise.all(
    runs.map(async (history, index) => ({
      fileName: runs.length === 1 ? `${name}.json` : `${name}.${index + 1}.json`,
      events: history.events?.length ?? 0,
      json: await sanitizeHistory(history, { fakes, codecs }),
    })),
  );
}

/** The maximum number of runs to export: the latest ones. */
const MAX_RUNS = 100;

async function fetchRuns(client: Client, key: string): Promise<History[]> {
  const runs: History[] = [];
  let runId: string | undefined;
  try {
    do {
      const history = await fetchHistory(client, key, runId);
      runs.unshift(history);
      runId =
        history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
    } while (runId !== undefined && runs.length < MAX_RUNS);
  } catch (error) {
    // The Temporal server deletes earlier runs first.
    if (runs.length === 0 || !isPaysessionError(error, 'SESSION_NOT_FOUND')) throw error;
  }
  return runs;
}
