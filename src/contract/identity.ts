/**
 * Compares the ids and references of sessions, and checks whether a report of the service is about the expected payment. Numbers
 * such as A10 are rules in docs/contract.md.
 */
import type { SessionRequest } from './session-request';
import { sessionKind } from './statuses';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True if the value has the form of the service's session ids: a UUID, in upper or lower case (contract A10). */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

const SHORT_LENGTH = 8;

/**
 * Returns the first eight characters of an id, in lower case; `undefined` if the id is not a UUID. Eight characters usually
 * distinguish a session from others. They cannot open the payor's page, which needs the whole id.
 */
export function shortSessionId(sessionId: string): string | undefined {
  return isSessionId(sessionId) ? sessionId.slice(0, SHORT_LENGTH).toLowerCase() : undefined;
}

/**
 * Returns a session's id in the form that is compared. UUIDs become lower case, because the case of their letters means nothing.
 */
export const sessionIdentity = (sessionId: string): string =>
  isSessionId(sessionId) ? sessionId.toLowerCase() : sessionId;

/** True if two ids name the same session. */
export const isSameSession = (one: string, other: string): boolean =>
  sessionIdentity(one) === sessionIdentity(other);

/** True if two references are exactly equal. Spaces and case count, because a reference may be any text (contract A38). */
export const isSameReference = (one: string, other: string): boolean => one === other;

/** Returns the reference without white space at its ends. Reconciliation files may add or drop such white space. */
export const trimmedReference = (reference: string): string => reference.trim();

/** True if two references are equal apart from white space at their ends, which reconciliation files may add or drop. */
export const isLikeReference = (one: string, other: string): boolean =>
  trimmedReference(one) === trimmedReference(other);

/**
 * The payment of a session, as the service's details report it (contract A50, A51). A member is absent if the details have no
 * readable value for it.
 */
export interface ReportedPayment {
  /** The `type`, as the service reported it. */
  readonly type?: string;
  /** The `direction`, as the service reported it. */
  readonly direction?: string;
  /** The `referenceId`, as the service reported it. */
  readonly referenceId?: string | null;
  /** The amount in dollars. Absent until the payor or the request has set it. */
  readonly amount?: number;
  /** The currency, as the service reported it. */
  readonly currency?: string;
  /** The time of the session's creation; ISO 8601, UTC (contract A51). */
  readonly createdAt?: string;
}

/** A reported payment, with its guarantee. */
export interface SessionIdentity extends ReportedPayment {
  /** True if the payment is guaranteed; for an EFT, this decides the kind (contract A51). */
  readonly guaranteed?: boolean;
}

/** The payment that a session should be: the members of the creation request that are compared with the service's reports. */
export interface ExpectedSession {
  /** The request's `type`. */
  readonly type: string;
  /** The request's `direction`. */
  readonly direction: string;
  /** The request's `referenceId`, or `null`. */
  readonly referenceId: string | null;
}

/** Returns the payment that the session of a creation request should be (contract A10, A50). */
export function expectedSession(request: SessionRequest): ExpectedSession {
  const { type, direction, referenceId = null } = request;
  return { type, direction, referenceId };
}

/**
 * True if the request has an amount that the payor cannot change. The payor can never change the amount of a guaranteed EFT
 * (contract A40).
 */
export const isFixedAmount = (request: SessionRequest): boolean =>
  request.amount != null && (request.options.amountModification !== true || sessionKind(request) === 'GEFT');

/**
 * True if a reference in an answer is the reference that was sent (contract A10). White space, case and Unicode's normal form
 * may differ, because some services tidy references in this way.
 */
export function isEchoOf(sent: string | null, echoed: string | null): boolean {
  return tidied(sent) === tidied(echoed);
}

const tidied = (reference: string | null): string =>
  (reference ?? '').normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();

const COMPARED = ['type', 'direction', 'referenceId'] as const satisfies (keyof ExpectedSession)[];

/**
 * Returns the names of the members in which a report differs from the expected payment. A member that the report leaves out is
 * not compared.
 */
export function differingMembers(
  expected: ExpectedSession,
  reported: SessionIdentity,
): (keyof ExpectedSession)[] {
  return COMPARED.filter((name) => {
    const value = reported[name];
    if (value === undefined || value === expected[name]) return false;
    return name !== 'referenceId' || !isEchoOf(expected.referenceId, value);
  });
}

/** True if a report is about another payment than the expected payment. */
export function isAnotherPayment(expected: ExpectedSession, reported: SessionIdentity): boolean {
  return differingMembers(expected, reported).length > 0;
}
