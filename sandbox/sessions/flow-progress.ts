import type { AccountId, Institution, LoginId } from './banks';

/** A step that the payor can be at while a session is open; the PAD agreement comes once the bank account is validated. */
export type OpenStep = 'consent' | 'institution' | 'login' | 'account' | 'amount' | 'offer' | 'accept';

export type FlowStep = OpenStep | 'agreement';

/** Where a payor is in the hosted flow, and what was chosen on the way. Holds no password and no token. */
export interface FlowProgress {
  /** The step that the payor is at. */
  readonly step: OpenStep;
  /** Whether the flow began with the consent screen. */
  readonly asksConsent: boolean;
  /** Counts what the payor has submitted, so that a form is good for one submission. */
  readonly revision: number;
  /** How many logins have failed so far. */
  readonly failedLogins: number;
  /** The bank that the payor chose. */
  readonly institutionId?: Institution['id'];
  /** The login that the payor used. */
  readonly loginId?: LoginId;
  /** The account that the payor chose. */
  readonly accountId?: AccountId;
  /** The next best offer that the payor is asked about, in dollars (contract A40). */
  readonly offer?: number;
}

export function startOfFlow({ asksConsent }: Pick<FlowProgress, 'asksConsent'>): FlowProgress {
  return { step: asksConsent ? 'consent' : 'institution', asksConsent, revision: 0, failedLogins: 0 };
}
