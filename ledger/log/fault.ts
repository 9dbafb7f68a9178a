/** What a verification finds. */
export interface LedgerFault {
  readonly kind:
    /** An entry is not what it was when it was written. */
    | 'edited'
    /** An entry, its place in the log, or a checkpoint is gone. */
    | 'deleted'
    /** A row is in the ledger that no writer has put there, or a session's entries do not follow each other. */
    | 'inserted'
    /** The log differs from that of a checkpoint. */
    | 'rewritten'
    /** The log has fewer entries than a checkpoint. */
    | 'rolledBack'
    /** A checkpoint is invalid, is not signed with the key, or has the peaks of another tree. */
    | 'forged'
    /** A row holds a value that no writer could have written. */
    | 'unreadable'
    /** The summary of a claim is not what the entries say. */
    | 'summary'
    /** A session's key exists although an entry says that it was erased, or is gone although none says so. */
    | 'sessionKey'
    /** The outbox of webhooks holds something that the entries do not have. */
    | 'webhooks'
    /** A table, column, constraint, index, trigger or function is not the one that the migrations make. */
    | 'schema';
  /** A sentence for people. */
  readonly message: string;
  /** The first entry that differs, if it is known. */
  readonly entry?: { readonly environment: string; readonly key: string; readonly number: number };
  /** Its place in the log, from 0. */
  readonly position?: number;
  /** The claim whose summary differs. */
  readonly claim?: { readonly environment: string; readonly key: string; readonly claim: number };
  /** The session whose key or webhooks differ. */
  readonly session?: { readonly environment: string; readonly key: string };
}
