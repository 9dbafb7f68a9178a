/** A difference that a verification has found in the ledger. */
export interface LedgerFault {
  /** The kind of difference. */
  readonly kind:
    /** An entry or its place in the log was changed after it had been written. */
    | 'edited'
    /** An entry, its place in the log, or a checkpoint is gone. */
    | 'deleted'
    /** The ledger has a row that no writer has added, or a session's entries do not follow each other. */
    | 'inserted'
    /** A checkpoint is about a log with other content, or two checkpoints contradict each other. */
    | 'rewritten'
    /** The log has fewer entries than a checkpoint covers. */
    | 'rolledBack'
    /** A checkpoint is invalid, is not signed with one of the keys, or has the peaks of another tree. */
    | 'forged'
    /** A row has an impossible value, or the server cannot read a row. */
    | 'unreadable'
    /** The summary of a claim differs from the claim's entries, is missing, or has no entries. */
    | 'summary'
    /**
     * The encryption key of a session's personal data does not fit the entries. It exists although an entry records its erasure, or although
     * the session has no entries. Or it is gone although no entry records its erasure. Or its row is gone, or names an encryption key although
     * the session's key is erased.
     */
    | 'sessionKey'
    /** The outbox of webhooks does not match the entries. */
    | 'webhooks'
    /**
     * An unmatched line of a reconciliation file was changed, or counts as matched although no entry records the match.
     */
    | 'unmatchedLine'
    /** The schema (its tables, triggers and other objects) or the list of migrations is not as the migrations have made it. */
    | 'schema';
  /** The fault in a sentence, for an operator. */
  readonly message: string;
  /** The first entry that differs, if it is known. */
  readonly entry?: { readonly environment: string; readonly key: string; readonly number: number };
  /** The first place in the log that differs or may differ. The first place is 0. Negative if a row has an invalid, negative place. */
  readonly position?: number;
  /** The claim whose summary differs, is missing, or has no entries. */
  readonly claim?: { readonly environment: string; readonly key: string; readonly claim: number };
  /** The session whose key or webhooks differ, or that has an unreadable entry. */
  readonly session?: { readonly environment: string; readonly key: string };
  /** The unmatched line that differs. */
  readonly line?: { readonly environment: string; readonly id: string };
}
