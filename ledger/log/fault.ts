/** A difference that a verification has found in the ledger. */
export interface LedgerFault {
  /** The kind of difference. */
  readonly kind:
    /** An entry, or its place in the log, was changed after it was written. */
    | 'edited'
    /** An entry, its place in the log, or a checkpoint is gone. */
    | 'deleted'
    /** The ledger has a row that no writer has added, or a session's entries do not follow each other. */
    | 'inserted'
    /** The log differs from that of a checkpoint, or two checkpoints contradict each other. */
    | 'rewritten'
    /** The log has fewer entries than a checkpoint. */
    | 'rolledBack'
    /** A checkpoint is invalid, is not signed with one of the keys, or has the peaks of another tree. */
    | 'forged'
    /** A row holds a value that no writer could have written, or the server cannot read a row. */
    | 'unreadable'
    /** The summary of a claim differs from its entries, is missing, or has no entries. */
    | 'summary'
    /**
     * The key of a session's personal data exists although an entry records its erasure or the session has no entries, or is gone although no
     * entry records its erasure. Or the key's row is gone, or still names an encryption key although the key is erased.
     */
    | 'sessionKey'
    /** The outbox of webhooks does not match the entries. */
    | 'webhooks'
    /**
     * An unmatched line of a reconciliation file is not the one that was kept, or counts as matched although no entry records the match.
     */
    | 'unmatchedLine'
    /** A table, trigger or other object of the schema, or the list of migrations, is not as the migrations make it. */
    | 'schema';
  /** A sentence for an operator. */
  readonly message: string;
  /** The first entry that differs, if it is known. */
  readonly entry?: { readonly environment: string; readonly key: string; readonly number: number };
  /** The first place in the log that differs or may differ, from 0; negative for a row outside of the log's places. */
  readonly position?: number;
  /** The claim whose summary differs, is missing, or has no entries. */
  readonly claim?: { readonly environment: string; readonly key: string; readonly claim: number };
  /** The session whose key or webhooks differ, or that has an unreadable entry. */
  readonly session?: { readonly environment: string; readonly key: string };
  /** The unmatched line that differs. */
  readonly line?: { readonly environment: string; readonly id: string };
}
