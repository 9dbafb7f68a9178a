import { type DataConverter, type PayloadCodec, IllegalStateError } from '@temporalio/common';
import {
  Worker,
  type ReplayResult,
  type ReplayWorkerOptions,
  DefaultLogger,
  Runtime,
} from '@temporalio/worker';
import { workerDataConverter } from '../../src/encryption';
import type { History } from './history-json';
import { withoutWatchdog, WORKFLOW_TIME } from '../../worker/sdk-internals';
import { workflowSource } from '../../worker/workflow-source';

export interface HistoryAndWorkflowId {
  readonly workflowId: string;
  readonly history: History;
}

/** The workflow bundle and the data converter of the worker that replays. */
interface ReplayWorker {
  readonly bundlePath?: string;
  readonly dataConverter?: NonNullable<ReplayWorkerOptions['dataConverter']>;
}

/** Replays histories with one worker. A new worker for each history would take a tenth of a second more per history. */
export function replayAll(
  histories: Iterable<HistoryAndWorkflowId> | AsyncIterable<HistoryAndWorkflowId>,
  { bundlePath, dataConverter }: ReplayWorker,
): AsyncIterable<ReplayResult> {
  quietRuntime();
  const recordedIds = new Map<string, string>();
  // This converter decodes payloads as a worker does. A worker ignores some payloads that it cannot decrypt, so they are not a divergence here.
  const worker = {
    ...workflowSource({ codePath: bundlePath }),
    ...WORKFLOW_TIME,
    dataConverter: workerDataConverter(asRecorded(dataConverter, recordedIds)),
  };
  return withoutWatchdog(Worker).runReplayHistories(worker, recordingIds(histories, recordedIds));
}

async function* recordingIds(
  histories: Iterable<HistoryAndWorkflowId> | AsyncIterable<HistoryAndWorkflowId>,
  recordedIds: Map<string, string>,
): AsyncIterable<HistoryAndWorkflowId> {
  for await (const one of histories) {
    const id = one.history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId;
    if (id) recordedIds.set(one.workflowId, id);
    yield one;
  }
}

/**
 * Wraps the codecs of a data converter. Each history is replayed under a new workflow id. Codecs that check the workflow id receive the id of
 * the workflow that recorded the history.
 */
function asRecorded(converter: DataConverter = {}, recordedIds: ReadonlyMap<string, string>): DataConverter {
  const codecs = (converter.payloadCodecs ?? []).map((codec): PayloadCodec => ({
    encode: (payloads, context) => codec.encode(payloads, context),
    decode: (payloads, context) => {
      const workflowId = context?.workflowId && recordedIds.get(context.workflowId);
      return codec.decode(payloads, workflowId ? { ...context, workflowId } : undefined);
    },
  }));
  return { ...converter, payloadCodecs: codecs };
}

/** Makes Temporal's runtime log only errors. Does nothing if this process has already installed a runtime. */
export function quietRuntime(): void {
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      shutdownSignals: [],
      telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
    });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
