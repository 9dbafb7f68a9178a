import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { InjectedSinks, WorkerInterceptors, WorkerOptions } from '@temporalio/worker';
import type { ExchangeTracer, ServiceAccount } from '../../src/service';
import type { TraceSinks } from '../../workflows/tracing';
import type { WorkflowSource } from '../workflow-source';
import type { PollTracer } from '../../activities/follow-session';

/** Interceptors for a Temporal `Client`. */
export interface ClientTracing {
  /** Trace the client's calls to workflows. */
  readonly workflow: WorkflowClientInterceptor[];
}

/** The option `tracing` of `createWorker`. `workerTracing` of `paysession/opentelemetry` returns it. */
export interface WorkerTracing {
  /** Interceptors for the worker's activities, Nexus operations and `Client`. They continue the traces of callers. */
  readonly interceptors: Required<Pick<WorkerInterceptors, 'activity' | 'nexus'>> & {
    readonly client: ClientTracing;
  };
  /** Sinks that are called when a session ends. */
  readonly sinks: InjectedSinks<TraceSinks>;
  /** Returns the tracer for an account's HTTP exchanges with the payment service. */
  exchangesOf(name: string, account: Pick<ServiceAccount, 'baseUrl'>): ExchangeTracer;
  /** Traces the polls of sessions. */
  readonly tracePoll: PollTracer;
}

/** The sinks of a worker without tracing. They ignore the ends of sessions, which workflows report if their callers trace. */
const IGNORING: InjectedSinks<TraceSinks> = {
  traces: { ended: { fn: () => undefined, callDuringReplay: false } },
};

/**
 * Adds interceptors and sinks to the workflow code: those of `tracing`, and those of Temporal's worker options (`own`). If `own` has
 * `client` interceptors, they replace the `client` interceptors of `tracing`.
 */
export function withTracing(
  tracing: WorkerTracing | undefined,
  source: WorkflowSource,
  own: Partial<WorkerOptions> | undefined,
): Pick<WorkerOptions, 'interceptors' | 'sinks'> & WorkflowSource {
  const workflowModules = 'interceptors' in source ? source.interceptors.workflowModules : [];
  const { interceptors, sinks } = own ?? {};
  return {
    ...source,
    interceptors: {
      ...interceptors,
      workflowModules: [...workflowModules, ...(interceptors?.workflowModules ?? [])],
      activity: [...(tracing?.interceptors.activity ?? []), ...(interceptors?.activity ?? [])],
      nexus: [...(tracing?.interceptors.nexus ?? []), ...(interceptors?.nexus ?? [])],
      ...(tracing && interceptors?.client === undefined && { client: tracing.interceptors.client }),
    },
    sinks: { ...(tracing?.sinks ?? IGNORING), ...sinks },
  };
}
