/**
 * The header that carries a trace from the caller to the workflow and on to its activities: a map with W3C's `traceparent` and
 * `tracestate`. It is the one of Temporal's own OpenTelemetry interceptors, so that a caller may use those.
 */
export const TRACE_HEADER = '_tracer-data';

/** A trace as a header carries it (W3C Trace Context). */
export interface TraceCarrier {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** What a session's workflow tells for its trace when it ends. */
export interface EndedRun {
  /** When the session began, in milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly status?: string;
  readonly code?: string;
  /** The error code, where the workflow failed. */
  readonly failure?: string;
}
