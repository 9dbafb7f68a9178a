import type { LedgerDatabase } from '../../../ledger';

/** An entry as it stands in the database, read without the code under test. */
export interface RecordedEntry {
  readonly number: number;
  readonly id: string;
  readonly kind: string;
  /** What is not encrypted of it. */
  readonly body: Readonly<Record<string, unknown>>;
  /** When PostgreSQL committed it, by the machine's clock: that of a worker may be off. Milliseconds since 1970. */
  readonly committedAtMs: number;
}

/** The entries of all sessions by their keys, the first first. */
export async function recordedEntries(
  database: LedgerDatabase,
): Promise<ReadonlyMap<string, readonly RecordedEntry[]>> {
  const rows = await database.query<Row>(
    `select key, number, id, kind, body, extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000 as committed
      from paysession_ledger.entries order by key, number`,
  );
  const entries = new Map<string, RecordedEntry[]>();
  for (const { key, number, id, kind, body, committed } of rows) {
    const own = entries.get(key) ?? [];
    const parsed = JSON.parse(body) as RecordedEntry['body'];
    own.push({ number, id, kind, body: parsed, committedAtMs: Math.floor(Number(committed)) });
    entries.set(key, own);
  }
  return entries;
}

interface Row extends Pick<RecordedEntry, 'number' | 'id' | 'kind'> {
  readonly key: string;
  readonly body: string;
  readonly committed: string;
}
