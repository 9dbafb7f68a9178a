import type { Tracer } from '@opentelemetry/api';
import type { InjectedSinks } from '@temporalio/worker';
import type { TraceSinks } from '../../workflows/tracing';
import { activityTracing } from './activities';
import { contextOf } from './carrier';
import { clientTracing } from './client';
import { exchangeTracing, pollTracing, type TracedPolls } from './exchanges';
import { nexusTracing } from './nexus';
import { ATTRIBUTES, markFailed, tracerOf, word, type ClientTracingOptions } from './spans';
import type { WorkerTracing } from './worker-tracing';

/** Options of `workerTracing`. */
export interface WorkerTracingOptions extends ClientTracingOptions {
  /** Which polls become spans: those that brought news or failed, or all. @default 'news' */
  readonly polls?: TracedPolls;
}

/**
 * Tracing for `createWorker`: sessions go on with the trace of whoever started them, down to each call to the payment service.
 *
 * @example
 * ```ts
 * import { workerTracing } from 'paysession/opentelemetry';
 * const worker = await createWorker({ connection, accounts, tracing: workerTracing() });
 * ```
 */
export function workerTracing(options: WorkerTracingOptions = {}): WorkerTracing {
  const tracer = tracerOf(options);
  return {
    interceptors: {
      client: clientTracing(options),
      activity: [activityTracing(tracer)],
      nexus: [nexusTracing(tracer)],
    },
    sinks: sessionSpans(tracer),
    exchangesOf: (name, account) => exchangeTracing(tracer, name, account),
    tracePoll: pollTracing(tracer, options.polls ?? 'news'),
  };
}

/** A span for each whole session, made when it ends: it stands beside those of its activities, in the caller's. */
function sessionSpans(tracer: Tracer): InjectedSinks<TraceSinks> {
  return {
    traces: {
      ended: {
        callDuringReplay: false,
        fn: ({ workflowType, workflowId, runId }, carrier, { startedAtMs, status, code, failure }) => {
          const attributes = {
            [ATTRIBUTES.workflowId]: workflowId,
            [ATTRIBUTES.runId]: runId,
            ...(status !== undefined && { 'paysession.status': word(status) }),
            ...(code !== undefined && { 'paysession.code': word(code) }),
          };
          const options = { startTime: startedAtMs, attributes };
          const span = tracer.startSpan(`RunWorkflow:${workflowType}`, options, contextOf(carrier));
          if (failure !== undefined) markFailed(span, failure);
          span.end();
        },
      },
    },
  };
}
