/** The ends of sessions, and what they show about the key. */
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
 * Failures of a create request that was not sent, or that the service refused without acting on it. `CREATE_ABANDONED` is not among them: a
 * person gave up a create request that may have been sent.
 */
const PROVE_NOTHING_CREATED: readonly ErrorCode[] = [
  'INVALID_INPUT',
  'INVALID_REQUEST',
  'SERVICE_REQUEST_REJECTED',
  'SERVICE_FORBIDDEN',
  'CREATE_DEADLINE_PASSED',
  // The ledger's refusal: it knows another session of the key.
  'SESSION_CONFLICT',
];

/** Anomalies of a workflow that may have left a session at the service. A full record may lack a `possibleOrphan`. */
const MAY_HAVE_CREATED: readonly Anomaly['kind'][] = ['possibleOrphan', 'recordFull'];

/** True if no session was ever created at the payment service, and none can turn up later. */
export function leftNothing(closed: Closed): boolean {
  if ('result' in closed) return closed.result.cancel?.outcome === 'neverCreated' && isUnsent(closed.result);
  const { failure, details } = closed;
  if (failure === undefined || !PROVE_NOTHING_CREATED.includes(failure)) return false;
  // An invalid input is refused before anything is done.
  return details === undefined ? failure === 'INVALID_INPUT' : isUnsent(details.state);
}

const isUnsent = ({ sessionId, anomalies }: Pick<SessionResult, 'sessionId' | 'anomalies'>): boolean =>
  sessionId === undefined && !anomalies.some(({ kind }) => MAY_HAVE_CREATED.includes(kind));
