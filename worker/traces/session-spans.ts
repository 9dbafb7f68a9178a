import { context, type Attributes, type Span, type Tracer } from '@opentelemetry/api';
import type {
  ActivityExecuteInput,
  ActivityInterceptors,
  InjectedSinks,
  NexusInterceptorsFactory,
} from '@temporalio/worker';
import type { Context as ActivityContext } from '@temporalio/activity';
import type { TraceSinks } from '../../workflows/tracing';
import type { PaymentActivities } from '../../activities';
import { clientTracing } from './client';
import { exchangeTracing, pollingContext, pollTracing, type TracedPolls } from './exchange-spans';
import {
  ATTRIBUTES,
  carrierIn,
  contextOf,
  inSpan,
  logAttributes,
  markFailed,
  tracerOf,
  word,
  type ClientTracingOptions,
} from './span-helpers';
import type { WorkerTracing } from './worker-tracing';
import { accountOf } from '../observing/worker-log';

/** Options of `workerTracing`. */
export interface WorkerTracingOptions extends ClientTracingOptions {
  /**
   * The polls that become spans. `changes`: polls that found a change, and polls that failed. `all`: all polls. A poll that `refresh`
   * asks for becomes a span in both cases. @default 'changes'
   */
  readonly polls?: TracedPolls;
}

/**
 * Returns the option `tracing` for `createWorker`. A session continues the trace of the caller that started the session. The trace
 * includes the session's calls to the payment service.
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
    tracePoll: pollTracing(tracer, options.polls ?? 'changes'),
  };
}

/**
 * Returns sinks that make one span for a whole session when the session's workflow completes or fails. Only sessions whose callers trace
 * get one. The span is a sibling of the spans of the session's activities, in the caller's trace.
 */
function sessionSpans(tracer: Tracer): InjectedSinks<TraceSinks> {
  return {
    traces: {
      ended: {
        callDuringReplay: false,
        fn: ({ workflowType, workflowId, runId }, carrier, { startedAtMs, status, code, failure }) => {
          const attributes = {
            [ATTRIBUTES.workflowId]: workflowId,
            [ATTRIBUTES.runId]: runId,
            'paysession.status': status && word(status),
            'paysession.code': code && word(code),
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

/**
 * The activity without a span of its own. It makes a session's polls, and may last for months in hundreds of attempts. So only its polls
 * become spans.
 */
const WITHOUT_SPAN = 'followSession' satisfies keyof PaymentActivities;

/** Returns interceptors that continue a session's trace in the session's activities. */
function activityTracing(tracer: Tracer): (activity: ActivityContext) => ActivityInterceptors {
  return ({ info }) => ({
    inbound: {
      execute: (input, next) => {
        const parent = contextOf(carrierIn(input.headers));
        if (info.activityType === WITHOUT_SPAN)
          return context.with(pollingContext(parent, sessionOf(info)), () => next(input));
        return inSpan(tracer, {
          name: `RunActivity:${info.activityType}`,
          attributes: attributesOf(info, input),
          parent,
          run: async (span) => {
            // If the activity `createSession` has delivered its result itself, it throws an error that contains this result.
            const result = await next(input).catch((error: unknown) => {
              showOutcome(span, (error as { readonly result?: unknown } | undefined)?.result);
              throw error;
            });
            showOutcome(span, result);
            return result;
          },
        });
      },
    },
    outbound: { getLogAttributes: (input, next) => next({ ...logAttributes(), ...input }) },
  });
}

const sessionOf = ({ workflowExecution }: ActivityContext['info']): Attributes => ({
  [ATTRIBUTES.workflowId]: workflowExecution?.workflowId,
  [ATTRIBUTES.runId]: workflowExecution?.runId,
});

function attributesOf(info: ActivityContext['info'], { args }: ActivityExecuteInput): Attributes {
  const { activityId, attempt, currentAttemptScheduledTimestampMs } = info;
  return {
    [ATTRIBUTES.activityId]: activityId,
    ...sessionOf(info),
    'paysession.account': accountOf(args[0]),
    'paysession.attempt': attempt,
    'paysession.queued_ms': Math.max(0, Date.now() - currentAttemptScheduledTimestampMs),
  };
}

/** Adds the outcome to the span if the activity's result has one. */
function showOutcome(span: Span, result: unknown): void {
  const outcome = (result as { readonly outcome?: unknown } | undefined)?.outcome;
  if (typeof outcome === 'string') span.setAttribute('paysession.outcome', word(outcome));
}

/** Returns interceptors that continue the caller's trace in Nexus operations. Their headers contain the trace as HTTP headers do. */
export function nexusTracing(tracer: Tracer): NexusInterceptorsFactory {
  return () => ({
    inbound: {
      startOperation: (input, next) => {
        const { service, operation, headers } = input.ctx;
        return inSpan(tracer, {
          name: `RunStartNexusOperation:${service}/${operation}`,
          attributes: { [ATTRIBUTES.nexusService]: service, [ATTRIBUTES.nexusOperation]: operation },
          parent: contextOf(headers),
          run: () => next(input),
        });
      },
    },
    outbound: { getLogAttributes: (input, next) => next({ ...logAttributes(), ...input }) },
  });
}
