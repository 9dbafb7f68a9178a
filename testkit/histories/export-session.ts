import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { isPaysessionError } from '../../src/errors';
import { Fakes } from './fakes';
import type * as Sanitizing from './sanitize-history';
import type { History } from './history-json';
import { fetchHistory } from './recorded-history';

/** Options of `exportSession`. */
export interface ExportOptions {
  /**
   * An export replaces personal texts by fakes. With the same seed, the same text gets the same fake in every export. By default the seed is
   * random, so that a reader cannot check a guess about the original text. @default random
   */
  readonly seed?: string;
}

/** The history of one workflow run of a session. A session has several runs if its workflow continued as new. */
export interface ExportedHistory {
  /** A file name, without a folder. It contains a UUID instead of the session's key. With the same seed, a key has the same UUID. */
  readonly fileName: string;
  /** The number of events in the history. */
  readonly events: number;
  /** The history as JSON, without personal data. */
  readonly json: string;
}

/**
 * Exports the histories of a session's workflow runs without personal data, oldest first. Decodes payloads with the payload codecs of the
 * client. Exports the latest 100 runs at most. Runs that the Temporal server has deleted, and runs that a reset has undone, are left out.
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
  // Loaded only here, because Temporal's schema of a history is large, and most projects export no sessions.
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

/** The maximum number of runs to export. */
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
    // An earlier run may be missing, because the Temporal server deletes the oldest runs first.
    if (runs.length === 0 || !isPaysessionError(error, 'SESSION_NOT_FOUND')) throw error;
  }
  return runs;
}
