import { isSessionCode } from './statuses';

/** What a session looks like at one moment, as the details, status or cancel endpoint reported it. */
export interface SessionSnapshot {
  /** The status, as it was reported. */
  readonly status: string;
  /** The detail code, as it was reported; absent where there is none. */
  readonly code?: string;
  /** The report holds a code that cannot be read, so `code` is absent: it may be any, also one that is no success. */
  readonly unreadableCode?: true;
  /** Dollars; absent until it is set. */
  readonly amount?: number;
}

/** Which payment a session is, as its details report it (contract A50): only what they hold. */
export interface SessionIdentity {
  readonly type?: string;
  readonly direction?: string;
  readonly referenceId?: string | null;
  /** Dollars. */
  readonly amount?: number;
  readonly currency?: string;
  /** Whether it is guaranteed; with an EFT, that is the kind (contract A51). */
  readonly guaranteed?: boolean;
  /** ISO 8601, UTC (contract A51). */
  readonly createdAt?: string;
}

/** Which payment a session should be: the members of its creation request that its reports repeat. */
export interface ExpectedSession {
  /** The `type` of the creation request. */
  readonly type: string;
  /** The `direction` of the creation request. */
  readonly direction: string;
  /** The `referenceId` of the creation request; `null` where it has none. */
  readonly referenceId: string | null;
}

/** Which payment the session of a creation request is (contract A10, A50). */
export function expectedSession(request: {
  readonly type: string;
  readonly direction: string;
  readonly referenceId?: string | null | undefined;
}): ExpectedSession {
  const { type, direction, referenceId = null } = request;
  return { type, direction, referenceId };
}

const COMPARED = ['type', 'direction', 'referenceId'] as const satisfies (keyof ExpectedSession)[];

/** The members of a report that are not as expected; what it leaves out says nothing. */
export function differingMembers(
  expected: ExpectedSession,
  reported: SessionIdentity,
): (keyof ExpectedSession)[] {
  return COMPARED.filter((name) => reported[name] !== undefined && reported[name] !== expected[name]);
}

/** Whether a report is about another payment than the expected one. */
export function isAnotherPayment(expected: ExpectedSession, reported: SessionIdentity): boolean {
  return differingMembers(expected, reported).length > 0;
}

/**
 * A report without a readable code, with the status unchanged, takes no code of the contract back. A code that the contract
 * does not have gives way: it may have been a mistake, and an e-Transfer, which has no codes, is paid without one.
 */
export function withKnownCode(known: Partial<SessionSnapshot>, reported: SessionSnapshot): SessionSnapshot {
  const { status, code } = known;
  const keepsCode = reported.code === undefined && reported.status === status && code !== undefined;
  if (!keepsCode || !isSessionCode(code)) return reported;
  const { unreadableCode, ...readable } = reported;
  return { ...readable, code };
}

/** Whether a report tells something that is not known yet. */
export function isNews(known: Partial<SessionSnapshot>, reported: SessionSnapshot): boolean {
  const { status, code, amount } = withKnownCode(known, reported);
  return status !== known.status || code !== known.code || (amount !== undefined && amount !== known.amount);
}
