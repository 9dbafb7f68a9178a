/** A session of the payment service that a person named: to be adopted, or previewed before. */
import type { SessionRequest } from '../../src/contract/session-request';
import type { CallFailure } from '../../src/errors/failures';
import type { FindResult, ClaimResult } from '../../src/protocol/activities';
import type { PaymentDifference } from '../../src/protocol/adopt-preview';
import { callFailureOf } from '../calls/activity-failures';
import { claimSession, findSession } from '../calls/activity-proxies';
import type { Session } from '../session';
import { isSessionKind, sessionKind, type SessionKind } from '../../src/contract/statuses';
import { differingMembers, expectedSession, type SessionIdentity } from '../../src/contract/identity';

/** How the engine shows the look-up, and how long it may take, waits for a worker included. */
interface ReadOptions {
  readonly summary: string;
  readonly scheduleToCloseTimeout?: number;
}

/** Asks the service once, and changes nothing of the session. */
export async function readNamed(
  { account, dispatch }: Session,
  sessionId: string,
  options: ReadOptions,
): Promise<FindResult | LostRead> {
  try {
    return await findSession.executeWithOptions({ ...options, ...dispatch }, [{ account, sessionId }]);
  } catch (error) {
    return { outcome: 'failed', failure: callFailureOf(error) };
  }
}

/** A look-up whose activity failed. */
interface LostRead {
  readonly outcome: 'failed';
  readonly failure: CallFailure;
}

/** It waits for nobody. */
const PREVIEW = {
  summary: 'look who follows it',
  scheduleToCloseTimeout: '30s',
  startToCloseTimeout: '10s',
} as const;

/** Whose it is: claims it for this session, or only asks. */
export async function claimNamed(
  session: Session,
  sessionId: string,
  isPreview: boolean,
): Promise<ClaimResult | LostRead> {
  const options = isPreview ? PREVIEW : { summary: 'claim the session that a person named' };
  const { key, firstRunId } = session.keyClaim();
  try {
    return await claimSession.executeWithOptions(options, [
      { key, firstRunId, sessionId, ...(isPreview && { onlyLook: true }) },
    ]);
  } catch (error) {
    return { outcome: 'failed', failure: callFailureOf(error) };
  }
}

/** What every answer must agree with, and the amount where the payor cannot change it. */
export function differencesOf(request: SessionRequest, found: SessionIdentity): PaymentDifference[] {
  const kind = kindOf(found);
  const isAnotherKind = kind !== undefined && kind !== sessionKind(request);
  const isAnotherAmount =
    isFixedAmount(request) && found.amount !== undefined && found.amount !== request.amount;
  return [
    ...new Set([
      ...(isAnotherKind ? ['type' as const] : []),
      ...differingMembers(expectedSession(request), found),
      ...(isAnotherAmount ? ['amount' as const] : []),
    ]),
  ];
}

/** What could not be compared, since the details do not tell it. */
export function untoldOf(request: SessionRequest, found: SessionIdentity): PaymentDifference[] {
  const isComparable = (name: keyof SessionIdentity) => found[name] !== undefined;
  return [
    ...(kindOf(found) === undefined ? ['type' as const] : []),
    ...(['direction', 'referenceId'] as const).filter((name) => !isComparable(name)),
    ...(isFixedAmount(request) && !isComparable('amount') ? ['amount' as const] : []),
  ];
}

const isFixedAmount = ({ amount, options }: SessionRequest): boolean =>
  amount != null && options.amountModification !== true;

/** Not all details tell whether an EFT is guaranteed. */
export function kindOf({ type, guaranteed }: SessionIdentity): SessionKind | undefined {
  if (type === 'EFT') return guaranteed === undefined ? undefined : guaranteed ? 'GEFT' : 'EFT';
  return type !== undefined && isSessionKind(type) ? type : undefined;
}
