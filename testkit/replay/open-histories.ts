import type { Client } from '@temporalio/client';
import { isPaysessionError } from '../../src/errors';
import type { PaymentSessions } from '../../src/sessions';
import { fetchHistory } from '../fetch-history';
import type { RecordedHistory } from './recorded-history';
import { replayHistories, type ReplayOptions, type ReplayReport } from './replay-histories';

/** Options of `replayOpenSessions`. */
export interface OpenReplayOptions extends ReplayOptions {
  /** Called with how many open sessions have been checked, and how many there are. @default none */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Where the open sessions are: a Temporal server and a namespace of it. */
export interface SessionsAtEngine {
  /** The Temporal client that fetches the histories. */
  readonly client: Client;
  /** The sessions of the same namespace. */
  readonly sessions: PaymentSessions;
}

/**
 * Replays every session of the namespace that is open now: what a deploy of this code, or of the bundle, would do to
 * them. Sessions that begin meanwhile run on the code that is deployed now; they are for the next look.
 */
export async function replayOpenSessions(
  { client, sessions }: SessionsAtEngine,
  { onProgress, ...options }: OpenReplayOptions = {},
): Promise<ReplayReport> {
  const keys: string[] = [];
  for await (const { key } of sessions.list({ running: true })) keys.push(key);
  const histories = historiesOf(client, keys, (done) => onProgress?.(done, keys.length));
  const { dataConverter } = client.options;
  return replayHistories(histories, { dataConverter, ...options });
}

/** Fetched one by one, as they are asked for; sessions that are gone meanwhile are left out. */
async function* historiesOf(
  client: Client,
  keys: readonly string[],
  onFetched: (done: number) => void,
): AsyncIterable<RecordedHistory> {
  for (const [index, key] of keys.entries()) {
    try {
      yield { name: key, history: await fetchHistory(client, key) };
    } catch (error) {
      if (!isPaysessionError(error, 'SESSION_NOT_FOUND')) throw error;
    }
    onFetched(index + 1);
  }
}
