import { PaysessionError, withRemedy } from '../../src/errors';
import type { LedgerDatabase, Statements } from '../postgres/database';
import { GrowingTree, inclusionProof } from './merkle';
import {
  isSignedBy,
  readCheckpoint,
  writeCheckpoint,
  type Checkpoint,
  type CheckpointSigner,
} from './signed-note';

/** A signed checkpoint over the whole log. */
export interface MadeCheckpoint {
  /** The signed note, to be kept where the database's administrator cannot change it. */
  readonly note: string;
  /** The number of entries that this checkpoint covers. */
  readonly size: number;
  /** The number of entries that this checkpoint has added to the log. */
  readonly added: number;
  /** The number of rows that waited for a place but belong to no entry, or to one that has a place. They were deleted. */
  readonly skipped: number;
}

/** The maximum number of leaves that one statement reads. */
const PAGE = 10_000;

/**
 * Adds all new entries to the log and signs a checkpoint over it, in one transaction. Without new entries, it signs the previous checkpoint
 * again with this signer.
 *
 * @param after checkpoints that were kept elsewhere: the log must have grown from each of them
 * @throws {@link PaysessionError} `LEDGER_TAMPERED`, and signs nothing, if one of `after` is not a checkpoint or is not in the table, or the
 * log did not grow from each checkpoint of the table since the smallest of these; without `after`, from the newest of the table
 */
export async function makeCheckpoint(
  database: LedgerDatabase,
  signer: CheckpointSigner,
  after: string | readonly string[] = [],
): Promise<MadeCheckpoint> {
  return database.transaction(async (statements) => {
    await lockLog(statements);
    const { added, skipped } = await sequence(statements);
    const size = await logSize(statements);
    await refuseOutside(statements);
    const kept = bySize([after].flat().map(readKept));
    const stored = await storedFrom(statements, kept);
    const tree = startOf(stored[0], kept, signer);
    for (const checkpoint of stored) {
      if (checkpoint.size > size) throw tampered();
      await growTo(statements, tree, checkpoint.size);
      if (!agrees(tree, checkpoint, kept)) throw tampered();
    }
    await growTo(statements, tree, size);
    // Only notes that this key has signed are published: anyone with write access may have put a note into the table.
    const note = writeCheckpoint({ size, root: tree.root() }, signer);
    if (stored.at(-1)?.size !== size)
      await statements.query(
        'insert into paysession_ledger.checkpoints (size, note, peaks, signed_at) values ($1, $2, $3, now())',
        [size, note, tree.peaks],
      );
    return { note, size, added, skipped };
  });
}

interface StoredCheckpoint {
  readonly size: number;
  readonly note: string;
  readonly peaks: Buffer;
}

/** Reads a checkpoint that was kept elsewhere. An unreadable one counts as tampering. */
function readKept(note: string): Checkpoint {
  const checkpoint = readCheckpoint(note);
  if (checkpoint === undefined) throw tampered();
  return checkpoint;
}

/** Checkpoints that were kept elsewhere, by their sizes. */
type Kept = ReadonlyMap<number, readonly Checkpoint[]>;

function bySize(checkpoints: readonly Checkpoint[]): Kept {
  const kept = new Map<number, Checkpoint[]>();
  for (const one of checkpoints) kept.set(one.size, [...(kept.get(one.size) ?? []), one]);
  return kept;
}

/**
 * Reads the checkpoints of the table, the smallest first, beginning with the smallest that was kept elsewhere. The table must have all of those.
 * If none was kept elsewhere, it reads the newest only.
 */
async function storedFrom(statements: Statements, kept: Kept): Promise<readonly StoredCheckpoint[]> {
  const [smallest] = [...kept.keys()].sort((one, other) => one - other);
  const rows = await statements.query<Omit<StoredCheckpoint, 'size'> & { readonly size: string }>(
    `select size, note, peaks from paysession_ledger.checkpoints
      where size >= coalesce($1::bigint, (select max(size) from paysession_ledger.checkpoints)) order by size`,
    [smallest ?? null],
  );
  const stored = rows.map((row) => ({ ...row, size: Number(row.size) }));
  const sizes = new Set(stored.map(({ size }) => size));
  if ([...kept.keys()].some((size) => !sizes.has(size))) throw tampered();
  return stored;
}

/**
 * Returns the tree of a checkpoint whose root was kept elsewhere or that this signer has signed: the peaks are compared with that root. For
 * any other checkpoint, returns an empty tree, so that the whole log is read: a role that may write checkpoints could have stored a tree of
 * its own.
 */
function startOf(first: StoredCheckpoint | undefined, kept: Kept, signer: CheckpointSigner): GrowingTree {
  if (first === undefined || (kept.size === 0 && !isSignedBy(first.note, signer.verifierKey)))
    return new GrowingTree();
  try {
    return new GrowingTree(first);
  } catch {
    // The peaks are not those of a tree of this size.
    throw tampered();
  }
}

/** True if a tree matches the checkpoints of its size, both in the table and among those that were kept elsewhere. */
function agrees(tree: GrowingTree, { size, note, peaks }: StoredCheckpoint, kept: Kept): boolean {
  const stored = readCheckpoint(note);
  if (stored?.size !== size || !peaks.equals(tree.peaks)) return false;
  const root = tree.root();
  return [stored, ...(kept.get(size) ?? [])].every((one) => one.root.equals(root));
}

/** Returns the error `LEDGER_TAMPERED`. */
export function tampered(): PaysessionError {
  const code = 'LEDGER_TAMPERED';
  return new PaysessionError(
    code,
    withRemedy(code, 'The ledger does not continue from its last published checkpoint.'),
  );
}

async function growTo(statements: Statements, tree: GrowingTree, size: number): Promise<void> {
  for await (const leaves of leavesBetween(statements, tree.size, size))
    for (const leaf of leaves) tree.append(leaf);
}

/** Yields the leaves of these places page by page. Throws `LEDGER_TAMPERED` if a place is missing. */
async function* leavesBetween(
  statements: Statements,
  from: number,
  size: number,
): AsyncGenerator<readonly Buffer[]> {
  for (let next = from; next < size;) {
    const rows = await statements.query<{ readonly position: string; readonly leaf: Buffer }>(
      'select position, leaf from paysession_ledger.log where position >= $1 order by position limit $2',
      [next, Math.min(PAGE, size - next)],
    );
    const first = next;
    if (rows.length === 0 || rows.some(({ position }, index) => Number(position) !== first + index))
      throw tampered();
    next += rows.length;
    yield rows.map(({ leaf }) => leaf);
  }
}

/** Refuses rows with a negative place: no checkpoint covers them. */
async function refuseOutside(statements: Statements): Promise<void> {
  const outside = await statements.query('select 1 from paysession_ledger.log where position < 0 limit 1');
  if (outside.length > 0) throw tampered();
}

/** The maximum number of entries that one statement adds to the log. */
const BATCH = 10_000;

/**
 * Locks out all other checkpoints until the transaction ends, without blocking new entries. An advisory lock would not do: any role could take
 * it and stop all checkpoints.
 */
async function lockLog(statements: Statements): Promise<void> {
  await statements.query('lock table paysession_ledger.unsequenced in share update exclusive mode');
}

/**
 * Adds every entry without a place to the log, in the transaction of `lockLog`. Entries of one session keep their order, since none is
 * written before the previous one: both are in one statement, or the previous one is committed. A row that belongs to no entry, or to one
 * that has a place, is deleted and counted, so that it stops no checkpoint. No part of paysession writes such a row.
 */
async function sequence(statements: Statements): Promise<Pick<MadeCheckpoint, 'added' | 'skipped'>> {
  let size = await logSize(statements);
  let [added, skipped] = [0, 0];
  for (;;) {
    const [row] = await statements.query<{ taken: number; placed: number }>(PLACE, [size, BATCH]);
    const { taken, placed } = row ?? { taken: 0, placed: 0 };
    if (taken === 0) return { added, skipped };
    size += placed;
    added += placed;
    skipped += taken - placed;
  }
}

/** Adds a batch to the log. The leaf is that of RFC 6962, over the entry's hash. */
const PLACE = `
  with taken as (
    delete from paysession_ledger.unsequenced
    where (environment, key, number) in (
      select environment, key, number from paysession_ledger.unsequenced order by environment, key, number limit $2
    )
    returning environment, key, number
  ), placed as (
    insert into paysession_ledger.log (position, environment, key, number, leaf)
    select $1::bigint + row_number() over (order by environment, key, number) - 1, environment, key, number,
      sha256('\\x00'::bytea || hash)
    from taken join paysession_ledger.entries using (environment, key, number)
      left join paysession_ledger.log using (environment, key, number)
    where position is null
    returning 1 as one
  )
  select (select count(*) from taken)::int as taken, (select count(*) from placed)::int as placed`;

/** Returns the number of places in the log. */
async function logSize(statements: Statements): Promise<number> {
  const [row] = await statements.query<{ size: string }>(
    'select coalesce(max(position) + 1, 0) as size from paysession_ledger.log',
  );
  return Number(row?.size ?? 0);
}

/** An entry of a session. */
interface EntryPlace {
  readonly environment: string;
  readonly key: string;
  /** @default the session's last entry that a checkpoint covers */
  readonly number?: number | undefined;
}

/** A proof that an entry is in the log of a checkpoint. */
export interface EntryProof {
  /** The entry's number among those of its session, from 1. */
  readonly number: number;
  /** The hash of the entry, in hexadecimal: the data of its leaf in the log. */
  readonly entryHash: string;
  /** The proof with its checkpoint, as text (C2SP tlog-proof). */
  readonly proof: string;
}

const HEADER = 'c2sp.org/tlog-proof@v1';

/**
 * Proves that an entry is in the log of the last checkpoint. Returns `undefined` if that checkpoint does not cover the entry.
 *
 * @throws {@link PaysessionError} `LEDGER_TAMPERED` if the log lacks an entry that the checkpoint covers
 */
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
    const leaves: Buffer[] = [];
    for await (const page of leavesBetween(statements, 0, size)) leaves.push(...page);
    const proof = inclusionProof(leaves, found.position);
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
