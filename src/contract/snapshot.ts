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

/**
 * True if a reference in an answer is the one that was sent (contract A10). Some services tidy a reference: white space, the case of letters
 * and Unicode's normal form may differ.
 */
export function isEchoOf(sent: string | null, echoed: string | null): boolean {
  return tidied(sent) === tidied(echoed);
}

const tidied = (reference: string | null): string =>
  (reference ?? '').normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();

const COMPARED = ['type', 'direction', 'referenceId'] as const satisfies (keyof ExpectedSession)[];

/** The members of a report that are not as expected; what it leaves out says nothing. */
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

/** Whether a report is about another payment than the expected one. */
export function isAnotherPayment(expected: ExpectedSession, reported: SessionIdentity): boolean {
  return differingMembers(expected, reported).length > 0;
}
