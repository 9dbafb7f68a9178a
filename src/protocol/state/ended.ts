/** The ends of sessions. An end may prove that the session was never created, so that its key can be used again. */
import type { ErrorCode } from '../../errors/codes';
import type { Anomaly } from './recorded';
import type { FailureDetails, SessionResult } from './session';

/** Returns the state and the history of a session that has ended with a result. */
export function endedWith({ stateHistory, ...known }: SessionResult): FailureDetails {
  return { state: { phase: 'ended', ...known }, stateHistory };
}

/** The outcome of a closed run: its result, or its failure's code with the details that it recorded. */
export type Closed =
  | { readonly result: SessionResult }
  | { readonly failure: ErrorCode | undefined; readonly details?: FailureDetails };

/**
 * The failures which prove that the service created nothing: the create request was not sent, or the service refused it. `CREATE_ABANDONED`
 * proves nothing: a person gave up a create request that may have been sent.
 */
const PROVE_NOTHING_CREATED: readonly ErrorCode[] = [
  'INVALID_INPUT',
  'INVALID_REQUEST',
  'SERVICE_REQUEST_REJECTED',
  'SERVICE_FORBIDDEN',
  'CREATE_DEADLINE_PASSED',
  // The ledger refused the key, because the key already has another session. So this workflow sent no request.
  'SESSION_CONFLICT',
];

/** The anomalies after which a session may exist at the service. A full record may have dropped a `possibleOrphan`. */
const MAY_HAVE_CREATED: readonly Anomaly['kind'][] = ['possibleOrphan', 'recordFull'];

/** True if the workflow certainly never created a session at the payment service, so that no session can turn up later. */
export function wasNeverCreated(closed: Closed): boolean {
  if ('result' in closed) return closed.result.cancel?.outcome === 'neverCreated' && isUnsent(closed.result);
  const { failure, details } = closed;
  if (failure === undefined || !PROVE_NOTHING_CREATED.includes(failure)) return false;
  // A failure without details happened before anything was sent, if the input was invalid.
  return details === undefined ? failure === 'INVALID_INPUT' : isUnsent(details.state);
}

const isUnsent = ({ sessionId, anomalies }: Pick<SessionResult, 'sessionId' | 'anomalies'>): boolean =>
  sessionId === undefined && !anomalies.some(({ kind }) => MAY_HAVE_CREATED.includes(kind));
