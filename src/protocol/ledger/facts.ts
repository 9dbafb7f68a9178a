/** The facts that the ledger records about a payment session. The ledger keeps them for years, so their shapes are permanent. */
import type { ErrorCode } from '../../errors/codes';
import type { SessionRequest } from '../../contract/session-request';
import type { ClaimedMetadata, Metadata } from '../metadata';
import type { Anomaly, CancelRecord, Decision, Park, StateHistoryEntry } from '../state/recorded';
import type { SessionResult } from '../state/session';
import type { SessionKind } from '../../contract/statuses';

/**
 * A workflow's claim of its key: the ledger's record that the key belongs to this workflow. A worker with a ledger makes the claim before
 * it sends the create request. If a claim turns out to be missing, a worker makes it later.
 */
export interface LedgerClaim extends ClaimedMetadata {
  /** The caller's key. */
  readonly key: string;
  /** A digest of the account and the request. It differs if another start uses the same key for another payment. */
  readonly fingerprint: string;
  /** Temporal's id of the first run of the workflow that claims the key. */
  readonly firstRunId: string;
  readonly account: string;
  readonly request: SessionRequest;
  /** The request's reference, if it may be stored in plain text. */
  readonly referenceId?: string;
  /** The number of possible orphans that the workflow has recorded. @default 0 */
  readonly lostCreates?: number;
  /** True if the key must be new. The workflow then never continues the session of an earlier workflow. */
  readonly onlyNew?: true;
  /**
   * The time at which the workflow asked for its key. For a claim that is made later, the time at which the workflow started. By the
   * Temporal server's clock; ISO 8601, UTC.
   */
  readonly at: string;
}

/** Identifies a claim: the key, and the first run of the workflow that claims it. */
export type ClaimOf = Pick<LedgerClaim, 'key' | 'firstRunId'>;

/**
 * The ledger's answer to a claim. The key may already have a session, created by an earlier workflow that the Temporal server has dropped.
 */
export type LedgerClaimAnswer =
  /** The key belongs to this workflow, and the ledger knows no session of the key. */
  | { readonly outcome: 'claimed' }
  /**
   * An earlier start had the same request, and its session has been created. `lostCreates` is the number of earlier create requests that
   * may have reached the service and whose answers were lost.
   */
  | { readonly outcome: 'created'; readonly sessionId: string; readonly lostCreates?: number }
  /** An earlier start had the same request, and its session has ended. */
  | { readonly outcome: 'ended'; readonly result: SessionResult }
  /** An earlier start had the same request, and its workflow failed. */
  | { readonly outcome: 'failed'; readonly code: ErrorCode }
  /**
   * The key belongs to this workflow. `lostCreates` is the number of create requests for the key that may have reached the service and
   * whose answers were lost. The workflow knows only some of them.
   */
  | { readonly outcome: 'unknown'; readonly lostCreates: number }
  /**
   * The claim came too late: since the workflow asked, the workflow has ended, or another workflow has got the key. If the workflow still
   * runs, for instance after a restore of Temporal, it must ask again.
   */
  | { readonly outcome: 'late' }
  /**
   * The key belongs to another request or account, or the personal data of its session has been erased. With `onlyNew`, any taken key is a
   * conflict. `differences` are the paths at which the two inputs differ, as far as they are known.
   */
  | { readonly outcome: 'conflict'; readonly differences?: readonly string[] };

/**
 * An event in a session's life. Each fact belongs to one claim of a key. The ledger records it once, even if it is reported several times.
 * The personal members are absent if they have been erased, or if the entry was read without personal data.
 */
export type LedgerFact =
  | {
      readonly kind: 'claimed';
      /** ISO 8601, UTC, like all times here. */
      readonly at: string;
      /**
       * The fingerprint, hashed with the session's own encryption key. An erasure deletes that key, so after it, no request can be
       * compared with the fingerprint.
       */
      readonly fingerprint: string;
      readonly firstRunId: string;
      readonly account: string;
      readonly sessionKind: SessionKind;
      /** The direction of the request. `DEBIT` takes money from the payor. */
      readonly direction: SessionRequest['direction'];
      /** Dollars. */
      readonly amount?: number;
      /** True if the payor enters the amount, or may change it. */
      readonly amountOpen?: true;
      readonly currency: string;
      readonly referenceId?: string;
      /**
       * The number of the claim from which the workflow takes the key over, because Temporal has dropped that claim's workflow. If a reset
       * lets the workflow continue after its end, this is the number of the workflow's own claim.
       */
      readonly takesOver?: number;
      /** The number of create requests of the claim `takesOver` that may have reached the service and whose answers were lost. */
      readonly lostCreates?: number;
      /**
       * True if the claim was recorded late, while another claim had the key. Such a claim is aside: `standingClaim` prefers every other
       * claim that has the key.
       */
      readonly isAside?: true;
      /** Absent if it has been erased. */
      readonly request?: SessionRequest;
      /**
       * The session's metadata. If the entry was read without personal data, only the searchable metadata. Absent if there are none, or if
       * they have been erased.
       */
      readonly metadata?: Metadata;
      /** The names of the searchable metadata. */
      readonly searchable?: readonly string[];
      /** A salted hash of the searchable metadata, whose plain text is only in the ledger's table of claims. */
      readonly metadataProof?: string;
      /** The salt of `metadataProof`. It is erased with the metadata, so that the hash then reveals nothing. */
      readonly metadataSalt?: string;
    }
  /** A create request was sent. Its answer was lost or could not be used. */
  | { readonly kind: 'createUnknown'; readonly at: string; readonly attempt: string; readonly code: string }
  /**
   * The claim has a session at the payment service. `create`: its create request created the session. `adopt`: a person named the session.
   * `found`: the opening was not recorded, and a later state shows the session. `takeOver`: the session belonged to another claim of the
   * key.
   */
  | {
      readonly kind: 'opened';
      /**
       * The time at which the workflow asked for the session, by the Temporal server's clock. If the opening was recorded late, this is
       * the time of the session's first known state.
       */
      readonly at: string;
      readonly sessionId: string;
      readonly how: 'create' | 'adopt' | 'found' | 'takeOver';
      /** Present if another claim had taken the session over, and this claim got it back: the time of that; ISO 8601, UTC. */
      readonly again?: string;
    }
  /** A state in which a worker saw the session. `number` counts the session's states from 1. */
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
      /** Absent if it has been erased. */
      readonly detail?: string;
    }
  /**
   * The session's personal data was erased, with the key that encrypted the data. The name of the person who erased the data and the
   * reason stay readable.
   */
  | { readonly kind: 'erased'; readonly at: string; readonly by: string; readonly reason: string }
  | LedgerMoney
  /** A person has recorded what was done about money that came back. `by` and `reason` are absent if they have been erased. */
  | { readonly kind: 'handled'; readonly at: string; readonly by?: string; readonly reason?: string }
  | LedgerEnd;

/**
 * A movement of a session's money, from a line of the payment service's reconciliation file. The money has arrived (`settled`) or come
 * back (`returned`), possibly long after the session's end. If the same line is reported again, no second fact is recorded.
 */
export type LedgerMoney =
  | (Movement & { readonly kind: 'settled' })
  | (Movement & {
      readonly kind: 'returned';
      /** The return code in the line. Absent if the line has none. */
      readonly code?: string;
    });

/** The members that `settled` and `returned` share. */
interface Movement {
  /** The line's date, as its first moment in UTC. */
  readonly at: string;
  /** Dollars. */
  readonly amount: number;
  /** The reference by which the line named the session. Absent if the line named the session's id. */
  readonly referenceId?: string;
}

/** The session waits for a person's decision. `number` counts these waits from 1. */
export interface ParkedFact extends Park {
  readonly kind: 'parked';
  readonly number: number;
}

/**
 * A person's decision. `number` counts the decisions from 1. A decision about a create request is recorded as soon as its result is known.
 * All other decisions are recorded at the session's end.
 */
export interface DecisionFact extends Decision {
  readonly kind: 'decision';
  readonly number: number;
}

/** The end of a session: with a result, or with the failure of its workflow. */
export interface LedgerEnd {
  readonly kind: 'ended';
  readonly at: string;
  readonly firstRunId: string;
  readonly paid: boolean;
  readonly status?: string;
  readonly code?: string;
  /** The amount in dollars. Absent if it is not known, or if the workflow failed. */
  readonly amount?: number;
  /** The error code of the workflow's failure. */
  readonly failure?: ErrorCode;
  /** True if the workflow certainly never created a session at the payment service. The key may then be used again. */
  readonly leftNothing: boolean;
  /** True if the workflow knew no session at the payment service. If a session turns up later, this is not the end of that session. */
  readonly withoutSession?: true;
  /** The time of the workflow's previous end, if a reset has undone that end; ISO 8601, UTC. Distinguishes two otherwise equal ends. */
  readonly after?: string;
  /** Absent if the workflow failed, or if the result has been erased. */
  readonly result?: SessionResult;
}

/** One entry of the ledger. */
export interface LedgerEntry {
  /** The number of the entry. Counts the key's entries from 1, without gaps. */
  readonly number: number;
  /** The number of the claim to which the entry belongs. Counts the key's claims from 1. */
  readonly claim: number;
  /** The time of writing; ISO 8601, UTC. */
  readonly recordedAt: string;
  /** The fact. If its personal members have been erased, they are absent. */
  readonly fact: LedgerFact;
}
