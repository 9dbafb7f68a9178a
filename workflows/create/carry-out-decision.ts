import { defined } from '../../src/contract/values/json';
import { condition } from '@temporalio/workflow';
import type { ErrorCode } from '../../src/errors/codes';
import type { CallFailure } from '../../src/errors/failures';
import type { Decision } from '../../src/protocol/state/recorded';
import type { Observation } from '../record/session-record';
import type { Session } from '../session';
import { namedIn, type ResolveCreate } from '../../src/protocol/decisions';
import { continueSuggested, resetSettled, wasReset } from '../per-run';
import { claimNamed, differencesOf, readNamed } from './named-session';

/**
 * Waits for a person's decision about a parked create, which is a create request with an unknown outcome. Then carries
 * the decision out, or refuses it. If the decision is to abandon the create, throws the workflow's failure. If the
 * workflow should continue as new, returns without a decision.
 */
export async function takeDecision(session: Session): Promise<void> {
  await condition(() => session.resolution !== undefined || continueSuggested());
  const answer = session.resolution;
  if (answer === undefined) return;
  const { adopted, ...outcome } =
    'sessionId' in answer ? await adopt(session, answer.sessionId) : giveUpCreate(session);
  if (adopted !== undefined || 'abandon' in answer) noteReset(session);
  session.createResolved({ ...decisionOf(answer), ...outcome }, adopted);
  if ('abandon' in answer) throw session.fail('CREATE_ABANDONED');
}

function giveUpCreate(session: Session): { readonly result: 'applied'; readonly adopted?: undefined } {
  const { sessionId } = session.record.parks?.at(-1) ?? {};
  const orphan = { why: 'given up by a person’s decision', ...defined({ sessionId }) };
  session.apply({ type: 'possibleOrphan', ...orphan }, { type: 'createUnparked' });
  return { result: 'applied' };
}

/**
 * Records a possible orphan if the run was reset, because the undone part may include another create. Not needed after
 * `retry`, where `createAtService` settles the reset.
 */
export function noteReset(session: Session): void {
  if (!wasReset()) return;
  resetSettled();
  session.apply({ type: 'possibleOrphan', why: 'perhaps made before the session was reset' });
}

function decisionOf(answer: ResolveCreate): Pick<Decision, 'decision' | 'by' | 'reason' | 'sessionId'> {
  const named = namedIn(answer);
  if ('sessionId' in answer) return { decision: 'adopt', sessionId: answer.sessionId, ...named };
  return { decision: 'retry' in answer ? 'retry' : 'abandon', ...named };
}

/**
 * The result of an adoption. With the result `applied`, `adopted` is the observation to record. Any other result is the
 * error code that says why the session was not adopted. `followedBy` and `maybeFollowedBy` are another key that has the
 * named session, or may have it.
 */
type Adoption = { readonly result: 'applied' | ErrorCode; readonly adopted?: Observation } & Pick<
  Decision,
  'followedBy' | 'maybeFollowedBy'
>;

/**
 * Adopts the session of the payment service that a person named, if it is the payment of this key. The workflow stays
 * parked if the service does not know the named session, if the named session is another payment, if another key has or
 * may have it, or if a call fails.
 */
async function adopt(session: Session, sessionId: string): Promise<Adoption> {
  const found = await readNamed(session, sessionId, { summary: 'find the session that a person named' });
  if (found.outcome === 'failed') {
    // The id may be mistyped, or belong to another account. This does not count as a failed call.
    if (found.failure.code === 'SERVICE_SESSION_UNKNOWN') return { result: found.failure.code };
    return failed(session, found.failure);
  }
  // This does not count as a failed call either. The decision's result shows the mismatch to the person.
  if (differencesOf(session.input.request, found.identity).length > 0) return { result: 'SESSION_MISMATCH' };
  const claim = await claimNamed(session, sessionId, false);
  if ('failure' in claim) return failed(session, claim.failure);
  const { followedBy, isUnclear, maybeFollowedBy, onLedger } = claim;
  if (onLedger === true) session.apply({ type: 'claimed' });
  if (followedBy !== undefined) return { result: 'SESSION_FOLLOWED', followedBy };
  if (isUnclear) return { result: 'SESSION_MAYBE_FOLLOWED', ...defined({ maybeFollowedBy }) };
  const { checkoutUrl, snapshot } = found;
  return { result: 'applied', adopted: { type: 'adopted', sessionId, checkoutUrl, snapshot } };
}

function failed(session: Session, failure: CallFailure): Adoption {
  session.apply({ type: 'callFailed', failure });
  return { result: failure.code };
}
