import { expectedSession, isAnotherPayment, type SessionIdentity } from '../../src/contract/snapshot';
import type { SessionRequest } from '../../src/contract/session-request';
import type { ErrorCode } from '../../src/errors/codes';
import { explain } from '../../src/errors/explain';
import type { FindResult } from '../../src/protocol/activities';
import type { CallFailure } from '../../src/errors/failures';
import { callFailureOf } from './activity-failures';
import { findSession } from './activity-proxies';
import type { Session } from '../session';

/**
 * Takes over a session that a person found at the service. One that the service does not know, or that is another
 * payment, leaves the park as it is. Returns `applied`, or the error code that says why not.
 */
export async function adopt(session: Session, sessionId: string): Promise<'applied' | ErrorCode> {
  const found = await find(session, sessionId);
  if (found.outcome === 'failed') {
    session.apply({ type: 'callFailed', failure: found.failure });
    return found.failure.code;
  }
  if (isAnother(session.input.request, found.identity)) {
    const code = 'SESSION_MISMATCH';
    session.apply({ type: 'callFailed', failure: { code, message: explain(code) } });
    return code;
  }
  const { checkoutUrl, snapshot } = found;
  session.apply({ type: 'adopted', sessionId, checkoutUrl, snapshot });
  return 'applied';
}

async function find({ account }: Session, sessionId: string): Promise<FindResult | LostFind> {
  const summary = 'find the session that a person named';
  try {
    return await findSession.executeWithOptions({ summary }, [{ account, sessionId }]);
  } catch (error) {
    return { outcome: 'failed', failure: callFailureOf(error) };
  }
}

/** A look-up whose activity failed. */
interface LostFind {
  readonly outcome: 'failed';
  readonly failure: CallFailure;
}

/** What every answer must agree with, and the amount where the payor cannot change it. */
function isAnother(request: SessionRequest, found: SessionIdentity): boolean {
  const isFixedAmount = request.amount != null && request.options.amountModification !== true;
  const isAnotherAmount = isFixedAmount && found.amount !== undefined && found.amount !== request.amount;
  return isAnotherAmount || isAnotherPayment(expectedSession(request), found);
}
