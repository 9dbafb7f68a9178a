/** A metric of the worker's metrics endpoint. */
export interface MetricRow {
  readonly name: `paysession_${string}`;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** The metric's labels, without the labels that Temporal's SDK adds to every metric. */
  readonly labels: readonly string[];
  readonly meaning: string;
  /** The upper bounds of a histogram's buckets, in seconds. */
  readonly buckets?: readonly number[];
}

/**
 * The label's value for a status or code that this version does not know, and for an account that no worker is known to have. It keeps
 * the number of label values small.
 */
export const OTHER = 'other';

const SECONDS_TO_OPEN = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200];

/** The metrics that sessions' workflows count. No label names a session or a payor. */
export const SESSION_METRICS = {
  started: {
    name: 'paysession_sessions_started_total',
    type: 'counter',
    labels: ['kind', 'account'],
    meaning:
      'Sessions that began. Each counts after the first attempt to create it, or later if the ledger does not answer. A session that ends before its first attempt counts with the account `other`.',
  },
  ended: {
    name: 'paysession_sessions_ended_total',
    type: 'counter',
    labels: ['kind', 'account', 'status', 'code'],
    meaning:
      'Sessions that ended. `status` and `code` are those of the payment service; without a code, `code` is `none`. For a session that failed, `status` is `error`, and `code` is the error code.',
  },
  answered: {
    name: 'paysession_sessions_answered_total',
    type: 'counter',
    labels: ['kind', 'account'],
    meaning:
      'Starts that the ledger answered, because the key’s session had ended before. They do not count as sessions that began or ended.',
  },
  timeToOpen: {
    name: 'paysession_session_open_duration_seconds',
    type: 'histogram',
    labels: ['kind', 'account'],
    meaning:
      'Time from a session’s start to its creation at the payment service, by Temporal’s clock. For a parked session whose create request is sent again, the time counts from that decision.',
    buckets: SECONDS_TO_OPEN,
  },
  creates: {
    name: 'paysession_creates_total',
    type: 'counter',
    labels: ['account', 'outcome'],
    meaning:
      'Attempts to create a session, by `outcome`: `created`, `rejected`, `notSent` or `unknown`. After `rejected` and `notSent`, no session was created. After `unknown`, the payment service may have created one.',
  },
  parked: {
    name: 'paysession_sessions_parked_total',
    type: 'counter',
    labels: ['account'],
    meaning: 'Times that a session was parked: an operator has to decide.',
  },
  possibleOrphans: {
    name: 'paysession_possible_orphans_total',
    type: 'counter',
    labels: ['account'],
    meaning:
      'Create requests with an unknown outcome that were sent again or given up. Each may have left a session at the payment service.',
  },
  unverifiedEnds: {
    name: 'paysession_unverified_ends_total',
    type: 'counter',
    labels: ['account'],
    meaning:
      'Sessions that ended although the payment service could not be polled after their deadline. Each may have been paid.',
  },
  anomalies: {
    name: 'paysession_anomalies_total',
    type: 'counter',
    labels: ['account', 'anomaly'],
    meaning:
      'Anomalies that sessions recorded: observations that the payment service’s contract does not foresee.',
  },
  cancelsRequested: {
    name: 'paysession_cancels_requested_total',
    type: 'counter',
    labels: ['account', 'by'],
    meaning: 'Cancellations that were requested, by a `caller` or by the session’s own `deadline`.',
  },
  cancelsSettled: {
    name: 'paysession_cancels_settled_total',
    type: 'counter',
    labels: ['account', 'outcome'],
    meaning: 'Cancellations that were settled, by their outcome.',
  },
} as const satisfies Record<string, MetricRow>;

/**
 * The header that carries a trace from the caller to the workflow, and from there to the workflow's activities. It is a map with W3C's
 * `traceparent` and `tracestate`. Temporal's own OpenTelemetry interceptors use the same header, so callers can use those
 * interceptors.
 */
export const TRACE_HEADER = '_tracer-data';

/** A trace as a header carries it (W3C Trace Context). */
export interface TraceCarrier {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** The facts about a session's end that the workflow reports for its trace. */
export interface EndedRun {
  /** The time at which the session began, in milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly status?: string;
  readonly code?: string;
  /** The error code, if the workflow failed. `Error` for a failure without a code. */
  readonly failure?: string;
}
