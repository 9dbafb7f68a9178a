import { WorkflowFailedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { InternalWorkflowStartOptionsSymbol } from '@temporalio/client/lib/internal';
import {
  DefaultFailureConverter,
  defaultPayloadConverter,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import type { PaymentSessionInput } from '../../../../src';
import { WORKFLOW_ID_PREFIX } from '../../../../src/protocol/names';
import { GRPC } from '../../../../src/protocol/temporal/grpc';
import type { Run } from './run';
import type { SimulatedTemporal } from './simulated-temporal';

const converter = new DefaultFailureConverter();
const keyOf = (workflowId: string): string => workflowId.slice(WORKFLOW_ID_PREFIX.length);

/** Returns a time as Temporal’s client does: the seconds are a 64-bit number. */
const serverTime = (atMs: number) => ({
  seconds: { toNumber: () => Math.floor(atMs / 1_000) },
  nanos: (atMs % 1_000) * 1_000_000,
});

interface Execution {
  readonly workflowId: string;
  readonly runId?: string | undefined;
}

/** Returns a client of a simulated Temporal server. It has only the methods that the product calls for starts, sweeps and claims. */
export function simulatedClient(temporal: SimulatedTemporal): Client {
  const find = ({ workflowId, runId }: Execution): Run => {
    const run = temporal.find(keyOf(workflowId), runId);
    if (run === undefined) throw new WorkflowNotFoundError('workflow not found', workflowId, runId);
    return run;
  };
  /** Returns a run. If it does not exist, throws the same error as Temporal’s `workflowService`. */
  const raw = ({ workflowId, runId }: Execution): Run => {
    const run = temporal.find(keyOf(workflowId), runId);
    const answer = { code: GRPC.NOT_FOUND, details: 'workflow not found', metadata: {} };
    if (run === undefined) throw Object.assign(new Error('5 NOT_FOUND'), answer);
    return run;
  };
  const client = {
    options: {
      namespace: temporal.name,
      loadedDataConverter: { payloadCodecs: [], payloadConverter: defaultPayloadConverter },
    },
    connection: {},
    withDeadline: <T>(_deadline: number, call: () => Promise<T>) => call(),
    workflowService: {
      describeNamespace: () => Promise.resolve({ namespaceInfo: { id: 'model' } }),
      listWorkflowExecutions: () =>
        Promise.resolve({
          executions: temporal.runs.filter(({ isRunning }) => !isRunning).map(listed),
          nextPageToken: new Uint8Array(),
        }),
      getWorkflowExecutionHistory: async ({ execution }: { execution: Execution }) =>
        Promise.resolve(historyOf(raw(execution))),
      getWorkflowExecutionHistoryReverse: async ({ execution }: { execution: Execution }) =>
        Promise.resolve(lastEventsOf(raw(execution))),
    },
    workflow: {
      getHandle: (workflowId: string, runId?: string) => ({
        describe: async () => Promise.resolve(described(find({ workflowId, runId }))),
        result: async () => Promise.resolve(resultOf(find({ workflowId, runId }))),
        query: async (name: string) => temporal.query(find({ workflowId, runId }), name),
      }),
      start: (_type: string, options: StartOptions) => start(temporal, options),
    },
  };
  return client as unknown as Client;
}

const listed = ({ start: { workflowId, runId, startedAtMs }, end }: Run) => ({
  execution: { workflowId, runId },
  startTime: serverTime(startedAtMs),
  closeTime: end && serverTime(end.atMs),
});

/** Returns a run’s history with only its first event. The product reads no other event in forward order. */
function historyOf({ start: { input, originalRunId, firstRunId, startedAtMs } }: Run) {
  const started = {
    input: { payloads: [defaultPayloadConverter.toPayload(input)] },
    originalExecutionRunId: originalRunId,
    firstExecutionRunId: firstRunId,
    continuedExecutionRunId: '',
  };
  return {
    history: {
      events: [{ eventTime: serverTime(startedAtMs), workflowExecutionStartedEventAttributes: started }],
    },
  };
}

/** Returns a run’s history in reverse order. It has only the events that the product reads: those of the last step, and the first one. */
const lastEventsOf = ({ lastStepAtMs, steps }: Run) => ({
  history: {
    events: [
      ...(steps.length > 0 ? [{ workflowTaskCompletedEventAttributes: {} }] : []),
      { eventTime: serverTime(lastStepAtMs), workflowTaskStartedEventAttributes: {} },
      { workflowExecutionStartedEventAttributes: { continuedExecutionRunId: '' } },
    ],
  },
});

const described = ({ start: { runId, firstRunId, memo, requestId }, end }: Run) => ({
  runId,
  status: { name: end?.status ?? 'RUNNING' },
  memo,
  raw: { workflowExecutionInfo: { firstRunId }, requestId },
});

function resultOf({ end, start: { workflowId } }: Run): unknown {
  if (end?.status === 'COMPLETED') return end.result;
  const cause =
    end?.status === 'FAILED'
      ? converter.failureToError(end.failure, defaultPayloadConverter)
      : new Error(`${workflowId} was terminated`);
  throw new WorkflowFailedError('Workflow execution failed', cause, 'NON_RETRYABLE_FAILURE');
}

interface StartOptions {
  readonly workflowId: string;
  readonly workflowIdReusePolicy: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY';
  readonly memo: Readonly<Record<string, unknown>>;
  readonly args: readonly [PaymentSessionInput];
  readonly [InternalWorkflowStartOptionsSymbol]?: { readonly requestId?: string };
}

/** Starts a workflow. Throws if a workflow with this id runs, or if it has ended and the policy does not allow a second one. */
async function start(temporal: SimulatedTemporal, options: StartOptions): Promise<unknown> {
  const { workflowId, workflowIdReusePolicy: policy, memo, args } = options;
  const [input] = args;
  const requestId = options[InternalWorkflowStartOptionsSymbol]?.requestId;
  const current = temporal.find(keyOf(workflowId));
  const isSame = requestId !== undefined && current?.start.requestId === requestId;
  if (isSame) return {};
  const allowed =
    policy === 'ALLOW_DUPLICATE'
      ? ['COMPLETED', 'FAILED', 'TERMINATED']
      : policy === 'ALLOW_DUPLICATE_FAILED_ONLY'
        ? ['FAILED', 'TERMINATED']
        : [];
  if (current !== undefined && !allowed.includes(current.end?.status ?? 'RUNNING'))
    throw new WorkflowExecutionAlreadyStartedError('already started', workflowId, 'paymentSession');
  await temporal.start(input, { memo, requestId });
  return {};
}
