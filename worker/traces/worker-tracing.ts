import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { InjectedSinks, WorkerInterceptors, WorkerOptions } from '@temporalio/worker';
import type { ExchangeTracer, ServiceAccount } from '../../src/service';
import type { TraceSinks } from '../../workflows/tracing';
import type { WorkflowSource } from '../workflow-source';
import type { PollTracer } from '../../activities/follow-session';

/** Interceptors for a Temporal `Client`. */
export interface ClientTracing {
  /** Traces the calls of the client to workflows. */
  readonly workflow: WorkflowClientInterceptor[];
}

/** Tracing of sessions by a worker. `workerTracing` of `paysession/opentelemetry` creates it. */
export interface WorkerTracing {
  /** Interceptors that continue traces in activities and Nexus operations, and those for the worker's `Client`. */
  readonly interceptors: Required<Pick<WorkerInterceptors, 'activity' | 'nexus'>> & {
    readonly client: ClientTracing;
  };
  /** Sinks that receive the ends of sessions. */
  readonly sinks: InjectedSinks<TraceSinks>;
  /** Traces the exchanges with the payment service of an account. */
  exchangesOf(name: string, account: Pick<ServiceAccount, 'baseUrl'>): ExchangeTracer;
  /** Traces the polls of sessions. */
  readonly tracePoll: PollTracer;
}

/** The sinks of a worker that does not trace. A session whose caller traces reports its end to this worker, too. */
const IGNORING: InjectedSinks<TraceSinks> = {
  traces: { ended: { fn: () => undefined, callDuringReplay: false } },
};

/**
 * Returns the workflow code with all interceptors and sinks: its own, those of tracing, and the caller's. The caller's
 * `client` interceptors replace those of tracing.
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
