import { context, type Tracer } from '@opentelemetry/api';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { ATTRIBUTES, inSpan, tracerOf, withTrace, type ClientTracingOptions } from './span-helpers';
import type { ClientTracing } from './worker-tracing';

/**
 * Returns interceptors for the `Client` that you pass to `PaymentSessions`. The client's starts, updates, signals, queries and
 * cancellations become spans of the caller's trace. A session that the client starts continues that trace.
 *
 * @example
 * ```ts
 * import { clientTracing } from 'paysession/opentelemetry';
 * const client = new Client({ connection, interceptors: clientTracing() });
 * ```
 */
export function clientTracing(options: ClientTracingOptions = {}): ClientTracing {
  return { workflow: [workflowCalls(tracerOf(options))] };
}

function workflowCalls(tracer: Tracer): WorkflowClientInterceptor {
  const calling = <T>(name: string, ids: Ids, run: () => Promise<T>): Promise<T> => {
    const attributes = {
      [ATTRIBUTES.workflowId]: ids.workflowId,
      [ATTRIBUTES.runId]: ids.runId,
      [ATTRIBUTES.updateId]: ids.updateId,
    };
    return inSpan(tracer, { name, attributes, parent: context.active(), run });
  };
  return {
    startWithDetails: (input, next) =>
      calling(`StartWorkflow:${input.workflowType}`, input.options, () =>
        next({ ...input, headers: withTrace(input.headers) }),
      ),
    startUpdateWithStart: (input, next) => {
      const { workflowStartOptions, updateOptions, updateName } = input;
      const ids = { ...workflowStartOptions, updateId: updateOptions.updateId };
      return calling(`UpdateWithStartWorkflow:${updateName}`, ids, () =>
        next({
          ...input,
          workflowStartHeaders: withTrace(input.workflowStartHeaders),
          updateHeaders: withTrace(input.updateHeaders),
        }),
      );
    },
    startUpdate: (input, next) => {
      const ids = { ...input.workflowExecution, updateId: input.options.updateId };
      return calling(`StartWorkflowUpdate:${input.updateName}`, ids, () =>
        next({ ...input, headers: withTrace(input.headers) }),
      );
    },
    signal: (input, next) =>
      calling(`SignalWorkflow:${input.signalName}`, input.workflowExecution, () =>
        next({ ...input, headers: withTrace(input.headers) }),
      ),
    query: (input, next) =>
      calling(`QueryWorkflow:${input.queryType}`, input.workflowExecution, () =>
        next({ ...input, headers: withTrace(input.headers) }),
      ),
    cancel: (input, next) => calling('CancelWorkflow', input.workflowExecution, () => next(input)),
  };
}

interface Ids {
  readonly workflowId?: string | undefined;
  readonly runId?: string | undefined;
  readonly updateId?: string | undefined;
}
