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

/** The worker's code, and how it decodes payloads. */
interface ReplayWorker {
  readonly bundlePath?: string;
  readonly dataConverter?: NonNullable<ReplayWorkerOptions['dataConverter']>;
}

/** Replays histories, all with one worker: a worker for each would cost a tenth of a second more. */
export function replayAll(
  histories: Iterable<HistoryAndWorkflowId> | AsyncIterable<HistoryAndWorkflowId>,
  { bundlePath, dataConverter }: ReplayWorker,
): AsyncIterable<ReplayResult> {
  quietRuntime();
  const recordedIds = new Map<string, string>();
  // Decodes as a worker does, which ignores some payloads that it cannot decrypt: these are not a divergence.
  const worker = {
    ...workflowSource({ codePath: bundlePath }),
    ...WORKFLOW_TIME,
    dataConverter: workerDataConverter(asRecorded(dataConverter, recordedIds)),
  };
  return withoutWatchdog(Worker).runReplayHistories(worker, noting(histories, recordedIds));
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

/** Makes codecs decode payloads for the workflow that recorded them, although each history is replayed under another id. */
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

/** Makes Temporal's runtime report errors only, unless this process has installed a runtime already. */
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
