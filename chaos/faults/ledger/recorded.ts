import type { LedgerDatabase } from '../../../ledger';

/** An entry in the ledger's database. It is read with SQL of its own and not with the code under test. */
export interface RecordedEntry {
  readonly number: number;
  /** The number of the entry's claim among the key's claims, from 1. A claim is the ledger's record that a key belongs to one workflow. */
  readonly claim: number;
  readonly id: string;
  readonly kind: string;
  /** The time of the event, in milliseconds since 1970. */
  readonly atMs: number;
  /** The unencrypted part of the entry. */
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * The time at which PostgreSQL committed the entry, in milliseconds since 1970. It is by the machine's clock, because a worker's clock
   * may be wrong.
   */
  readonly committedAtMs: number;
}

/** A claim's row in the ledger's table of claims. */
export interface ListedClaim {
  readonly claim: number;
  readonly firstRunId: string;
  /** True if this claim is the one that currently represents the key. */
  readonly stands: boolean;
  /** True if lists and sums include the claim. */
  readonly listed: boolean;
  readonly outcome: string;
  readonly status?: string;
  readonly paid: boolean;
  readonly sessionId?: string;
}

/** A key's entries and claims in the ledger. */
export interface RecordedKey {
  /** Oldest first. */
  readonly entries: readonly RecordedEntry[];
  readonly claims: readonly ListedClaim[];
}

/** A line of a reconciliation file that the ledger has kept, because no payment matched it. */
export interface KeptLine {
  readonly id: string;
  readonly reason: string;
  readonly kind: string;
  readonly day: string;
  /** Dollars, to the cent. */
  readonly amount: string;
  readonly code: string | null;
  readonly sessionId: string | null;
  readonly referenceId: string | null;
  readonly isMatched: boolean;
  readonly isExplained: boolean;
}

/** Reads all lines that the ledger has kept. */
export const keptLines = (database: LedgerDatabase): Promise<readonly KeptLine[]> =>
  database.query<KeptLine>(KEPT_LINES);

const KEPT_LINES = `select id, reason, kind, to_char(day, 'YYYY-MM-DD') as day, amount::text as amount, code, session_id as "sessionId",
    reference_id as "referenceId", matched_at is not null as "isMatched", explained_at is not null as "isExplained"
  from paysession_ledger.unmatched_lines order by number`;

export const NOTHING_RECORDED: RecordedKey = { entries: [], claims: [] };

/** Reads all entries and claims, by key. */
export async function recordedKeys(database: LedgerDatabase): Promise<ReadonlyMap<string, RecordedKey>> {
  const keys = new Map<string, { entries: RecordedEntry[]; claims: ListedClaim[] }>();
  const of = (key: string) => {
    const known = keys.get(key) ?? { entries: [], claims: [] };
    keys.set(key, known);
    return known;
  };
  for (const { key, body, committed, at, ...entry } of await database.query<EntryRow>(ENTRIES)) {
    const parsed = JSON.parse(body) as RecordedEntry['body'];
    const committedAtMs = Math.floor(Number(committed));
    of(key).entries.push({ ...entry, body: parsed, atMs: at.getTime(), committedAtMs });
  }
  for (const { key, status, sessionId, ...claim } of await database.query<ClaimRow>(CLAIMS))
    of(key).claims.push({
      ...claim,
      ...(status !== null && { status }),
      ...(sessionId !== null && { sessionId }),
    });
  return keys;
}

const ENTRIES = `select key, number, claim, id, kind, at, body,
    extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000 as committed
  from paysession_ledger.entries order by key, number`;

const CLAIMS = `select key, claim, first_run_id as "firstRunId", stands, listed, outcome, status, paid, session_id as "sessionId"
  from paysession_ledger.claims order by key, claim`;

interface EntryRow extends Pick<RecordedEntry, 'number' | 'claim' | 'id' | 'kind'> {
  readonly key: string;
  readonly at: Date;
  readonly body: string;
  readonly committed: string;
}

interface ClaimRow extends Omit<ListedClaim, 'status' | 'sessionId'> {
  readonly key: string;
  readonly status: string | null;
  readonly sessionId: string | null;
}
