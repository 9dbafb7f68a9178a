import type { Call } from '../plan/plan';
import type { HttpFault } from '../plan/http-faults';

/** A session's state as an answer of the payment service reports it. */
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
  /** The id of the session that a create request has made. */
  made?: string;
  /** The number of this call among the session's calls of the same kind, from 1. */
  readonly occurrence: number;
  /** When the call arrived, in milliseconds since 1970. */
  readonly atMs: number;
  /** The fault of the exchange. */
  fault?: HttpFault;
  /** True if the payment service has processed the call. */
  isProcessed: boolean;
  httpStatus?: number;
  /** The wait that the answer asked for, in milliseconds. It is limited to the longest wait that workers respect. */
  retryAfterMs?: number;
  /** The session's state in the answer. It may be false. */
  told?: Told;
  /** The time at which the answer had been sent, or the connection had ended. */
  endedAtMs?: number;
  /** True if the answer is the payment service's own answer and was sent completely. */
  isClean: boolean;
  /**
   * True if the campaign's process was blocked around the time of the call. The worker may then have stopped waiting before the answer was
   * complete.
   */
  isLate?: true;
}
