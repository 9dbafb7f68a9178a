/** What the ledger keeps of a payment session. The shapes live in the ledger for years: they are permanent. */
import type { ErrorCode } from '../../errors/codes';
import type { SessionRequest } from '../../contract/session-request';
import type { Anomaly, CancelRecord, Decision, Park, StateHistoryEntry } from '../state/recorded';
import type { SessionResult } from '../state/session';
import type { SessionKind } from '../../contract/statuses';

/** What a session asks for before its create request is sent: its key, for ever. */
export interface LedgerClaim {
  /** The caller's key. */
  readonly key: string;
  /** Tells the request from another for the same key. */
  readonly fingerprint: string;
  /** Temporal's id of the first run of the workflow that asks. */
  readonly firstRunId: string;
  readonly account: string;
  readonly request: SessionRequest;
  /** The request's reference, where it may stand in plain text. */
  readonly referenceId?: string;
  /** How many create requests the workflow knows of whose answers were lost. @default 0 */
  readonly lostCreates?: number;
  /** The key must be new: a workflow that never goes on with what another one began. */
  readonly onlyNew?: true;
  /** When it asks; ISO 8601, UTC. */
  readonly at: string;
}

/** The claim of one workflow: its key, and the first of the workflow's runs. */
export type ClaimOf = Pick<LedgerClaim, 'key' | 'firstRunId'>;

/** What becomes of a claim. A session is another's where the Temporal server has forgotten the workflow that had the key before. */
export type LedgerClaimAnswer =
  /** The key is this workflow's, and no session is known to have been created for it. */
  | { readonly outcome: 'claimed' }
  /** The request is the same, and its session has been created; before that, so many creates were sent whose answers were lost. */
  | { readonly outcome: 'created'; readonly sessionId: string; readonly lostCreates?: number }
  /** The request is the same, and its session has ended. */
  | { readonly outcome: 'ended'; readonly result: SessionResult }
  /** The request is the same, and its workflow failed. */
  | { readonly outcome: 'failed'; readonly code: ErrorCode }
  /**
   * The key is this workflow's, and so many create requests were sent for it, or may have been, whose answers were lost: more than the
   * workflow knows of.
   */
  | { readonly outcome: 'unknown'; readonly lostCreates: number }
  /** The key belongs to another request, or how its session ended has been erased. */
  | { readonly outcome: 'conflict' };

/** Something that happened to a session. Each is about one claim of a key, and recorded there once, however often it is told. */
export type LedgerFact =
  | {
      readonly kind: 'claimed';
      /** ISO 8601, UTC; so are all times. */
      readonly at: string;
      /** Keyed with the session's own key: after an erasure, no request can be compared with it. */
      readonly fingerprint: string;
      readonly firstRunId: string;
      readonly account: string;
      readonly sessionKind: SessionKind;
      /** The direction of the request: `DEBIT` is money from the payor. */
      readonly direction: SessionRequest['direction'];
      /** Dollars. */
      readonly amount?: number;
      readonly currency: string;
      readonly referenceId?: string;
      /** The claim from which the workflow takes the key over: Temporal has forgotten that one's workflow. */
      readonly takesOver?: number;
      /** How many create requests of that claim were sent, or may have been, whose answers were lost. */
      readonly lostCreates?: number;
      /** Recorded as its workflow was over, while another claim had the key: it never answers for it. */
      readonly isAside?: true;
      /** Absent where it has been erased. */
      readonly request?: SessionRequest;
    }
  /** A create request was sent, and its answer was lost. */
  | { readonly kind: 'createUnknown'; readonly at: string; readonly attempt: string; readonly code: string }
  /**
   * The payment service has created the session. `adopt`: a person named it. `found`: it was learned otherwise, as its first record was lost.
   * `takeOver`: another claim of the key had it.
   */
  | {
      readonly kind: 'opened';
      readonly at: string;
      readonly sessionId: string;
      readonly how: 'create' | 'adopt' | 'found' | 'takeOver';
    }
  /** A state that was seen; `number` counts the states of the session from 1. */
  | ({
      readonly kind: 'state';
      readonly at: string;
      readonly number: number;
      readonly amount?: number;
    } & Omit<StateHistoryEntry, 'firstSeenAt'>)
  | ParkedFact
  | ({ readonly kind: 'cancel'; readonly at: string } & Omit<CancelRecord, 'requestedAt'>)
  | DecisionFact
  | {
      readonly kind: 'anomaly';
      readonly at: string;
      readonly number: number;
      readonly anomaly: Anomaly['kind'];
      /** Absent where it has been erased. */
      readonly detail?: string;
    }
  /** The session's personal data was erased, with the key that they were encrypted with. Who did it and why stay readable. */
  | { readonly kind: 'erased'; readonly at: string; readonly by: string; readonly reason: string }
  | LedgerMoney
  /** A person has said what was done about money that came back. `by` and `reason` are absent where they have been erased. */
  | { readonly kind: 'handled'; readonly at: string; readonly by?: string; readonly reason?: string }
  | LedgerEnd;

/**
 * What the money of a session did, by a line of the payment service's reconciliation file: it has arrived, or come back. Also long after
 * the session's end. The same line, told again, is the same fact.
 */
export type LedgerMoney =
  | {
      readonly kind: 'settled';
      /** The line's date: its first moment, UTC. */
      readonly at: string;
      /** Dollars. */
      readonly amount: number;
      /** The reference by which the line named the session; absent where it gave the session's id. */
      readonly referenceId?: string;
    }
  | {
      readonly kind: 'returned';
      readonly at: string;
      readonly amount: number;
      /** Why, in the payment service's code; absent where the line has none. */
      readonly code?: string;
      readonly referenceId?: string;
    };

/** The session waits for a person’s decision; `number` counts these waits from 1. */
export interface ParkedFact extends Park {
  readonly kind: 'parked';
  readonly number: number;
}

/** What a person decided, once it is known what came of it; `number` counts the decisions from 1. */
export interface DecisionFact extends Decision {
  readonly kind: 'decision';
  readonly number: number;
}

/** How a session ended: with a result, or because it never came to exist. */
export interface LedgerEnd {
  readonly kind: 'ended';
  readonly at: string;
  readonly firstRunId: string;
  readonly paid: boolean;
  readonly status?: string;
  readonly code?: string;
  /** Dollars; absent where it is not known. */
  readonly amount?: number;
  /** Why the workflow failed. */
  readonly failure?: ErrorCode;
  /** There certainly never was a session at the payment service: the key may be used again. */
  readonly leftNothing: boolean;
  /** Absent where the workflow failed. */
  readonly result?: SessionResult;
}

/** One entry of the ledger. */
export interface LedgerEntry {
  /** Counts the key's entries from 1, without a gap. */
  readonly number: number;
  /** The claim that it is about: the key's claims are counted from 1. */
  readonly claim: number;
  /** When it was written; ISO 8601, UTC. */
  readonly recordedAt: string;
  /** Without its personal part where that has been erased. */
  readonly fact: LedgerFact;
}
