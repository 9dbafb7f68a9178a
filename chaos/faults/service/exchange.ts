import type { Call } from '../plan/plan';
import type { HttpFault } from '../plan/http-faults';

/** The session's state in an answer. */
export interface Told {
  readonly status: string;
  readonly code?: string;
}

/** One call of a worker to the payment service. */
export interface Exchange {
  /** The process that made it. */
  readonly worker: string;
  readonly call: Call | 'authorize';
  /** The session's key; empty for an authorize. */
  readonly session: string;
  /** The service's own id of the session; absent for a create. */
  readonly sessionId?: string;
  /** The session that a create has made. */
  made?: string;
  readonly occurrence: number;
  /** When it arrived, in milliseconds since 1970. */
  readonly atMs: number;
  /** The fault of the exchange. */
  fault?: HttpFault;
  /** True if the payment service received it. */
  isProcessed: boolean;
  httpStatus?: number;
  /** The wait that the answer asked for, in milliseconds, cut to the longest wait of the workers. */
  retryAfterMs?: number;
  /** The content of the answer, true or not. */
  told?: Told;
  /** When its answer had left, or its connection had ended. */
  endedAtMs?: number;
  /** True if the answer is the payment service's own, and left complete. */
  isClean: boolean;
  /** True if this process ran late around the call: the worker may have given up on an answer that left complete. */
  isLate?: true;
}
