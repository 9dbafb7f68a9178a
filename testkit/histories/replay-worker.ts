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
import { WORKFLOW_TIME, workflowSource } from '../../worker/workflow-source';

export interface HistoryAndWorkflowId {
  readonly workflowId: string;
  readonly history: History;
}

/** What the worker replays against, and how it reads payloads. */
interface ReplayWorker {
  readonly bundlePath?: string;
  readonly dataConverter?: NonNullable<ReplayWorkerOptions['dataConverter']>;
}

/** One worker replays them all: a worker for each would cost a tenth of a second more. */
export function replayAll(
  histories: Iterable<HistoryAndWorkflowId> | AsyncIterable<HistoryAndWorkflowId>,
  { bundlePath, dataConverter }: ReplayWorker,
): AsyncIterable<ReplayResult> {
  quietRuntime();
  const recordedIds = new Map<string, string>();
  // As a worker reads them: what it cannot decrypt and passes over is no divergence.
  const worker = {
    ...workflowSource({ ...(bundlePath !== undefined && { codePath: bundlePath }) }),
    ...WORKFLOW_TIME,
    dataConverter: workerDataConverter(asRecorded(dataConverter, recordedIds)),
  };
  return Worker.runReplayHistories(worker, noting(histories, recordedIds));
}

async function* noting(
  histories: Iterable<HistoryAndWorkflowId> | AsyncIterable<HistoryAndWorkflowId>,
  recordedIds: Map<string, string>,
): AsyncIterable<HistoryAndWorkflowId> {
  for await (const one of histories) {
    const id = one.history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId;
    if (id) recordedIds.set(one.workflowId, id);
    yield one;
  }
}

/** Payloads belong to the workflow that recorded them, and each history is replayed under an id of its own. */
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

/** Lets Temporal's runtime tell of errors only, unless a test has installed its own runtime before. */
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
