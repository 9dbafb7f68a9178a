import {
  context,
  createTraceState,
  isSpanContextValid,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { ApplicationFailure, defaultPayloadConverter, type Headers } from '@temporalio/common';
import { HandlerError, OperationError } from 'nexus-rpc';
import { isPaysessionError } from '../../src/errors';
import { errorCodeOf } from '../../src/nexus';
import { TRACE_HEADER, type TraceCarrier } from '../../src/protocol/temporal/telemetry';

/** Options of `clientTracing`. */
export interface ClientTracingOptions {
  /** Makes the spans. @default the tracer `paysession` of the provider that is registered with `@opentelemetry/api` */
  readonly tracer?: Tracer;
}

export const tracerOf = ({ tracer }: ClientTracingOptions): Tracer => tracer ?? trace.getTracer('paysession');

/** Attributes under the names that Temporal's own OpenTelemetry interceptors use. */
export const ATTRIBUTES = {
  workflowId: 'temporalWorkflowId',
  runId: 'run_id',
  activityId: 'temporalActivityId',
  updateId: 'temporalUpdateId',
  nexusService: 'temporalNexusService',
  nexusOperation: 'temporalNexusOperation',
} as const;

/** Work, and the span that shows it. */
export interface Work<T> {
  readonly name: string;
  readonly attributes: Attributes;
  readonly parent: Context;
  readonly run: (span: Span) => Promise<T>;
}

/**
 * The name of the error that an activity throws after it has delivered its result itself. The activity has not failed. The
 * class is not imported, because clients trace without `@temporalio/activity`.
 */
const DELIVERED = 'CompleteAsyncError';

/** Does work in a span of its own. */
export function inSpan<T>(tracer: Tracer, { name, attributes, parent, run }: Work<T>): Promise<T> {
  return tracer.startActiveSpan(name, { attributes }, parent, async (span) => {
    try {
      return await run(span);
    } catch (error) {
      const type = errorType(error);
      if (type !== DELIVERED) markFailed(span, type);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Marks a span as failed with the kind of error, never its message: messages may quote other parties' data. */
export function markFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

export function errorType(error: unknown): string {
  if (isPaysessionError(error)) return error.code;
  // The handlers of Nexus operations have already converted the error: its code is in a cause.
  if (error instanceof HandlerError || error instanceof OperationError)
    return errorCodeOf(error) ?? error.name;
  if (error instanceof ApplicationFailure && error.type) return error.type;
  return error instanceof Error ? error.name : 'Error';
}

/** Returns the text, or `unreadable` if it does not look like one word: such a text may contain anything. */
export function word(text: string): string {
  return /^[A-Za-z0-9_]{1,32}$/.test(text) ? text : 'unreadable';
}

/**
 * W3C Trace Context. Traces are carried in this form only, whatever propagators are registered: baggage may hold personal
 * data, and headers are stored in plain text.
 */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const MAX_STATE = 512;

/** Returns W3C's `traceparent` of a span. */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Returns the current context, with the span that a carrier names, if any. */
export function contextOf({ traceparent, tracestate }: TraceCarrier): Context {
  const here = context.active();
  const [, traceId, spanId, flags] = TRACEPARENT.exec(String(traceparent)) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return here;
  const state = typeof tracestate === 'string' ? { traceState: createTraceState(tracestate) } : {};
  const span = { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true, ...state };
  return isSpanContextValid(span) ? trace.setSpanContext(here, span) : here;
}

/** Returns a context's span, if it has a valid one. An SDK that exports no traces makes spans that are not valid. */
export function spanIn(from: Context): SpanContext | undefined {
  const span = trace.getSpanContext(from);
  return span !== undefined && isSpanContextValid(span) ? span : undefined;
}

/** Returns the current trace; empty outside of one. */
function currentCarrier(): TraceCarrier {
  const span = spanIn(context.active());
  if (span === undefined) return {};
  const tracestate = span.traceState?.serialize();
  const hasState = tracestate !== undefined && tracestate !== '' && tracestate.length <= MAX_STATE;
  return { traceparent: traceparentOf(span), ...(hasState && { tracestate }) };
}

/** Returns Temporal's headers with the current trace. */
export function withTrace(headers: Headers): Headers {
  const carrier = currentCarrier();
  if (carrier.traceparent === undefined) return headers;
  return { ...headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(carrier) };
}

/**
 * Returns the trace in Temporal's headers. Any caller may have written them, so an unreadable header counts as no
 * trace.
 */
export function carrierIn(headers: Headers): TraceCarrier {
  const payload = headers[TRACE_HEADER];
  if (payload === undefined) return {};
  try {
    return defaultPayloadConverter.fromPayload<TraceCarrier | null>(payload) ?? {};
  } catch {
    return {};
  }
}

/** Returns the current trace for a log line, under OpenTelemetry's own names. */
export function logAttributes(): Record<string, string> {
  const span = spanIn(context.active());
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
