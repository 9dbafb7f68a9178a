/**
 * Reads, compares and claims a session of the payment service that a person named. Adoptions and previews of adoptions use it.
 */
import { defined } from '../../src/contract/values/json';
import { CancellationScope } from '@temporalio/workflow';
import type { SessionRequest } from '../../src/contract/session-request';
import type { ErrorCode } from '../../src/errors/codes';
import { explain } from '../../src/errors/failures';
import { callFailureOf, claimSession, findSession } from '../activities';
import { untilTaken, type LostCall } from '../timers';
import type { Session } from '../session';
import {
  differingMembers,
  expectedSession,
  isFixedAmount,
  type SessionIdentity,
} from '../../src/contract/identity';
import type { FindResult, ClaimResult, IdentifiedSession } from '../../src/protocol/activities';
import { isSessionKind, sessionKind, type SessionKind } from '../../src/contract/statuses';
import type {
  AdoptPreview,
  AdoptRefusal,
  AskedPayment,
  FoundPayment,
  PaymentDifference,
} from '../../src/protocol/adopt-preview';

/** Options of a read: the summary in Temporal's UI, and the time limit of each call, which includes the wait for a worker. */
interface ReadOptions {
  readonly summary: string;
  readonly scheduleToCloseTimeout?: number;
}

/** Reads the named session. Changes nothing in this workflow's session. */
export function readNamed(
  session: Session,
  sessionId: string,
  options: ReadOptions,
): Promise<FindResult | LostCall> {
  const { account } = session;
  return untilTaken(session, () =>
    findSession.executeWithOptions({ ...options, ...session.dispatch }, [{ account, sessionId }]),
  );
}

/** The options of a preview's check. The check does not wait for the answers of other keys, so its time limits are short. */
const PREVIEW = {
  summary: 'check if another key follows the session',
  scheduleToCloseTimeout: '20s',
  startToCloseTimeout: '10s',
} as const;

/** Claims the named session for this workflow's key. A preview only checks whether that is possible. */
export async function claimNamed(
  session: Session,
  sessionId: string,
  isPreview: boolean,
): Promise<ClaimResult | LostCall> {
  const options = isPreview ? PREVIEW : { summary: 'claim the session that a person named' };
  const { key, firstRunId } = session.keyClaim();
  const isClaimed = session.record.onLedger === true && ({ isClaimed: true } as const);
  try {
    return await claimSession.executeWithOptions(options, [
      { key, firstRunId, sessionId, ...(isPreview && { onlyLook: true }), ...isClaimed },
    ]);
  } catch (error) {
    return { outcome: 'failed', failure: callFailureOf(error) };
  }
}

/**
 * Returns the fields in which the found session differs from the request. Does not compare fields that the details leave out,
 * or an amount that the payor can change.
 */
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

/** Returns the fields that could not be compared, because the details leave them out. */
function untoldOf(request: SessionRequest, found: SessionIdentity): PaymentDifference[] {
  const isComparable = (name: keyof SessionIdentity) => found[name] !== undefined;
  return [
    ...(kindOf(found) === undefined ? ['type' as const] : []),
    ...(['direction', 'referenceId'] as const).filter((name) => !isComparable(name)),
    ...(isFixedAmount(request) && !isComparable('amount') ? ['amount' as const] : []),
  ];
}

/**
 * Returns the kind of a session, if its details show it. The details of some services do not say whether an EFT is guaranteed.
 */
function kindOf({ type, guaranteed }: SessionIdentity): SessionKind | undefined {
  if (type === 'EFT') return guaranteed === undefined ? undefined : guaranteed ? 'GEFT' : 'EFT';
  return type !== undefined && isSessionKind(type) ? type : undefined;
}

/**
 * The time limit of each call that reads the named session. One such call, the check, and the waits after released calls
 * together take less than a minute, which is the client's default time limit.
 */
const PREVIEW_WITHIN_MS = 30_000;

/** A running preview. */
interface Preview {
  /** Absent until the preview is complete. */
  answer?: AdoptPreview;
  /** Stops the preview when no caller waits for it any more. */
  readonly stop: () => void;
}

/** Begins a preview of an adoption, with the same checks as an adoption. Changes nothing in this workflow's session. */
export function beginPreview(session: Session, sessionId: string): Preview {
  const scope = new CancellationScope();
  const preview: Preview = {
    stop: () => {
      scope.cancel();
    },
  };
  void scope.run(async () => {
    preview.answer = await previewAdopt(session, sessionId);
  });
  return preview;
}

async function previewAdopt(session: Session, sessionId: string): Promise<AdoptPreview> {
  const { request } = session.input;
  const options = {
    summary: 'read the session that a person named',
    scheduleToCloseTimeout: PREVIEW_WITHIN_MS,
  };
  const answer = await readNamed(session, sessionId, options);
  const asked = askedPayment(request);
  if (answer.outcome === 'failed') {
    // The service's problem details are left out, because they may quote a request.
    const { code, message } = answer.failure;
    return { sessionId, adoptable: false, refusal: { code, message }, asked, differences: [] };
  }
  const found = foundPayment(answer);
  const differences = differencesOf(request, answer.identity);
  const refusal = differences.length > 0 ? MISMATCH : await refusalOf(session, sessionId);
  const adoptable = refusal === undefined;
  const untold = untoldOf(request, answer.identity).filter((field) => !differences.includes(field));
  return {
    sessionId,
    adoptable,
    ...defined({ refusal }),
    asked,
    found,
    differences,
    ...(untold.length > 0 && { untold }),
  };
}

const MISMATCH: AdoptRefusal = { code: 'SESSION_MISMATCH', message: explain('SESSION_MISMATCH') };

/**
 * Checks whether another key has the named session, or may have it. Returns the reason against the adoption, or `undefined` if
 * the session could be adopted. If the check itself fails, the failure is the reason.
 */
async function refusalOf(session: Session, sessionId: string): Promise<AdoptRefusal | undefined> {
  const claim = await claimNamed(session, sessionId, true);
  if ('failure' in claim) {
    const { code, message } = claim.failure;
    return { code, message };
  }
  const { followedBy, isUnclear, maybeFollowedBy } = claim;
  if (followedBy !== undefined)
    return { code: 'SESSION_FOLLOWED', message: naming('SESSION_FOLLOWED', followedBy), followedBy };
  if (!isUnclear) return undefined;
  const message = naming('SESSION_MAYBE_FOLLOWED', maybeFollowedBy);
  return { code: 'SESSION_MAYBE_FOLLOWED', message, ...defined({ maybeFollowedBy }) };
}

const naming = (code: ErrorCode, key: string | undefined): string =>
  key === undefined ? explain(code) : `${explain(code)} The key is “${key}”.`;

function askedPayment(request: SessionRequest): AskedPayment {
  const { amount, currency = 'CAD' } = request;
  return {
    kind: sessionKind(request),
    ...expectedSession(request),
    ...(amount != null && { amount }),
    currency,
  };
}

function foundPayment({ snapshot, identity }: IdentifiedSession): FoundPayment {
  const { status, code, unreadableCode } = snapshot;
  const { type, direction, referenceId, amount, currency, createdAt } = identity;
  const kind = kindOf(identity);
  return {
    status,
    ...defined({ code, unreadableCode, kind, type, direction, referenceId, amount, currency, createdAt }),
  };
}
