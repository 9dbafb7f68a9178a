import type { ErrorCode } from '../../src/errors/codes';
import type { Session } from '../session';
import { differencesOf, findNamed } from './found-session';

/**
 * Takes over a session that a person found at the service. One that the service does not know, or that is another
 * payment, leaves the park as it is. Returns `applied`, or the error code that says why not.
 */
export async function adopt(session: Session, sessionId: string): Promise<'applied' | ErrorCode> {
  const found = await findNamed(session, sessionId, { summary: 'find the session that a person named' });
  if (found.outcome === 'failed') {
    // Nothing is wrong with the session: the id was mistyped, or is another's.
    if (found.failure.code === 'SERVICE_SESSION_UNKNOWN') return found.failure.code;
    session.apply({ type: 'callFailed', failure: found.failure });
    return found.failure.code;
  }
  // The service has answered: no call has failed, and the decision's result says what the person should know.
  if (differencesOf(session.input.request, found.identity).length > 0) return 'SESSION_MISMATCH';
  const { checkoutUrl, snapshot } = found;
  session.apply({ type: 'adopted', sessionId, checkoutUrl, snapshot });
  return 'applied';
}
