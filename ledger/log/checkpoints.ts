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

/** A checkpoint that was made, or that was already there. */
export interface MadeCheckpoint {
  /** The signed note, to be kept where the ledger's administrator cannot change it. */
  readonly note: string;
  /** How many entries it covers. */
  readonly size: number;
  /** How many of them have got their place now. */
  readonly added: number;
  /** The number of rows that waited for a place but belong to no entry, and were deleted. */
  readonly skipped: number;
}

/** Leaves are read so many at a time. */
const PAGE = 10_000;

/**
 * Gives all new entries a place in the log, and signs a checkpoint over it, in one transaction. If nothing is new, it is the checkpoint
 * before, as this signer signs it.
 *
 * @param after checkpoints that were kept elsewhere, from each of which the log must have grown
 * @throws {@link PaysessionError} `LEDGER_TAMPERED`, and signs nothing, if the log did not grow from `after`, or differs from the checkpoints
 * that the database has
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
    // Nothing leaves that this key has not signed: a note of the table may be anybody's.
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

/** A given checkpoint. What is none is no checkpoint of this log. */
function readKept(note: string): Checkpoint {
  const checkpoint = readCheckpoint(note);
  if (checkpoint === undefined) throw tampered();
  return checkpoint;
}

/** Checkpoints that were kept elsewhere, by their sizes. */
type Kept = ReadonlyMap<number, readonly Checkpoint[]>;

function bySize(checkpoints: readonly Checkpoint[]): Kept {
  const kept = new Map<number, Checkpoint[]>();
  for (const checkpoint of checkpoints) {
    const same = kept.get(checkpoint.size);
    if (same === undefined) kept.set(checkpoint.size, [checkpoint]);
    else same.push(checkpoint);
  }
  return kept;
}

/** Reads the checkpoints of the table, the smallest first: from the smallest on that was kept, all of which must be there, or the newest. */
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
 * The tree of a checkpoint whose root was kept or is signed: its peaks are compared with that. Of any other one the whole log is read, since
 * a role that may write checkpoints could have put a tree of its own there.
 */
function startOf(first: StoredCheckpoint | undefined, kept: Kept, signer: CheckpointSigner): GrowingTree {
  if (first === undefined || (kept.size === 0 && !isSignedBy(first.note, signer.verifierKey)))
    return new GrowingTree();
  try {
    return new GrowingTree(first);
  } catch {
    // Peaks of another length are nobody’s tree.
    throw tampered();
  }
}

/** True if a tree is that of a checkpoint of its size, in the table and among those that were kept. */
function agrees(tree: GrowingTree, { size, note, peaks }: StoredCheckpoint, kept: Kept): boolean {
  const stored = readCheckpoint(note);
  if (stored?.size !== size || !peaks.equals(tree.peaks)) return false;
  const root = tree.root();
  return [stored, ...(kept.get(size) ?? [])].every((one) => one.root.equals(root));
}

/** `LEDGER_TAMPERED`. */
export function tampered(): PaysessionError {
  const code = 'LEDGER_TAMPERED';
  return new PaysessionError(
    code,
    withRemedy(code, 'The ledger does not go on from its last published checkpoint.'),
  );
}

async function growTo(statements: Statements, tree: GrowingTree, size: number): Promise<void> {
  while (tree.size < size) {
    const rows = await statements.query<{ readonly position: string; readonly leaf: Buffer }>(
      'select position, leaf from paysession_ledger.log where position >= $1 order by position limit $2',
      [tree.size, Math.min(PAGE, size - tree.size)],
    );
    if (rows.length === 0) throw tampered();
    for (const { position, leaf } of rows) {
      if (Number(position) !== tree.size) throw tampered();
      tree.append(leaf);
    }
  }
}

/** Rows outside of the log's places are covered by no checkpoint. */
async function refuseOutside(statements: Statements): Promise<void> {
  const outside = await statements.query('select 1 from paysession_ledger.log where position < 0 limit 1');
  if (outside.length > 0) throw tampered();
}

/** Places are given to so many entries in one statement. */
const BATCH = 10_000;

/**
 * Keeps all other sequencers out until the transaction ends, and stops no entry. An advisory lock would not do: any role could hold it, and stop
 * all checkpoints.
 */
async function lockLog(statements: Statements): Promise<void> {
  await statements.query('lock table paysession_ledger.unsequenced in share update exclusive mode');
}

/** What became of the rows that waited for a place. */
interface Sequenced {
  /** The number of entries that got a place. */
  readonly added: number;
  /** The number of rows that belong to no entry, or to one that has a place. No part of paysession writes such a row. */
  readonly skipped: number;
}

/**
 * Gives a place in the log to every entry that has none, in the transaction of `lockLog`. Entries of one session keep their order, since one is
 * not written before the one ahead of it is committed. A row that belongs to no waiting entry is deleted and counted, so that it stops no checkpoint.
 */
async function sequence(statements: Statements): Promise<Sequenced> {
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

/** The leaf is that of RFC 6962, over the entry's hash. */
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

/** How many entries have a place. */
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
/** The number of leaves that a proof reads in one statement. */
const PROOF_PAGE = 50_000;

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
      [leaves.length, size, PROOF_PAGE],
    );
    if (page.length === 0) throw tampered();
    for (const { leaf } of page) leaves.push(leaf);
  }
  return leaves;
}
