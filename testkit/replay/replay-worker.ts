import { Worker, type ReplayResult, type ReplayWorkerOptions } from '@temporalio/worker';
import { workerDataConverter } from '../../src/encryption';
import { WORKFLOW_TIME, workflowSource } from '../../worker/workflow-code/workflow-source';
import type { History } from '../history-json';
import { quietRuntime } from '../quiet-runtime';

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
  // As a worker reads them: what it cannot decrypt and passes over is no divergence.
  const worker = {
    ...workflowSource({ ...(bundlePath !== undefined && { codePath: bundlePath }) }),
    ...WORKFLOW_TIME,
    dataConverter: workerDataConverter(dataConverter),
  };
  return Worker.runReplayHistories(worker, histories);
}
