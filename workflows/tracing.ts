import {
  ContinueAsNew,
  proxySinks,
  workflowInfo,
  type Sinks,
  type WorkflowInterceptors,
} from '@temporalio/workflow';
import { ApplicationFailure, defaultPayloadConverter, type Headers, type Payload } from '@temporalio/common';
import type { SessionResult } from '../src/protocol/state/session';
import { TRACE_HEADER, type EndedRun, type TraceCarrier } from '../src/protocol/temporal/telemetry';

/** The worker's function that receives the end of a session's workflow, for traces. */
export interface TraceSinks extends Sinks {
  readonly traces: { ended(carrier: TraceCarrier, run: EndedRun): void };
}

const { traces } = proxySinks<TraceSinks>();

/**
 * Passes the trace of the session's start to the session's activities, log lines and next run. The interceptors must
 * not change the commands of a session, because workers with and without tracing replay the same histories. So they
 * make no spans, draw no random numbers, and return each promise unchanged.
 */
export function interceptors(): WorkflowInterceptors {
  let header: Payload | undefined;
  const traced = <I extends { readonly headers: Headers }>(input: I): I =>
    header === undefined ? input : { ...input, headers: { [TRACE_HEADER]: header, ...input.headers } };
  return {
    inbound: [
      {
        execute: (input, next) => {
          header = input.headers[TRACE_HEADER];
          const running = next(input);
          if (header !== undefined) reportEnd(carrierOf(header), running);
          return running;
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(traced(input)),
        continueAsNew: (input, next) => next(traced(input)),
        getLogAttributes: (input, next) => next({ ...logAttributes(header), ...input }),
      },
    ],
  };
}

/**
 * Reports the end of a run for the worker's traces. Reports nothing if the run continues as new. The session does
 * not wait for the report.
 */
function reportEnd(carrier: TraceCarrier, running: Promise<unknown>): void {
  const report = (end: Omit<EndedRun, 'startedAtMs'>): void => {
    const { startTime, unsafe } = workflowInfo();
    if (!unsafe.isReplaying) traces.ended(carrier, { startedAtMs: startTime.getTime(), ...end });
  };
  running.then(
    (result) => {
      const { status, code } = result as SessionResult;
      report({ status, ...(code != null && { code }) });
    },
    (error: unknown) => {
      if (error instanceof ContinueAsNew) return;
      report({ failure: (error instanceof ApplicationFailure && error.type) || 'Error' });
    },
  );
}

/**
 * Returns the trace in a header. Any caller may have written the header, so an unreadable header counts as no trace.
 */
function carrierOf(header: Payload): TraceCarrier {
  try {
    return defaultPayloadConverter.fromPayload<TraceCarrier | null>(header) ?? {};
  } catch {
    return {};
  }
}

/** Returns the trace's id for a log line, under the name that OpenTelemetry uses. */
function logAttributes(header: Payload | undefined): Record<string, string> {
  if (header === undefined) return {};
  const [, traceId] = /^00-([0-9a-f]{32})-/.exec(carrierOf(header).traceparent ?? '') ?? [];
  return traceId === undefined ? {} : { trace_id: traceId };
}
