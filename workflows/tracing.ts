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

/** The end of a session's workflow, which workers receive for their traces. */
export interface TraceSinks extends Sinks {
  readonly traces: { ended(carrier: TraceCarrier, run: EndedRun): void };
}

const { traces } = proxySinks<TraceSinks>();

/**
 * Passes the trace of the session's start to its activities, its log lines and its next run. The interceptors make no
 * spans, draw no random numbers and return each promise unchanged. A session thus makes the same commands in the same
 * order with and without a trace, and with and without tracing workers.
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
          if (header !== undefined) tellEnd(carrierOf(header), running);
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

/** Reports the end of a run to the traces of workers, unless another run continues it. The session does not wait. */
function tellEnd(carrier: TraceCarrier, running: Promise<unknown>): void {
  const tell = (end: Omit<EndedRun, 'startedAtMs'>): void => {
    const { startTime, unsafe } = workflowInfo();
    if (!unsafe.isReplaying) traces.ended(carrier, { startedAtMs: startTime.getTime(), ...end });
  };
  running.then(
    (result) => {
      const { status, code } = result as SessionResult;
      tell({ status, ...(code != null && { code }) });
    },
    (error: unknown) => {
      if (error instanceof ContinueAsNew) return;
      tell({ failure: (error instanceof ApplicationFailure && error.type) || 'Error' });
    },
  );
}

/** Returns the trace in a header. Any caller may have written it, so an unreadable header counts as no trace. */
function carrierOf(header: Payload): TraceCarrier {
  try {
    return defaultPayloadConverter.fromPayload<TraceCarrier | null>(header) ?? {};
  } catch {
    return {};
  }
}

/** Returns the trace's id for a log line, under OpenTelemetry's own name. */
function logAttributes(header: Payload | undefined): Record<string, string> {
  if (header === undefined) return {};
  const [, traceId] = /^00-([0-9a-f]{32})-/.exec(carrierOf(header).traceparent ?? '') ?? [];
  return traceId === undefined ? {} : { trace_id: traceId };
}
