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

/**
 * Adds entries to the ledger's log, signs checkpoints, and proves that an entry is in the log.
 *
 * The log is a Merkle tree (RFC 6962) of all entries of all sessions. An entry waits in the table `unsequenced` until it gets its place in the
 * log. A checkpoint is a signed note with the log's size and its root hash. If the log is changed afterwards, it does not match its checkpoints.
 */

/** A signed checkpoint over the whole log. */
export interface MadeCheckpoint {
  /** The signed note. Keep it where the database's administrator cannot change it. */
  readonly note: string;
  /** The number of entries that this checkpoint covers. */
  readonly size: number;
  /** The number of entries that this checkpoint has added to the log. */
  readonly added: number;
  /** The number of invalid rows that were deleted: rows that waited for a place, but whose entry does not exist or already has a place. */
  readonly skipped: number;
}

/** The maximum number of leaves of the tree that one statement reads. */
const PAGE = 10_000;

/**
 * Adds all new entries to the log, and signs a checkpoint over the log, in one transaction. If there are no new entries, signs a checkpoint of
 * the same size as the previous one.
 *
 * @param after checkpoints that were kept outside the database. The log must have grown from each of them
 * @throws {@link PaysessionError} `LEDGER_TAMPERED` if one of `after` is not a checkpoint, or is not in the database's table. Also if the log
 * has not grown from all checkpoints in the table, beginning with the smallest of `after`. Without `after`, only the newest checkpoint in the
 * table counts. Nothing is signed
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
    // The function always returns a note that it has signed itself, and never one from the table: anyone with write access may have put a note
    // there.
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

/** Reads a checkpoint that was kept outside the database. Throws `LEDGER_TAMPERED` if it is unreadable. */
function readKept(note: string): Checkpoint {
  const checkpoint = readCheckpoint(note);
  if (checkpoint === undefined) throw tampered();
  return checkpoint;
}

/** Checkpoints that were kept outside the database, by size. */
type Kept = ReadonlyMap<number, readonly Checkpoint[]>;

function bySize(checkpoints: readonly Checkpoint[]): Kept {
  const kept = new Map<number, Checkpoint[]>();
  for (const one of checkpoints) kept.set(one.size, [...(kept.get(one.size) ?? []), one]);
  return kept;
}

/**
 * Reads checkpoints from the table, the smallest first. Begins with the size of the smallest kept checkpoint. If none was kept, reads only the
 * newest one. Throws `LEDGER_TAMPERED` if the table lacks a checkpoint that was kept.
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
 * Returns the tree from which the check of the log starts.
 *
 * If the first checkpoint was kept outside the database, or this signer has signed it, its root can be trusted. The check then starts from the
 * stored peaks of its tree, and compares them with that root later. (Peaks are the roots of the tree's complete subtrees.) Otherwise the check
 * starts from an empty tree and reads the whole log, because anyone with write access to the table could have stored another tree.
 */
function startOf(first: StoredCheckpoint | undefined, kept: Kept, signer: CheckpointSigner): GrowingTree {
  if (first === undefined || (kept.size === 0 && !isSignedBy(first.note, signer.verifierKey)))
    return new GrowingTree();
  try {
    return new GrowingTree(first);
  } catch {
    // A tree of this size has another number of peaks.
    throw tampered();
  }
}

/** True if a tree matches the checkpoint of its size in the table, and all kept checkpoints of its size. */
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

/** Yields the leaves at the places `from` to `size - 1`, page by page. Throws `LEDGER_TAMPERED` if a place is missing. */
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

/** Throws `LEDGER_TAMPERED` if the log has a row with a negative place. No checkpoint would cover such a row. */
async function refuseOutside(statements: Statements): Promise<void> {
  const outside = await statements.query('select 1 from paysession_ledger.log where position < 0 limit 1');
  if (outside.length > 0) throw tampered();
}

/** The maximum number of entries that one statement adds to the log. */
const BATCH = 10_000;

/**
 * Makes all other checkpoints wait until the transaction ends. Does not block new entries. An advisory lock would be unsafe here, because any
 * database role could take it and so stop all checkpoints.
 */
async function lockLog(statements: Statements): Promise<void> {
  await statements.query('lock table paysession_ledger.unsequenced in share update exclusive mode');
}

/**
 * Adds all waiting entries to the log. Call it in the transaction in which `lockLog` was called.
 *
 * The entries of a session get their places in the right order: an entry is written only if the previous entry is already committed, or in the
 * same statement. Invalid rows are deleted and counted, so that they cannot stop checkpoints. A row is invalid if its entry does not exist, or
 * already has a place. paysession itself never writes such a row.
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

/** Adds a batch of entries to the log. The leaf of an entry is computed from the entry's hash, as RFC 6962 says. */
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

/** Names an entry of a session. */
interface EntryPlace {
  readonly environment: string;
  readonly key: string;
  /** @default the session's last entry that a checkpoint covers */
  readonly number?: number | undefined;
}

/** A proof that an entry is in the log of a checkpoint. */
export interface EntryProof {
  /** The entry's number among the entries of its session. The first entry has the number 1. */
  readonly number: number;
  /** The hash of the entry, in hexadecimal. The entry's leaf in the log is computed from this hash. */
  readonly entryHash: string;
  /** The proof and the checkpoint, as a text in the format C2SP tlog-proof. */
  readonly proof: string;
}

const HEADER = 'c2sp.org/tlog-proof@v1';

/**
 * Returns a proof that an entry is in the log of the last checkpoint. Returns `undefined` if that checkpoint does not cover the entry.
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
