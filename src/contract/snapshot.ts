/** What a session looks like at one moment, as the details, status or cancel endpoint reported it. No zod here. */
export interface SessionSnapshot {
  readonly status: string;
  readonly code?: string;
  /** A detail code was given, but not as a text: what the status means is not known. */
  readonly unreadableCode?: true;
  /** Dollars; absent until it is set. */
  readonly amount?: number;
}

/** Which payment the answers about a session must be about. */
export interface ExpectedSession {
  readonly type: string;
  readonly direction: string;
  readonly referenceId: string | null;
}

/** Which payment a session is, as its details report it (contract A50): only what they hold. */
export interface SessionIdentity {
  readonly type?: string;
  readonly direction?: string;
  readonly referenceId?: string | null;
  /** Dollars. */
  readonly amount?: number;
}

/** A report without a readable code, with the status unchanged, takes nothing back. */
export function withKnownCode(known: Partial<SessionSnapshot>, reported: SessionSnapshot): SessionSnapshot {
  const keepsCode =
    reported.code === undefined && reported.status === known.status && known.code !== undefined;
  if (!keepsCode) return reported;
  const { unreadableCode, ...readable } = reported;
  return { ...readable, code: known.code };
}

/** Whether a report tells something that is not known yet. */
export function isNews(known: Partial<SessionSnapshot>, reported: SessionSnapshot): boolean {
  const { status, code, amount } = withKnownCode(known, reported);
  return status !== known.status || code !== known.code || (amount !== undefined && amount !== known.amount);
}
