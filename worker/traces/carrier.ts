import {
  context,
  createTraceState,
  isSpanContextValid,
  trace,
  type Context,
  type SpanContext,
} from '@opentelemetry/api';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { TRACE_HEADER, type TraceCarrier } from '../../src/protocol/temporal/telemetry';

/**
 * Traces are carried by W3C Trace Context alone, whatever propagators are registered: baggage may hold personal data, and
 * headers are stored in plain text.
 */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const MAX_STATE = 512;

/** W3C's `traceparent` of a span. */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** The context of this moment with the span that a carrier names; as it is if that names none. */
export function contextOf({ traceparent, tracestate }: TraceCarrier): Context {
  const here = context.active();
  const [, traceId, spanId, flags] = TRACEPARENT.exec(String(traceparent)) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return here;
  const state = typeof tracestate === 'string' ? { traceState: createTraceState(tracestate) } : {};
  const span = { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true, ...state };
  return isSpanContextValid(span) ? trace.setSpanContext(here, span) : here;
}

/** The trace of this moment; empty outside of one. */
function currentCarrier(): TraceCarrier {
  const span = trace.getSpanContext(context.active());
  if (span === undefined || !isSpanContextValid(span)) return {};
  const tracestate = span.traceState?.serialize();
  const hasState = tracestate !== undefined && tracestate !== '' && tracestate.length <= MAX_STATE;
  return { traceparent: traceparentOf(span), ...(hasState && { tracestate }) };
}

/** Temporal's headers with the trace of this moment. */
export function withTrace(headers: Headers): Headers {
  const carrier = currentCarrier();
  if (carrier.traceparent === undefined) return headers;
  return { ...headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(carrier) };
}

/** The trace that Temporal's headers carry. Anybody may have written them: what cannot be read is none. */
export function carrierIn(headers: Headers): TraceCarrier {
  const payload = headers[TRACE_HEADER];
  if (payload === undefined) return {};
  try {
    return defaultPayloadConverter.fromPayload<TraceCarrier | null>(payload) ?? {};
  } catch {
    return {};
  }
}

/** The trace of this moment for a log line, under the names that OpenTelemetry gives it. */
export function logAttributes(): Record<string, string> {
  const span = trace.getSpanContext(context.active());
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
