import type { Call } from '../plan/plan';
import type { HttpFault } from '../plan/http-faults';

/** A session's state, as an answer has it. */
export interface Told {
  readonly status: string;
  readonly code?: string;
}

/** One call of a worker to the payment service. */
export interface Exchange {
  /** The worker that made the call. */
  readonly worker: string;
  readonly call: Call | 'authorize';
  /** The session's key; empty for a request for a token. */
  readonly session: string;
  /** The service's own id of the session; absent for a create. */
  readonly sessionId?: string;
  /** The session that a create has made. */
  made?: string;
  /** The number of this call among those of its kind for the session, from 1. */
  readonly occurrence: number;
  /** When the call arrived, in milliseconds since 1970. */
  readonly atMs: number;
  /** The fault of the exchange. */
  fault?: HttpFault;
  /** True if the payment service has processed the call. */
  isProcessed: boolean;
  httpStatus?: number;
  /** The wait that the answer asked for, in milliseconds, cut to the longest wait of the workers. */
  retryAfterMs?: number;
  /** The session's state in the answer, true or not. */
  told?: Told;
  /** When the answer had left, or the connection had ended. */
  endedAtMs?: number;
  /** True if the answer is the payment service's own, and left complete. */
  isClean: boolean;
  /** True if the campaign's process was blocked around the call: the worker may have given up before a complete answer. */
  isLate?: true;
}
