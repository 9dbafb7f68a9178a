import { randomUUID } from 'node:crypto';
import {
  ApplicationFailure,
  defaultFailureConverter,
  defaultPayloadConverter,
  type Payload,
  type ProtoFailure,
} from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { World } from './worlds/world';

/** A start of a workflow, with options that paysession’s own client never sets. */
export interface RawStart extends Pick<
  temporal.api.workflowservice.v1.IStartWorkflowExecutionRequest,
  'cronSchedule' | 'retryPolicy' | 'workflowRunTimeout' | 'workflowExecutionTimeout'
> {
  readonly workflowId: string;
  readonly input: readonly Payload[];
}

/** Calls sessions as any Temporal SDK can: with names and bytes, and without code of paysession or of the TypeScript client. */
export interface RawCalls {
  start(call: RawStart): Promise<void>;
  signal(workflowId: string, name: string, input?: readonly Payload[]): Promise<void>;
  /** Returns the answer as JSON text. */
  query(workflowId: string, name: string, input?: readonly Payload[]): Promise<string>;
  /** Returns the answer as JSON text, or the error with which the update failed or was rejected. */
  update(
    workflowId: string,
    name: string,
    input?: readonly Payload[],
    updateId?: string,
  ): Promise<RawOutcome>;
  /** Waits for the workflow’s end. Returns the result as JSON text, or the error with which the workflow failed. */
  result(workflowId: string): Promise<RawOutcome>;
  /** Returns the number of failed workflow tasks. */
  failedTasks(workflowId: string): Promise<number>;
}

export type RawOutcome = { readonly answer: string } | { readonly failure: Error };

const NAMESPACE = 'default';
const {
  UpdateWorkflowExecutionLifecycleStage: STAGE,
  HistoryEventFilterType: FILTER,
  WorkflowTaskFailedCause: CAUSE,
} = temporal.api.enums.v1;

/** Returns JSON text as a payload, which is the form in which SDKs send arguments. */
export function jsonPayload(json: string, encoding = 'json/plain'): Payload {
  return { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(json) };
}

export function rawCalls(world: Pick<World, 'client' | 'taskQueue'>): RawCalls {
  const temporal = () => world.client.workflow.connection.workflowService;
  const execution = (workflowId: string) => ({
    namespace: NAMESPACE,
    workflowExecution: { workflowId },
    execution: { workflowId },
  });
  const payloads = (input: readonly Payload[] = []) => ({ payloads: [...input] });
  return {
    start: async ({ workflowId, input, ...options }) => {
      await temporal().startWorkflowExecution({
        ...options,
        namespace: NAMESPACE,
        workflowId,
        workflowType: { name: 'paymentSession' },
        taskQueue: { name: world.taskQueue },
        input: payloads(input),
        requestId: randomUUID(),
      });
    },
    signal: async (workflowId, signalName, input) => {
      await temporal().signalWorkflowExecution({
        ...execution(workflowId),
        signalName,
        input: payloads(input),
        requestId: randomUUID(),
      });
    },
    query: async (workflowId, queryType, input) => {
      const query = { queryType, queryArgs: payloads(input) };
      const { queryResult } = await temporal().queryWorkflow({ ...execution(workflowId), query });
      return textOf(queryResult?.payloads);
    },
    update: async (workflowId, name, input, updateId = randomUUID()) => {
      const { outcome } = await temporal().updateWorkflowExecution({
        ...execution(workflowId),
        waitPolicy: { lifecycleStage: STAGE.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED },
        request: { meta: { updateId }, input: { name, args: payloads(input) } },
      });
      return outcome?.failure == null
        ? { answer: textOf(outcome?.success?.payloads) }
        : { failure: errorOf(outcome.failure) };
    },
    result: async (workflowId) => {
      const { history } = await temporal().getWorkflowExecutionHistory({
        ...execution(workflowId),
        waitNewEvent: true,
        historyEventFilterType: FILTER.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT,
      });
      const end = history?.events?.[0];
      const failure = end?.workflowExecutionFailedEventAttributes?.failure;
      if (failure != null) return { failure: errorOf(failure) };
      return { answer: textOf(end?.workflowExecutionCompletedEventAttributes?.result?.payloads) };
    },
    failedTasks: async (workflowId) => {
      const { history } = await temporal().getWorkflowExecutionHistory(execution(workflowId));
      return (history?.events ?? []).filter(({ workflowTaskFailedEventAttributes: failed }) =>
        // `UNHANDLED_COMMAND` is no fault: an event arrived while the workflow was ending, so the server starts another task.
        [undefined, null, CAUSE.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND].every(
          (no) => failed?.cause !== no,
        ),
      ).length;
    },
  };
}

/** Returns the error code of a failed call. Any SDK can read the code: it is the type of the application failure. */
export function typeOf(outcome: RawOutcome): string | null | undefined {
  if ('answer' in outcome) throw new Error(`it did not fail: ${outcome.answer}`);
  return outcome.failure instanceof ApplicationFailure ? outcome.failure.type : outcome.failure.name;
}

function textOf(payloads: Payload[] | null | undefined): string {
  return Buffer.from(payloads?.[0]?.data ?? []).toString();
}

function errorOf(failure: ProtoFailure): Error {
  return defaultFailureConverter.failureToError(failure, defaultPayloadConverter);
}
