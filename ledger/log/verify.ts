import { hashOf, type HashedEntry } from '../entries/entry-hash';
import type { LedgerDatabase, Statements } from '../postgres/database';
import { differingSummaries } from './compare-summaries';
import { LastEntries } from './last-entries';
import { GrowingTree, leafHash } from './merkle';
import { logSize } from './sequencer';
import { isSignedBy, readCheckpoint, type Checkpoint } from './signed-note';

/** What a verification has to go on. */
export interface VerifyOptions {
  /** A checkpoint that was kept elsewhere, as a signed note: the log must have grown from it. */
  readonly since?: string | undefined;
  /**
   * Checks the signatures of checkpoints: `NAME+ID+KEY`, several where the signing key was changed. @default signatures are not checked
   */
  readonly verifierKey?: string | readonly string[] | undefined;
  /** Ends the verification: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Hears how many of all entries were looked at. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** What does not agree. */
export interface LedgerFault {
  readonly kind:
    /** An entry is not what it was when it was written. */
    | 'edited'
    /** An entry, or its place in the log, is gone. */
    | 'deleted'
    /** An entry has no place in the log and waits for none, or a session's entries do not follow each other. */
    | 'inserted'
    /** The log is another one than that of a checkpoint. */
    | 'rewritten'
    /** The log has fewer entries than a checkpoint. */
    | 'rolledBack'
    /** A checkpoint is not signed with the key, or is no checkpoint. */
    | 'forged'
    /** The summary of a claim is not what the entries say. */
    | 'summary';
  /** What was found, in words. */
  readonly message: string;
  /** The first entry that differs, where that is known. */
  readonly entry?: { readonly environment: string; readonly key: string; readonly number: number };
  /** Its place in the log, from 0. */
  readonly position?: number;
  /** The claim whose summary differs. */
  readonly claim?: { readonly environment: string; readonly key: string; readonly claim: number };
}

/** What a verification has found. */
export interface VerifiedLedger {
  /** How many entries have a place in the log. */
  readonly entries: number;
  /** How many of these are covered by a checkpoint. */
  readonly covered: number;
  /** How many wait for a place: no checkpoint covers them yet. */
  readonly waiting: number;
  /** How many checkpoints were compared. */
  readonly checkpoints: number;
  /** The first fault; absent where all agrees. */
  readonly fault?: LedgerFault;
}

/** Entries are read so many at a time. */
const PAGE = 1_000;

/** Compares all entries with their hashes, their sessions' chains, the log and its checkpoints. Changes nothing. */
export async function verifyLedger(
  database: LedgerDatabase,
  options: VerifyOptions = {},
): Promise<VerifiedLedger> {
  return database.snapshot((statements) => verifyWith(statements, options));
}

/** The same in a transaction of the caller. */
export function verifyWith(statements: Statements, options: VerifyOptions): Promise<VerifiedLedger> {
  return new Verification(statements, options).run();
}

interface EntryRow extends Omit<HashedEntry, 'at' | 'recordedAt' | 'number' | 'previous'> {
  readonly previous: Buffer;
  readonly position: string;
  readonly leaf: Buffer;
  /** Null where the entry is gone. */
  readonly number: number | null;
  readonly logged: number;
  readonly at: Date;
  readonly recorded_at: Date;
  readonly hash: Buffer;
}

/** A checkpoint that the log is compared with once it has grown so far. */
interface Compared extends Checkpoint {
  readonly isKeptElsewhere: boolean;
}

class Verification {
  readonly #statements: Statements;
  readonly #options: VerifyOptions;
  readonly #tree = new GrowingTree();
  #last = new LastEntries();
  #compared = 0;
  #covered = 0;

  constructor(statements: Statements, options: VerifyOptions) {
    this.#statements = statements;
    this.#options = options;
  }

  async run(): Promise<VerifiedLedger> {
    const total = await logSize(this.#statements);
    const checkpoints = await this.#checkpoints();
    const fault =
      'kind' in checkpoints
        ? checkpoints
        : ((await this.#walk(checkpoints, total)) ??
          (await this.#walkWaiting()) ??
          (await this.#compareSummaries()));
    const [waiting] = await this.#statements.query<{ count: string }>(
      'select count(*) as count from paysession_ledger.unsequenced',
    );
    return {
      entries: this.#tree.size,
      covered: this.#covered,
      waiting: Number(waiting?.count ?? 0),
      checkpoints: this.#compared,
      ...(fault && { fault }),
    };
  }

  /** The checkpoints of the table and the one that was kept elsewhere, the smallest first. */
  async #checkpoints(): Promise<readonly Compared[] | LedgerFault> {
    const { since, verifierKey } = this.#options;
    const rows = await this.#statements.query<{ note: string; size: string }>(
      'select note, size from paysession_ledger.checkpoints order by size',
    );
    const kept = since === undefined ? [] : [{ note: since, size: undefined }];
    const all: Compared[] = [];
    for (const { note, size } of [...kept, ...rows]) {
      const isKeptElsewhere = size === undefined;
      const checkpoint = readCheckpoint(note);
      const whose = isKeptElsewhere ? 'The checkpoint that was given' : `The checkpoint of ${size} entries`;
      if (checkpoint === undefined || (size !== undefined && checkpoint.size !== Number(size)))
        return { kind: 'forged', message: `${whose} is no checkpoint.` };
      if (verifierKey !== undefined && ![verifierKey].flat().some((one) => isSignedBy(note, one)))
        return { kind: 'forged', message: `${whose} is not signed with the key.` };
      all.push({ ...checkpoint, isKeptElsewhere });
    }
    return all.sort((one, other) => one.size - other.size);
  }

  async #walk(checkpoints: readonly Compared[], total: number): Promise<LedgerFault | undefined> {
    const ahead = [...checkpoints];
    const atFirst = this.#compare(ahead);
    if (atFirst !== undefined) return atFirst;
    for (;;) {
      this.#options.signal?.throwIfAborted();
      const page = await this.#page();
      for (const row of page) {
        const fault = this.#look(row) ?? this.#grow(row, ahead);
        if (fault !== undefined) return fault;
      }
      this.#options.onProgress?.(this.#tree.size, total);
      if (page.length < PAGE) break;
    }
    const [beyond] = ahead;
    return beyond && rolledBack(beyond, this.#tree.size);
  }

  #page(): Promise<EntryRow[]> {
    return this.#statements.query<EntryRow>(
      `select log.position, log.leaf, log.environment, log.key, log.number as logged, entries.number, entries.id, entries.kind,
          entries.claim, entries.at, entries.recorded_at, entries.body, entries.sealed, entries.previous, entries.hash
        from paysession_ledger.log left join paysession_ledger.entries using (environment, key, number)
        where position >= $1 order by position limit $2`,
      [this.#tree.size, PAGE],
    );
  }

  /** What is wrong with an entry and its place. */
  #look(row: EntryRow): LedgerFault | undefined {
    const { environment, key, logged, leaf, hash } = row;
    const position = Number(row.position);
    const entry = { environment, key, number: logged };
    if (position !== this.#tree.size)
      return { kind: 'deleted', message: 'A place in the log is gone.', position: this.#tree.size };
    if (row.number === null) return { kind: 'deleted', message: 'An entry is gone.', entry, position };
    const fault = this.#lookAtChain({ ...row, number: row.number });
    if (fault !== undefined) return { ...fault, position };
    if (leafHash(hash).equals(leaf)) return undefined;
    return {
      kind: 'edited',
      message: 'An entry is not the one that got its place in the log.',
      entry,
      position,
    };
  }

  /** What is wrong with an entry by itself and in its session. */
  #lookAtChain(row: Omit<EntryRow, 'number'> & { readonly number: number }): LedgerFault | undefined {
    const { environment, key, number, hash } = row;
    const entry = { environment, key, number };
    const name = JSON.stringify([environment, key]);
    const times = { at: row.at.toISOString(), recordedAt: row.recorded_at.toISOString() };
    if (!hashOf({ ...row, ...times }).equals(hash))
      return { kind: 'edited', message: 'An entry was changed after it was written.', entry };
    if (!this.#last.isFollowedBy(name, number, row.previous))
      return {
        kind: 'inserted',
        message: 'An entry does not follow the one before it in its session.',
        entry,
      };
    this.#last.set(name, number, hash);
    return undefined;
  }

  #grow(row: EntryRow, ahead: Compared[]): LedgerFault | undefined {
    this.#tree.append(row.leaf);
    return this.#compare(ahead);
  }

  /** Compares the tree with the checkpoints of its size. */
  #compare(ahead: Compared[]): LedgerFault | undefined {
    for (let next = ahead[0]; next?.size === this.#tree.size; next = ahead[0]) {
      ahead.shift();
      if (!next.root.equals(this.#tree.root())) return rewritten(next, this.#covered);
      this.#compared += 1;
      this.#covered = next.size;
    }
    return undefined;
  }

  /** The entries that have no place yet, and those that ought to have one. */
  async #walkWaiting(): Promise<LedgerFault | undefined> {
    let after: readonly [string, string, number] = ['', '', 0];
    for (;;) {
      const page = await this.#statements.query<
        Omit<EntryRow, 'number'> & { readonly number: number; readonly waits: boolean }
      >(
        `select entries.*, unsequenced.number is not null as waits
          from paysession_ledger.entries
          left join paysession_ledger.log using (environment, key, number)
          left join paysession_ledger.unsequenced using (environment, key, number)
          where log.position is null and (environment, key, number) > ($1, $2, $3)
          order by environment, key, number limit $4`,
        [...after, PAGE],
      );
      for (const row of page) {
        const { environment, key, number, waits } = row;
        const entry = { environment, key, number };
        if (!waits)
          return { kind: 'inserted', message: 'An entry has no place in the log and waits for none.', entry };
        const fault = this.#lookAtChain(row);
        if (fault !== undefined) return fault;
        after = [environment, key, number];
      }
      if (page.length < PAGE) return undefined;
    }
  }

  async #compareSummaries(): Promise<LedgerFault | undefined> {
    // It takes much room, and is not needed any more.
    this.#last = new LastEntries();
    const { signal } = this.#options;
    for await (const claim of differingSummaries(this.#statements, signal))
      return { kind: 'summary', message: 'The summary of a claim is not what its entries say.', claim };
    return undefined;
  }
}

function rewritten({ size, isKeptElsewhere }: Compared, agreedTo: number): LedgerFault {
  const whose = isKeptElsewhere ? 'the checkpoint that was given' : `the checkpoint of ${size} entries`;
  const message = `The log differs from ${whose}: an entry from place ${agreedTo} on, before ${size}, is another one.`;
  return { kind: 'rewritten', message, position: agreedTo };
}

function rolledBack({ size, isKeptElsewhere }: Compared, entries: number): LedgerFault {
  const whose = isKeptElsewhere ? 'the checkpoint that was given' : 'a checkpoint';
  const message = `The log has ${entries} entries, and ${whose} has ${size}: the last ones are gone.`;
  return { kind: 'rolledBack', message, position: entries };
}
