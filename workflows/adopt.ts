import { expectedSession, isAnotherPayment, type SessionIdentity } from '../src/contract/snapshot';
import type { SessionRequest } from '../src/contract/session-request';
import { ERROR_CODES } from '../src/errors/codes';
import { callFailureOf } from './activity-failures';
import { findSession } from './activity-proxies';
import type { Session } from './session';

/**
 * Takes over a session that a person found at the service. One that the service does not know, or that is another
 * payment, leaves the park as it is.
 */
export async function adopt(session: Session, sessionId: string): Promise<void> {
  const summary = 'find the session named by resolveCreate';
  try {
    const found = await findSession.executeWithOptions({ summary }, [
      { account: session.account, sessionId },
    ]);
    if (found.outcome === 'failed') {
      session.apply({ type: 'callFailed', failure: found.failure });
    } else if (isAnother(session.input.request, found.identity)) {
      const { meaning, remedy } = ERROR_CODES.SESSION_MISMATCH;
      const message = `${meaning} ${remedy}`;
      session.apply({ type: 'callFailed', failure: { code: 'SESSION_MISMATCH', message } });
    } else {
      const { checkoutUrl, snapshot } = found;
      session.apply({ type: 'adopted', sessionId, checkoutUrl, snapshot });
    }
  } catch (error) {
    session.apply({ type: 'callFailed', failure: callFailureOf(error) });
  }
}

/** What every answer must agree with, and the amount where the payor cannot change it. */
function isAnother(request: SessionRequest, found: SessionIdentity): boolean {
  const isFixedAmount = request.amount != null && request.options.amountModification !== true;
  const isAnotherAmount = isFixedAmount && found.amount !== undefined && found.amount !== request.amount;
  return isAnotherAmount || isAnotherPayment(expectedSession(request), found);
}
