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
  /** The workflow bundle to replay with. @default the code of this package */
  readonly bundlePath?: string;
  /** The data converter that reads the payloads. @default Temporal's own. In `replayOpenSessions`, the client's */
  readonly dataConverter?: NonNullable<ReplayWorkerOptions['dataConverter']>;
  /** Called after each replay with the history's name. If the history diverges, also with the divergence. @default none */
  readonly onReplayed?: (name: string, divergence?: Divergence) => void;
}

/** The first difference between a history and its replay: the code would not have recorded this history. */
export interface Divergence {
  /** The name of the history. */
  readonly name: string;
  /** The first event at which the replay fails. */
  readonly event: EventName;
  /** The difference, in the words of Temporal's SDK. */
  readonly message: string;
}

/** The outcome of a replay. */
export interface ReplayReport {
  /** The number of histories that were replayed, including those that diverge. */
  readonly replayed: number;
  /** The names of histories without a workflow task. In these, there is nothing to replay. */
  readonly untouched: readonly string[];
  /** The histories that diverge. If there are none, the code is safe to deploy. */
  readonly divergences: readonly Divergence[];
}

/**
 * Replays histories one after the other, with the code of this package or with a bundle. Reports the histories that diverge, and where. If
 * this function is called several times at once, the calls run one after the other.
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

/**
 * The end of the last call of `replayHistories`. The calls run one after the other: Temporal's SDK shuts its runtime down with its last
 * worker, and a replay that began at that moment would fail.
 */
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

/**
 * Yields the histories that have a workflow task, each with a new workflow id, under which `given` stores the history. Adds the names of the
 * other histories to `untouched`.
 */
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

/** Loads Temporal's worker only when it is needed, because most projects replay no histories. */
const worker = () => require('./replay-worker') as { readonly replayAll: typeof ReplayAll };

async function replays(history: History, options: ReplayOptions): Promise<boolean> {
  for await (const { error } of worker().replayAll([{ workflowId: 'prefix', history }], options))
    return error === undefined;
  return true;
}

/** Finds the first event at which the replay fails, by bisection. If the replay of a prefix fails, the replay of each longer one fails, too. */
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
  /** Called after each session, with the number of checked sessions and the number of all open sessions. @default none */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The clients for the Temporal server and the namespace of the open sessions. */
export interface SessionsAtTemporal {
  /** The Temporal client that fetches the histories. */
  readonly client: Client;
  /** The sessions of the same namespace. */
  readonly sessions: PaymentSessions;
}

/**
 * Replays all open sessions of the namespace, to check that a deploy of this code, or of the bundle, would not break them. Sessions that start
 * during the check are left out. They have run on the old code, too, so replay again to check them.
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

/** Fetches and yields the histories one by one. Leaves out sessions that have been deleted meanwhile. */
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
