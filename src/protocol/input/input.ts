import type { SessionRequest } from '../../contract/session-request';
import type { SessionPolicy } from './policy';

/** What starts a payment session. */
export interface PaymentSessionInput {
  /** The caller's own key for this payment: the same key never opens two sessions. 1 to 200 characters, no control characters; not `.` or `..`. */
  readonly key: string;
  /** The specification's session creation request, sent to the payment service untouched. */
  readonly request: SessionRequest;
  /** Which of the worker's accounts opens the session. @default 'default' */
  readonly account?: string;
  /** Cadence, deadlines and what to do when the outcome of a create request is unknown. */
  readonly policy?: SessionPolicy;
}
