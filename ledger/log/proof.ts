import type { LedgerDatabase, Statements } from '../postgres/database';
import { tampered } from './checkpoints';
import { inclusionProof } from './merkle';
import { readCheckpoint } from './signed-note';

/** An entry of a session. */
export interface EntryPlace {
  readonly environment: string;
  readonly key: string;
  /** @default the session's last one that a checkpoint covers */
  readonly number?: number | undefined;
}

/** A proof that an entry is in the log of a checkpoint. */
export interface EntryProof {
  readonly number: number;
  /** The hash of the entry, in hexadecimal: what the log holds of it. */
  readonly entryHash: string;
  /** The proof with its checkpoint, as text (C2SP tlog-proof). */
  readonly proof: string;
}

const HEADER = 'c2sp.org/tlog-proof@v1';
/** Leaves are read so many at a time. */
const PAGE = 50_000;

/** Proves that an entry is in the log of the last checkpoint; `undefined` where that does not cover it. */
export async function proveEntry(
  database: LedgerDatabase,
  place: EntryPlace,
): Promise<EntryProof | undefined> {
  return database.snapshot(async (statements) => {
    const [last] = await statements.query<{ note: string }>(
      'select note from paysession_ledger.checkpoints order by size desc limit 1',
    );
    const size = (last && readCheckpoint(last.note)?.size) ?? 0;
    const found = await find(statements, place, size);
    if (last === undefined || found === undefined) return undefined;
    const proof = inclusionProof(await leavesOf(statements, size), found.position);
    const lines = [HEADER, `index ${found.position}`, ...proof.map((hash) => hash.toString('base64'))];
    return {
      number: found.number,
      entryHash: found.hash.toString('hex'),
      proof: `${lines.join('\n')}\n\n${last.note}`,
    };
  });
}

async function find(statements: Statements, { environment, key, number }: EntryPlace, size: number) {
  const [row] = await statements.query<{ position: string; number: number; hash: Buffer }>(
    `select position, number, hash from paysession_ledger.log
      join paysession_ledger.entries using (environment, key, number)
      where environment = $1 and key = $2 and position < $3 and number = coalesce($4, number)
      order by number desc limit 1`,
    [environment, key, size, number ?? null],
  );
  return row && { ...row, position: Number(row.position) };
}

async function leavesOf(statements: Statements, size: number): Promise<readonly Buffer[]> {
  const leaves: Buffer[] = [];
  while (leaves.length < size) {
    const page = await statements.query<{ leaf: Buffer }>(
      'select leaf from paysession_ledger.log where position >= $1 and position < $2 order by position limit $3',
      [leaves.length, size, PAGE],
    );
    if (page.length === 0) throw tampered();
    for (const { leaf } of page) leaves.push(leaf);
  }
  return leaves;
}
