/** Which payment session a session of the payment service belongs to: one payment, one key. */
import { sessionIdentity } from '../../contract/identity';

/** Input of the activity that claims a session of the payment service for a key, or looks whether it could. */
export interface ClaimInput {
  /** The key of the session that would follow it. */
  readonly key: string;
  /** The first of its workflow's runs. */
  readonly firstRunId: string;
  /** The payment service's id, a UUID. */
  readonly sessionId: string;
  /** Claims nothing. @default false */
  readonly onlyLook?: boolean;
}

/** Whose a session of the payment service is; empty where the key may have it. */
export interface ClaimResult {
  /** The key of another session that follows it, or has followed it. */
  readonly followedBy?: string;
  /** Nobody can tell yet whether another key has it. */
  readonly isUnclear?: true;
  /** Which key that is, where there is one: its create may have made the session, or it has claimed it. */
  readonly maybeFollowedBy?: string;
  /** The ledger has it recorded for the key. */
  readonly onLedger?: true;
}

/** Whether no other key is known to have it, or to be about to. */
export const isFree = ({ followedBy, isUnclear }: ClaimResult): boolean =>
  followedBy === undefined && isUnclear !== true;

/** The workflow whose id is a claim: the engine lets one start, and no second while it remembers that. It does nothing. */
export const CLAIM_WORKFLOW_TYPE = 'paymentSessionClaim';

/** The field of a claim's memo that names the key which has it. */
export const CLAIMED_FOR = 'key';

export const claimWorkflowId = (sessionId: string): string =>
  `payment-session-claim/${sessionIdentity(sessionId)}`;
