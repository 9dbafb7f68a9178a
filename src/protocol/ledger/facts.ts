/** The ledger's records of a payment session. The shapes live in the ledger for years: they are permanent. */
import type { ErrorCode } from '../../errors/codes';
import type { SessionRequest } from '../../contract/session-request';
import type { ClaimedMetadata, Metadata } from '../metadata';
import type { Anomaly, CancelRecord, Decision, Park, StateHistoryEntry } from '../state/recorded';
import type { SessionResult } from '../state/session';
import type { SessionKind } from '../../contract/statuses';

/**
 * A workflow's claim of its key. A worker with a ledger makes it before it sends the create request. A claim that turns out to be
 * missing is made later.
 */
export interface LedgerClaim extends ClaimedMetadata {
  /** The caller's key. */
  readonly key: string;
  /** Distinguishes the account and the request from those of another start with the same key. */
  readonly fingerprint: string;
  /** Temporal's id of the first run of the workflow that claims the key. */
  readonly firstRunId: string;
  readonly account: string;
  readonly request: SessionRequest;
  /** The request's reference, if it may be stored in plain text. */
  readonly referenceId?: string;
  /** The number of possible orphans that the workflow has recorded. @default 0 */
  readonly lostCreates?: number;
  /** True if the key must be new: the workflow never continues what another one began. */
  readonly onlyNew?: true;
  /**
   * The time at which the workflow asked for its key, or started if the claim is made later; by the Temporal server's clock, ISO 8601,
   * UTC.
   */
  readonly at: string;
}

/** The claim of one workflow: its key, and the first of the workflow's runs. */
export type ClaimOf = Pick<LedgerClaim, 'key' | 'firstRunId'>;

/**
 * The ledger's answer to a claim. The session may be that of an earlier workflow that the Temporal server has forgotten.
 */
export type LedgerClaimAnswer =
  /** The key is this workflow's, and no session is known to have been created for it. */
  | { readonly outcome: 'claimed' }
  /**
   * The request is the same, and its session has been created. `lostCreates` earlier create requests were sent, or may have been, and their
   * answers were lost.
   */
  | { readonly outcome: 'created'; readonly sessionId: string; readonly lostCreates?: number }
  /** The request is the same, and its session has ended. */
  | { readonly outcome: 'ended'; readonly result: SessionResult }
  /** The request is the same, and its workflow failed. */
  | { readonly outcome: 'failed'; readonly code: ErrorCode }
  /**
   * The key is this workflow's. `lostCreates` create requests were sent for the key, or may have been, and their answers were lost.
   * The workflow knows of fewer.
   */
  | { readonly outcome: 'unknown'; readonly lostCreates: number }
  /**
   * Since the workflow asked, it has ended, or another workflow has got the key. A workflow that still runs, such as after a restore of
   * Temporal, must ask again.
   */
  | { readonly outcome: 'late' }
  /**
   * The key belongs to another request or account, was already taken although `onlyNew` is set, or the personal data of its session
   * has been erased. `differences` are the paths at which the inputs differ, if any are known.
   */
  | { readonly outcome: 'conflict'; readonly differences?: readonly string[] };

/**
 * An event in a session's life. Each belongs to one claim of a key, and is recorded there once, however often it is reported. Its personal
 * members are absent if they have been erased, or if the entry was read without them.
 */
export type LedgerFact =
  | {
      readonly kind: 'claimed';
      /** ISO 8601, UTC; so are all times. */
      readonly at: string;
      /** Hashed with the session's own encryption key: after an erasure, no request can be compared with it. */
      readonly fingerprint: string;
      readonly firstRunId: string;
      readonly account: string;
      readonly sessionKind: SessionKind;
      /** The direction of the request: `DEBIT` is money from the payor. */
      readonly direction: SessionRequest['direction'];
      /** Dollars. */
      readonly amount?: number;
      /** True if the payor enters the amount, or may change it. */
      readonly amountOpen?: true;
      readonly currency: string;
      readonly referenceId?: string;
      /**
       * The claim from which the workflow takes the key over: Temporal has forgotten that claim's workflow. The claim's own number if the
       * workflow goes on after its end, because it was reset.
       */
      readonly takesOver?: number;
      /** The number of create requests of that claim that were sent, or may have been, and whose answers were lost. */
      readonly lostCreates?: number;
      /**
       * True if the claim was recorded late, together with its workflow's facts, while another claim had the key. It answers for the key
       * only if no other claim does.
       */
      readonly isAside?: true;
      /** Absent if it has been erased. */
      readonly request?: SessionRequest;
      /**
       * The session's metadata. Only the searchable ones if the personal part was not read. Absent if there are none, or if they were
       * erased.
       */
      readonly metadata?: Metadata;
      /** The names of the searchable metadata. */
      readonly searchable?: readonly string[];
      /** A salted hash of the searchable metadata. The ledger stores these in plain text only in its table of claims. */
      readonly metadataProof?: string;
      /** The salt of that hash; erased with the metadata, so that the hash reveals nothing after an erasure. */
      readonly metadataSalt?: string;
    }
  /** A create request was sent, and its answer was lost or could not be used. */
  | { readonly kind: 'createUnknown'; readonly at: string; readonly attempt: string; readonly code: string }
  /**
   * The payment service has created the session. `adopt`: a person named it. `found`: a later state shows it, because its
   * opening was not recorded. `takeOver`: another claim of the key had it.
   */
  | {
      readonly kind: 'opened';
      /**
       * The time at which the workflow asked for the session, by the Temporal server's clock. If the opening was recorded late, the time
       * of the session's first known state.
       */
      readonly at: string;
      readonly sessionId: string;
      readonly how: 'create' | 'adopt' | 'found' | 'takeOver';
      /** The time at which the claim got a session back that another claim had taken over; ISO 8601, UTC. */
      readonly again?: string;
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
      /** Absent if it has been erased. */
      readonly detail?: string;
    }
  /**
   * The session's personal data was erased, with the key that encrypted it. The name of the person who erased it and the reason
   * stay readable.
   */
  | { readonly kind: 'erased'; readonly at: string; readonly by: string; readonly reason: string }
  | LedgerMoney
  /** A person has recorded what was done about money that came back. `by` and `reason` are absent if they have been erased. */
  | { readonly kind: 'handled'; readonly at: string; readonly by?: string; readonly reason?: string }
  | LedgerEnd;

/**
 * A movement of a session's money, from a line of the payment service's reconciliation file: the money has arrived, or come back.
 * It may happen long after the session's end. The same line, reported again, is the same fact.
 */
export type LedgerMoney =
  | (Movement & { readonly kind: 'settled' })
  | (Movement & {
      readonly kind: 'returned';
      /** The reason, as the payment service's code; absent if the line has none. */
      readonly code?: string;
    });

/** The content of a line that both kinds have. */
interface Movement {
  /** The line's date: its first moment, UTC. */
  readonly at: string;
  /** Dollars. */
  readonly amount: number;
  /** The reference by which the line named the session; absent if it gave the session's id. */
  readonly referenceId?: string;
}

/** The session waits for a person’s decision; `number` counts these waits from 1. */
export interface ParkedFact extends Park {
  readonly kind: 'parked';
  readonly number: number;
}

/**
 * A person's decision; `number` counts the decisions from 1. A decision about a create request is recorded as soon as its result is known,
 * any other decision at the session's end.
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
  /** The amount in dollars; absent if it is not known, or if the workflow failed. */
  readonly amount?: number;
  /** The error code of the workflow's failure. */
  readonly failure?: ErrorCode;
  /** True if there certainly never was a session at the payment service: the key may be used again. */
  readonly leftNothing: boolean;
  /** True if the workflow knew of no session at the payment service: the end is not that of a session that turns up. */
  readonly withoutSession?: true;
  /** The time of the workflow's previous end, which a reset has undone; ISO 8601, UTC. Distinguishes two equal ends. */
  readonly after?: string;
  /** Absent if the workflow failed, or if the result has been erased. */
  readonly result?: SessionResult;
}

/** One entry of the ledger. */
export interface LedgerEntry {
  /** Counts the key's entries from 1, without a gap. */
  readonly number: number;
  /** The claim that the entry belongs to: the key's claims are counted from 1. */
  readonly claim: number;
  /** The time of writing; ISO 8601, UTC. */
  readonly recordedAt: string;
  /** The fact, without its personal part if that has been erased. */
  readonly fact: LedgerFact;
}
