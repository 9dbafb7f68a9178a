import { PaysessionError, withRemedy } from '../../src/errors';
import type { LedgerDatabase, Statements } from '../postgres/database';
import { GrowingTree } from './merkle';
import { lockLog, logSize, sequence } from './sequencer';
import { readCheckpoint, writeCheckpoint, type CheckpointSigner } from './signed-note';

/** A checkpoint that was made, or that was there. */
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
 * Gives all new entries a place in the log, and signs a checkpoint over it, in one transaction. Where nothing is new, it is the one
 * before. Throws `PaysessionError` `LEDGER_TAMPERED`, and signs nothing, where the log does not go on from `after`, a checkpoint that was
 * kept elsewhere.
 */
export async function makeCheckpoint(
  database: LedgerDatabase,
  signer: CheckpointSigner,
  after?: string,
): Promise<MadeCheckpoint> {
  return database.transaction(async (statements) => {
    await lockLog(statements);
    const { added, skipped } = await sequence(statements);
    const size = await logSize(statements);
    const last = await lastCheckpoint(statements);
    const from = after === undefined ? last : await checkpointOf(statements, after);
    if (size < (from?.size ?? 0)) throw tampered();
    const tree = treeOf(from);
    await growTo(statements, tree, size);
    if (last?.size === size) {
      if (!readCheckpoint(last.note)?.root.equals(tree.root())) throw tampered();
      return { note: last.note, size, added, skipped };
    }
    const note = writeCheckpoint({ size, root: tree.root() }, signer);
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

async function lastCheckpoint(statements: Statements): Promise<StoredCheckpoint | undefined> {
  const [row] = await statements.query<Omit<StoredCheckpoint, 'size'> & { readonly size: string }>(
    'select size, note, peaks from paysession_ledger.checkpoints order by size desc limit 1',
  );
  return row && { ...row, size: Number(row.size) };
}

/** A checkpoint of the table, which has to be the one that was kept elsewhere. */
async function checkpointOf(statements: Statements, note: string): Promise<StoredCheckpoint> {
  const kept = readCheckpoint(note);
  const [row] = await statements.query<Pick<StoredCheckpoint, 'peaks'>>(
    'select peaks from paysession_ledger.checkpoints where size = $1',
    [kept?.size ?? -1],
  );
  if (kept === undefined || row === undefined) throw tampered();
  const stored = { size: kept.size, peaks: row.peaks, note };
  if (!treeOf(stored).root().equals(kept.root)) throw tampered();
  return stored;
}

/** Peaks of another length are nobody’s tree. */
function treeOf(stored: StoredCheckpoint | undefined): GrowingTree {
  try {
    return new GrowingTree(stored);
  } catch {
    throw tampered();
  }
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
    const leaves = await statements.query<{ leaf: Buffer }>(
      'select leaf from paysession_ledger.log where position >= $1 order by position limit $2',
      [tree.size, PAGE],
    );
    if (leaves.length === 0) throw tampered();
    for (const { leaf } of leaves) tree.append(leaf);
  }
}
