import type { ReplayWorkerOptions } from '@temporalio/worker';
import {
  type RecordedHistory,
  describeEvent,
  prefixes,
  type EventName,
  fetchHistory,
} from './recorded-history';
import type { HistoryAndWorkflowId, replayAll as ReplayAll } from './replay-worker';
import type { History } from './history-json';
import type { Client } from '@temporalio/client';
import { isPaysessionError } from '../../src/errors';
import type { PaymentSessions } from '../../src/sessions';

/** Options of `replayHistories`. */
export interface ReplayOptions {
  /** The workflow bundle to replay against. @default the code of this package */
  readonly bundlePath?: string;
  /** The converter that reads the payloads. @default Temporal's own; the client's in `replayOpenSessions` */
  readonly dataConverter?: NonNullable<ReplayWorkerOptions['dataConverter']>;
  /** Called with the name of each history once it is replayed, and with its divergence if it diverges. @default none */
  readonly onReplayed?: (name: string, divergence?: Divergence) => void;
}

/** A history that the code would not have recorded. */
export interface Divergence {
  /** The name of the history. */
  readonly name: string;
  /** The first event with which the history no longer replays. */
  readonly event: EventName;
  /** The difference in what the code does, in the words of Temporal's SDK. */
  readonly message: string;
}

/** The outcome of a replay. */
export interface ReplayReport {
  /** The number of histories that were replayed, including those that diverge. */
  readonly replayed: number;
  /** The names of histories without a workflow task: they have nothing to replay. */
  readonly untouched: readonly string[];
  /** The histories that the code would not have recorded; empty if it is safe to deploy. */
  readonly divergences: readonly Divergence[];
}

/**
 * Replays histories, one after the other, against the code or a bundle, and reports which diverge, and where. Replays of one process take
 * turns.
 *
 * @example
 * ```ts
 * const { replayed, divergences } = await replayHistories(readHistories(['test/histories']));
 * if (replayed === 0 || divergences.length > 0) throw new Error('do not deploy');
 * ```
 */
export function replayHistories(
  histories: Iterable<RecordedHistory> | AsyncIterable<RecordedHistory>,
  options: ReplayOptions = {},
): Promise<ReplayReport> {
  const report = turn.then(() => replayInTurn(histories, options));
  turn = report.catch(() => undefined);
  return report;
}

/** Temporal's SDK ends its runtime with its last worker. A replay that begins at that moment would fail, so replays take turns. */
let turn: Promise<unknown> = Promise.resolve();

async function replayInTurn(
  histories: Iterable<RecordedHistory> | AsyncIterable<RecordedHistory>,
  options: ReplayOptions,
): Promise<ReplayReport> {
  const { replayAll } = worker();
  const untouched: string[] = [];
  const divergences: Divergence[] = [];
  const given = new Map<string, RecordedHistory>();
  let replayed = 0;
  for await (const { workflowId, error } of replayAll(touched(histories, untouched, given), options)) {
    replayed += 1;
    const { name, history } = given.get(workflowId) ?? { name: workflowId, history: {} };
    given.delete(workflowId);
    const message = error?.message;
    const divergence =
      message === undefined ? undefined : { name, message, event: await locate(history, options) };
    if (divergence !== undefined) divergences.push(divergence);
    options.onReplayed?.(name, divergence);
  }
  return { replayed, untouched, divergences };
}

/** Yields the histories that have something to replay, with ids of their own. Records the names of the others. */
async function* touched(
  histories: Iterable<RecordedHistory> | AsyncIterable<RecordedHistory>,
  untouched: string[],
  given: Map<string, RecordedHistory>,
): AsyncIterable<HistoryAndWorkflowId> {
  let count = 0;
  for await (const recorded of histories) {
    if (prefixes(recorded.history).length === 0) {
      untouched.push(recorded.name);
      continue;
    }
    const workflowId = String((count += 1));
    given.set(workflowId, recorded);
    yield { workflowId, history: recorded.history };
  }
}

/** Loads Temporal's worker, which a project without replays does not need. */
const worker = () => require('./replay-worker') as { readonly replayAll: typeof ReplayAll };

async function replays(history: History, options: ReplayOptions): Promise<boolean> {
  for await (const { error } of worker().replayAll([{ workflowId: 'prefix', history }], options))
    return error === undefined;
  return true;
}

/** Finds the first event with which the history diverges, by bisection: if a prefix diverges, so does every longer one. */
async function locate(history: History, options: ReplayOptions): Promise<EventName> {
  const cuts = prefixes(history);
  let low = 0;
  let high = cuts.length - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const prefix = cuts[middle] ?? history;
    if (await replays(prefix, options)) low = middle + 1;
    else high = middle;
  }
  return describeEvent((cuts[low] ?? history).events?.at(-1));
}

/** Options of `replayOpenSessions`. */
export interface OpenReplayOptions extends ReplayOptions {
  /** Called with the number of open sessions that have been checked, and the number of all. @default none */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The Temporal server and namespace of the open sessions. */
export interface SessionsAtTemporal {
  /** The Temporal client that fetches the histories. */
  readonly client: Client;
  /** The sessions of the same namespace. */
  readonly sessions: PaymentSessions;
}

/**
 * Replays every open session of the namespace, to show how a deploy of this code, or of the bundle, would affect them. Sessions
 * that start meanwhile are left out, and run on the old code: replay again to check them.
 *
 * @example
 * ```ts
 * const { divergences } = await replayOpenSessions({ client, sessions }, { bundlePath: 'new-code.js' });
 * for (const { name, message } of divergences) console.error(name, message);
 * ```
 */
export async function replayOpenSessions(
  { client, sessions }: SessionsAtTemporal,
  { onProgress, ...options }: OpenReplayOptions = {},
): Promise<ReplayReport> {
  const keys: string[] = [];
  for await (const { key } of sessions.list({ running: true })) keys.push(key);
  const histories = historiesOf(client, keys, (done) => onProgress?.(done, keys.length));
  const { dataConverter } = client.options;
  return replayHistories(histories, { dataConverter, ...options });
}

/** Yields histories one by one, as the caller asks for them; leaves out sessions that no longer exist. */
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
