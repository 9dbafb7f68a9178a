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
  /** The tracer that creates the spans. @default the tracer `paysession` of the provider registered with `@opentelemetry/api` */
  readonly tracer?: Tracer;
}

export const tracerOf = ({ tracer }: ClientTracingOptions): Tracer => tracer ?? trace.getTracer('paysession');

/** The names of attributes. Temporal's own OpenTelemetry interceptors use the same names. */
export const ATTRIBUTES = {
  workflowId: 'temporalWorkflowId',
  runId: 'run_id',
  activityId: 'temporalActivityId',
  updateId: 'temporalUpdateId',
  nexusService: 'temporalNexusService',
  nexusOperation: 'temporalNexusOperation',
} as const;

/** A piece of work, and the name, attributes and parent of its span. */
export interface Work<T> {
  readonly name: string;
  readonly attributes: Attributes;
  readonly parent: Context;
  readonly run: (span: Span) => Promise<T>;
}

/**
 * The name of the error that an activity throws after it has delivered its result itself. Such an activity has not failed. The error's
 * class is not imported, because clients can use tracing without the package `@temporalio/activity`.
 */
const DELIVERED = 'CompleteAsyncError';

/** Runs a piece of work in a span of its own. */
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

/** Marks a span as failed, with the kind of the error. The error's message is left out, because it may quote personal data. */
export function markFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

export function errorType(error: unknown): string {
  if (isPaysessionError(error)) return error.code;
  // The handler of a Nexus operation has converted its error to a Nexus error. The error code is in one of the causes.
  if (error instanceof HandlerError || error instanceof OperationError)
    return errorCodeOf(error) ?? error.name;
  if (error instanceof ApplicationFailure && error.type) return error.type;
  return error instanceof Error ? error.name : 'Error';
}

/** Returns the text if it is a single word of at most 32 characters. Otherwise returns `unreadable`, because the text may contain anything. */
export function word(text: string): string {
  return /^[A-Za-z0-9_]{1,32}$/.test(text) ? text : 'unreadable';
}

/**
 * The format of `traceparent` in W3C Trace Context. Traces are passed on only in this format, even if other propagators are registered.
 * Temporal stores headers in plain text, and other formats, such as baggage, may contain personal data.
 */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const MAX_STATE = 512;

/** Returns the `traceparent` of a span. */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Returns the current context. If the carrier names a valid span, that span is the context's current one. */
export function contextOf({ traceparent, tracestate }: TraceCarrier): Context {
  const here = context.active();
  const [, traceId, spanId, flags] = TRACEPARENT.exec(String(traceparent)) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return here;
  const state = typeof tracestate === 'string' ? { traceState: createTraceState(tracestate) } : {};
  const span = { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true, ...state };
  return isSpanContextValid(span) ? trace.setSpanContext(here, span) : here;
}

/** Returns the context's span if the span is valid. If no traces are exported, OpenTelemetry's spans are not valid. */
export function spanIn(from: Context): SpanContext | undefined {
  const span = trace.getSpanContext(from);
  return span !== undefined && isSpanContextValid(span) ? span : undefined;
}

/** Returns the current trace, or `{}` if there is none. */
function currentCarrier(): TraceCarrier {
  const span = spanIn(context.active());
  if (span === undefined) return {};
  const tracestate = span.traceState?.serialize();
  const hasState = tracestate !== undefined && tracestate !== '' && tracestate.length <= MAX_STATE;
  return { traceparent: traceparentOf(span), ...(hasState && { tracestate }) };
}

/** Adds the current trace to Temporal's headers. */
export function withTrace(headers: Headers): Headers {
  const carrier = currentCarrier();
  if (carrier.traceparent === undefined) return headers;
  return { ...headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(carrier) };
}

/**
 * Returns the trace in Temporal's headers. If the trace cannot be read, returns `{}`, because any caller may have written the headers.
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

/** Returns the ids of the current trace and span for a log line, under OpenTelemetry's names. */
export function logAttributes(): Record<string, string> {
  const span = spanIn(context.active());
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
