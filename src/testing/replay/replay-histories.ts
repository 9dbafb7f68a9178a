import type { History } from '@temporalio/common/lib/proto-utils';
import { Worker, type ReplayWorkerOptions } from '@temporalio/worker';
import { workflowSource } from '../../../worker/workflow-source';
import { quietRuntime } from '../quiet-runtime';
import { describeEvent, prefixes, type EventName } from './history-prefixes';
import type { RecordedHistory } from './recorded-history';

export interface ReplayOptions {
  /** The workflow bundle to replay against. @default the code of this package */
  readonly bundlePath?: string;
  /** The converter that reads the payloads. @default Temporal's own */
  readonly dataConverter?: NonNullable<ReplayWorkerOptions['dataConverter']>;
  /** Told of each history as it has been replayed. @default none */
  readonly onReplayed?: (name: string, divergence?: Divergence) => void;
}

/** A history that the code would not have made. */
export interface Divergence {
  readonly name: string;
  /** The first event with which the history no longer replays. */
  readonly event: EventName;
  /** What the code does instead, in the words of Temporal's SDK. */
  readonly message: string;
}

export interface ReplayReport {
  /** How many histories were replayed, those that diverge among them. */
  readonly replayed: number;
  /** Names of histories whose workflow had done nothing yet: there is nothing to replay. */
  readonly untouched: readonly string[];
  readonly divergences: readonly Divergence[];
}

/** Replays histories, one after the other, against the code or a bundle, and tells which diverge, and where. */
export async function replayHistories(
  histories: Iterable<RecordedHistory> | AsyncIterable<RecordedHistory>,
  options: ReplayOptions = {},
): Promise<ReplayReport> {
  quietRuntime();
  const untouched: string[] = [];
  const divergences: Divergence[] = [];
  let replayed = 0;
  for await (const { name, history } of histories) {
    if (prefixes(history).length === 0) {
      untouched.push(name);
      continue;
    }
    replayed += 1;
    const message = await replay(history, options);
    const divergence =
      message === undefined ? undefined : { name, message, event: await locate(history, options) };
    if (divergence !== undefined) divergences.push(divergence);
    options.onReplayed?.(name, divergence);
  }
  return { replayed, untouched, divergences };
}

/** What went wrong, or `undefined`. */
async function replay(
  history: History,
  { bundlePath, dataConverter }: ReplayOptions,
): Promise<string | undefined> {
  try {
    await Worker.runReplayHistory(
      { ...workflowSource(bundlePath), ...(dataConverter !== undefined && { dataConverter }) },
      history,
    );
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Finds the first event with which the history diverges, by halves: a prefix diverges when a shorter one does. */
async function locate(history: History, options: ReplayOptions): Promise<EventName> {
  const cuts = prefixes(history);
  let low = 0;
  let high = cuts.length - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const prefix = cuts[middle] ?? history;
    if ((await replay(prefix, options)) === undefined) low = middle + 1;
    else high = middle;
  }
  return describeEvent((cuts[low] ?? history).events?.at(-1));
}
