import type { Statements } from '../postgres/database';
import type { LedgerFault } from './fault';
import type { GrowingTree } from './merkle';
import { isSignedBy, readCheckpoint, type Checkpoint } from './signed-note';

/** Checkpoints to compare the log with. A checkpoint is a signed note with the log's size and its root hash. */
export interface CheckpointOptions {
  /** Checkpoints that you kept outside the database, as signed notes. The log must have grown from each of them. */
  readonly since?: string | readonly string[] | undefined;
  /**
   * The key with which to verify the signatures of checkpoints, in the form `NAME+ID+KEY`. If the signing key was changed, pass the keys of
   * all signers. @default signatures are not verified
   */
  readonly verifierKey?: string | readonly string[] | undefined;
}

interface Compared extends Checkpoint {
  /** The tree's peaks (the roots of its complete subtrees), from the table. Absent if the caller passed the checkpoint. */
  readonly peaks?: Buffer;
}

/** A checkpoint from the table, or one that the caller passed. The latter has only a note. */
interface Row {
  readonly note: string;
  readonly size?: string;
  readonly peaks?: Buffer;
}

/** Compares a growing tree with all checkpoints: those in the table, and those that the caller passed. */
export class ComparedCheckpoints {
  readonly #all: readonly Compared[];
  /** The number of checkpoints that agree with the tree so far. */
  compared = 0;
  /** The number of entries that these checkpoints cover. */
  covered = 0;

  private constructor(all: readonly Compared[]) {
    this.#all = all;
  }

  /**
   * Reads the checkpoints from the table and those that the caller passed. Returns a fault instead if a checkpoint is invalid, is not signed
   * with one of the keys, or contradicts another checkpoint.
   */
  static async read(
    statements: Statements,
    { since = [], verifierKey }: CheckpointOptions,
  ): Promise<ComparedCheckpoints | LedgerFault> {
    const rows = await statements.query<Row>(
      'select note, size, peaks from paysession_ledger.checkpoints order by size',
    );
    const keys = verifierKey === undefined ? undefined : [verifierKey].flat();
    const passed = [since].flat().map((note): Row => ({ note }));
    const read = [...passed, ...rows].map((row) => comparedOf(row, keys));
    const fault = read.find((one) => 'kind' in one);
    if (fault !== undefined) return fault;
    const all = read
      .flatMap((one) => ('kind' in one ? [] : [one]))
      .sort((one, other) => one.size - other.size);
    const second = all.find((one, index) => {
      const before = all[index - 1];
      return before?.size === one.size && !before.root.equals(one.root);
    });
    return second === undefined ? new ComparedCheckpoints(all) : contradiction(second.size);
  }

  /** Compares the tree with the checkpoints of its size. Call this method for each size of the tree, the smallest first. */
  compare(tree: GrowingTree): LedgerFault | undefined {
    for (let next = this.#next; next?.size === tree.size; next = this.#next) {
      if (!next.root.equals(tree.root())) return rewritten(next, this.covered);
      if (next.peaks !== undefined && !next.peaks.equals(tree.peaks)) return wrongPeaks(next.size);
      this.compared += 1;
      this.covered = next.size;
    }
    return undefined;
  }

  /**
   * Ends the comparison. Returns a fault if a checkpoint covers more entries than the log has, or if a checkpoint that the caller passed is
   * not in the table.
   */
  end(size: number): LedgerFault | undefined {
    if (this.#next !== undefined) return rolledBack(this.#next, size);
    const stored = new Set(this.#all.filter(isStored).map((one) => one.size));
    const gone = this.#all.find((one) => !stored.has(one.size));
    return gone && { kind: 'deleted', message: `${whose(gone)} is gone from the ledger.` };
  }

  get #next(): Compared | undefined {
    return this.#all[this.compared];
  }
}

const isStored = ({ peaks }: Compared): boolean => peaks !== undefined;

function comparedOf({ note, size, peaks }: Row, keys: readonly string[] | undefined): Compared | LedgerFault {
  const checkpoint = readCheckpoint(note);
  const named = size === undefined ? 'A checkpoint that was given' : `The checkpoint of ${size} entries`;
  if (checkpoint === undefined || (size !== undefined && String(checkpoint.size) !== size))
    return { kind: 'forged', message: `${named} is invalid.` };
  if (keys !== undefined && !keys.some((key) => isSignedBy(note, key)))
    return { kind: 'forged', message: `${named} is not signed with one of the keys.` };
  return { ...checkpoint, ...(peaks && { peaks }) };
}

const whose = (checkpoint: Compared): string =>
  isStored(checkpoint)
    ? `The checkpoint of ${checkpoint.size} entries`
    : `The given checkpoint of ${checkpoint.size} entries`;

function contradiction(size: number): LedgerFault {
  return { kind: 'rewritten', message: `Two checkpoints of ${size} entries contradict each other.` };
}

function rewritten(checkpoint: Compared, agreedTo: number): LedgerFault {
  const { size } = checkpoint;
  const message = `${whose(checkpoint)} is about another log: an entry at place ${agreedTo} or later, before place ${size}, was changed.`;
  return { kind: 'rewritten', message, position: agreedTo };
}

function wrongPeaks(size: number): LedgerFault {
  return { kind: 'forged', message: `The checkpoint of ${size} entries has the peaks of another tree.` };
}

function rolledBack(checkpoint: Compared, entries: number): LedgerFault {
  const message = `${whose(checkpoint)} covers more entries than the log, which has ${entries}: the last entries are gone.`;
  return { kind: 'rolledBack', message, position: entries };
}
