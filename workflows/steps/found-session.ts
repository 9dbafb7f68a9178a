/** A session of the payment service that a person named: to be adopted, or to be looked at before. */
import type { SessionRequest } from '../../src/contract/session-request';
import { differingMembers, expectedSession, type SessionIdentity } from '../../src/contract/snapshot';
import type { CallFailure } from '../../src/errors/failures';
import type { FindResult } from '../../src/protocol/activities';
import type { PaymentDifference } from '../../src/protocol/adopt-preview';
import { callFailureOf } from './activity-failures';
import { findSession } from './activity-proxies';
import type { Session } from '../session';

/** How the engine shows the look-up, and how long it may take, waits for a worker included. */
interface FindOptions {
  readonly summary: string;
  readonly scheduleToCloseTimeout?: number;
}

/** Asks the service once, and changes nothing of the session. */
export async function findNamed(
  { account }: Session,
  sessionId: string,
  options: FindOptions,
): Promise<FindResult | LostFind> {
  try {
    return await findSession.executeWithOptions(options, [{ account, sessionId }]);
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
export function differencesOf(request: SessionRequest, found: SessionIdentity): PaymentDifference[] {
  const isFixedAmount = request.amount != null && request.options.amountModification !== true;
  const isAnotherAmount = isFixedAmount && found.amount !== undefined && found.amount !== request.amount;
  return [
    ...differingMembers(expectedSession(request), found),
    ...(isAnotherAmount ? ['amount' as const] : []),
  ];
}
