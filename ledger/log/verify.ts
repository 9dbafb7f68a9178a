import { hashOf, type HashedEntry } from '../entry-hash';
import { type LedgerDatabase, type Statements, isoOf } from '../postgres/database';
import { isCorrupted } from '../postgres/failures';
import { schemaFault } from '../postgres/compare-schema';
import { ComparedCheckpoints, type CheckpointOptions } from './compare-checkpoints';
import { summaryFaults, sessionKeyFault, unmatchedLineFault, webhookFault } from './compare-tables';
import type { LedgerFault } from './fault';
import { GrowingTree, leafHash } from './merkle';

/**
 * Verifies the ledger. Each session key has a chain of entries: every entry has the hash of the previous one. The log is a Merkle tree of all
 * entries. An entry that has no place in the log yet waits in the table `unsequenced`. A checkpoint is a signed note about the log.
 */

/** Options of a verification. */
export interface VerifyOptions extends CheckpointOptions {
  /** Aborts the verification. It then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of entries checked so far, and the number of all entries in the log. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The result of a verification. */
export interface VerifiedLedger {
  /** The number of entries in the log that were checked. If there is a fault, the check may have ended before the last entry. */
  readonly entries: number;
  /** The number of checked entries that a checkpoint covers. */
  readonly covered: number;
  /** The number of entries that wait for a place in the log. No checkpoint covers them yet. */
  readonly waiting: number;
  /** The number of checkpoints that agree with the log. */
  readonly checkpoints: number;
  /** The fault that was found. If there are several, one of them. Absent if there is none. */
  readonly fault?: LedgerFault;
}

const NOTHING = { entries: 0, covered: 0, waiting: 0, checkpoints: 0 };

/** The maximum number of entries that one statement reads. */
const PAGE = 1_000;

/**
 * Verifies all entries and their chains, the log and its checkpoints, the tables that are derived from the entries, and the schema. Changes
 * nothing. An unreadable value is reported as a fault and does not throw.
 *
 * @throws {@link PaysessionError} `LEDGER_UNAVAILABLE` if the server does not answer
 */
export async function verifyLedger(
  database: LedgerDatabase,
  options: VerifyOptions = {},
): Promise<VerifiedLedger> {
  try {
    return await database.snapshot((statements) => verifyWith(statements, options));
  } catch (error) {
    if (!isCorrupted(error)) throw error;
    const fault: LedgerFault = {
      kind: 'unreadable',
      message: 'The server cannot read the rows that it has stored.',
    };
    return { ...NOTHING, fault };
  }
}

/** Verifies the ledger within the caller's transaction. */
export function verifyWith(statements: Statements, options: VerifyOptions): Promise<VerifiedLedger> {
  return new Verification(statements, options).run();
}

/** An entry as it is stored. Its times are texts in PostgreSQL's format. */
interface StoredEntry extends Omit<HashedEntry, 'recordedAt' | 'previous'> {
  readonly recorded_at: string;
  readonly previous: Buffer;
  readonly hash: Buffer;
}

/** A place in the log, and the entry at that place. If the entry is gone, the entry's members are null. */
interface PlacedEntry extends Omit<StoredEntry, 'number'> {
  readonly position: string;
  readonly leaf: Buffer;
  readonly logged: number;
  readonly number: number | null;
}

/** Numbers of rows: places in the log, waiting entries, and all entries. */
interface Counts {
  readonly placed: number;
  readonly waiting: number;
  readonly entries: number;
}

const FIELDS = `entries.number, entries.id, entries.kind, entries.claim, entries.at::text, entries.recorded_at::text, entries.body, entries.sealed,
  entries.previous, entries.hash`;

class Verification {
  readonly #statements: Statements;
  readonly #options: VerifyOptions;
  readonly #tree = new GrowingTree();
  #last = new LastEntries();

  constructor(statements: Statements, options: VerifyOptions) {
    this.#statements = statements;
    this.#options = options;
  }

  async run(): Promise<VerifiedLedger> {
    // With this search path, PostgreSQL's own functions are used. The database's owner could have made functions of the same names elsewhere.
    await this.#statements.query('set local search_path to pg_catalog, pg_temp');
    const schema = await schemaFault(this.#statements);
    if (schema?.isUnreadable === true) return { ...NOTHING, fault: schema.fault };
    const counts = await this.#count();
    const checkpoints = await ComparedCheckpoints.read(this.#statements, this.#options);
    const isFault = 'kind' in checkpoints;
    const fault = isFault
      ? checkpoints
      : ((await this.#walk(checkpoints, counts)) ??
        (await this.#walkWaiting()) ??
        (await this.#findStray(counts)) ??
        (await this.#compareDerived()) ??
        schema?.fault);
    return {
      entries: this.#tree.size,
      covered: isFault ? 0 : checkpoints.covered,
      waiting: counts.waiting,
      checkpoints: isFault ? 0 : checkpoints.compared,
      ...(fault && { fault }),
    };
  }

  async #count(): Promise<Counts> {
    const [row] = await this.#statements.query<Readonly<Record<keyof Counts, string>>>(
      `select (select count(*) from paysession_ledger.log) as placed, (select count(*) from paysession_ledger.unsequenced) as waiting,
        (select count(*) from paysession_ledger.entries) as entries`,
    );
    const { placed = 0, waiting = 0, entries = 0 } = row ?? {};
    return { placed: Number(placed), waiting: Number(waiting), entries: Number(entries) };
  }

  async #walk(checkpoints: ComparedCheckpoints, { placed }: Counts): Promise<LedgerFault | undefined> {
    const atFirst = checkpoints.compare(this.#tree);
    if (atFirst !== undefined) return atFirst;
    for (;;) {
      this.#options.signal?.throwIfAborted();
      const page = await this.#page();
      for (const row of page) {
        const fault = this.#faultOf(row);
        if (fault !== undefined) return fault;
        this.#tree.append(row.leaf);
        const differing = checkpoints.compare(this.#tree);
        if (differing !== undefined) return differing;
      }
      this.#options.onProgress?.(this.#tree.size, placed);
      if (page.length < PAGE) break;
    }
    return checkpoints.end(this.#tree.size) ?? (await this.#findOutside(placed));
  }

  #page(): Promise<PlacedEntry[]> {
    return this.#statements.query<PlacedEntry>(
      `select log.position, log.leaf, log.environment, log.key, log.number as logged, ${FIELDS}
        from paysession_ledger.log left join paysession_ledger.entries using (environment, key, number)
        where position >= $1 order by position limit $2`,
      [this.#tree.size, PAGE],
    );
  }

  /** Returns the fault of an entry or of its place in the log. */
  #faultOf(row: PlacedEntry): LedgerFault | undefined {
    const { environment, key, logged, leaf, hash } = row;
    const position = Number(row.position);
    const entry = { environment, key, number: logged };
    if (position < this.#tree.size)
      return { kind: 'inserted', message: 'A place in the log exists twice.', entry, position };
    if (position !== this.#tree.size)
      return { kind: 'deleted', message: 'A place in the log is gone.', position: this.#tree.size };
    if (row.number === null) return { kind: 'deleted', message: 'An entry is gone.', entry, position };
    const fault = this.#chainFaultOf({ ...row, number: row.number });
    if (fault !== undefined) return { ...fault, position };
    if (leafHash(hash).equals(leaf)) return undefined;
    const message = 'An entry is not the one that got its place in the log.';
    return { kind: 'edited', message, entry, position };
  }

  /** Returns the fault of an entry itself, or of its place in its session's chain. */
  #chainFaultOf(row: StoredEntry): LedgerFault | undefined {
    const { environment, key, number, hash } = row;
    const entry = { environment, key, number };
    const name = JSON.stringify([environment, key]);
    const [at, recordedAt] = [isoOf(row.at), isoOf(row.recorded_at)];
    if (at === undefined || recordedAt === undefined)
      return {
        kind: 'unreadable',
        message: 'A time of an entry is not one that a writer could have stored.',
        entry,
      };
    if (!hashOf({ ...row, at, recordedAt }).equals(hash))
      return { kind: 'edited', message: 'An entry was changed after it was written.', entry };
    if (!this.#last.isFollowedBy(name, number, row.previous)) {
      const message = 'An entry does not follow the one before it in its session.';
      return { kind: 'inserted', message, entry };
    }
    this.#last.set(name, number, hash);
    return undefined;
  }

  /** Finds a row of the log with a negative place. There is one if the log has more rows than places. */
  async #findOutside(placed: number): Promise<LedgerFault | undefined> {
    if (placed === this.#tree.size) return undefined;
    const [row] = await this.#statements.query<Named & { readonly position: string }>(
      'select position, environment, key, number from paysession_ledger.log where position < 0 order by position limit 1',
    );
    const message = `The log has ${placed} rows for ${this.#tree.size} places.`;
    return { kind: 'inserted', message, ...(row && { entry: named(row), position: Number(row.position) }) };
  }

  /** Checks the entries that have no place in the log. Such an entry must wait for a place. */
  async #walkWaiting(): Promise<LedgerFault | undefined> {
    let after: readonly [string, string, number] = ['', '', 0];
    for (;;) {
      this.#options.signal?.throwIfAborted();
      const page = await this.#statements.query<StoredEntry & { readonly waits: boolean }>(
        `select environment, key, ${FIELDS}, unsequenced.number is not null as waits
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
        const fault = this.#chainFaultOf(row);
        if (fault !== undefined) return fault;
        after = [environment, key, number];
      }
      if (page.length < PAGE) return undefined;
    }
  }

  /** Finds waiting rows whose entry is gone or already has a place. Then compares the numbers of rows. */
  async #findStray({ placed, waiting, entries }: Counts): Promise<LedgerFault | undefined> {
    const [row] = await this.#statements.query<Named>(
      `select waits.environment, waits.key, waits.number from paysession_ledger.unsequenced waits
        left join paysession_ledger.entries using (environment, key, number)
        left join paysession_ledger.log using (environment, key, number)
        where entries.hash is null or log.position is not null limit 1`,
    );
    if (row !== undefined) {
      const message = 'A row waits for a place in the log, but its entry is gone or has a place already.';
      return { kind: 'inserted', message, entry: named(row) };
    }
    if (entries === placed + waiting) return undefined;
    const message = `There are ${entries} entries, of which ${placed} have a place in the log and ${waiting} wait for one.`;
    return { kind: 'inserted', message };
  }

  /** Compares the tables that are derived from the entries, and the unmatched lines. */
  async #compareDerived(): Promise<LedgerFault | undefined> {
    // The last entries are not needed any more. This frees their memory.
    this.#last = new LastEntries();
    const { signal } = this.#options;
    for await (const fault of summaryFaults(this.#statements, signal)) return fault;
    return (
      (await sessionKeyFault(this.#statements)) ??
      (await webhookFault(this.#statements)) ??
      unmatchedLineFault(this.#statements, signal)
    );
  }
}

type Named = Required<LedgerFault>['entry'];
const named = ({ environment, key, number }: Named): Named => ({ environment, key, number });

const HASH_BYTES = 32;
const NUMBER_BYTES = 4;
const ENTRY_BYTES = NUMBER_BYTES + HASH_BYTES;
const AT_FIRST = 1_024;

/** The number and the hash of each session's last entry. They are packed in one buffer, because millions of objects would take much more memory. */
export class LastEntries {
  /** The place of a session's last entry in the buffer, by the name of the session. */
  readonly #places = new Map<string, number>();
  #bytes = Buffer.alloc(AT_FIRST * ENTRY_BYTES);

  /**
   * True if an entry with this number and this previous hash can be the session's next entry. A first entry has no previous hash. In its place
   * is a commitment to the session's encryption key, of which only the length is checked.
   */
  isFollowedBy(session: string, number: number, previous: Uint8Array): boolean {
    const place = this.#places.get(session);
    if (place === undefined) return number === 1 && previous.length === HASH_BYTES;
    const at = place * ENTRY_BYTES;
    if (number !== this.#bytes.readUInt32BE(at) + 1) return false;
    return this.#bytes.subarray(at + NUMBER_BYTES, at + ENTRY_BYTES).equals(previous);
  }

  /** @param hash 32 bytes */
  set(session: string, number: number, hash: Uint8Array): void {
    const place = this.#places.get(session) ?? this.#places.size;
    this.#places.set(session, place);
    const at = place * ENTRY_BYTES;
    if (at === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(at)]);
    this.#bytes.writeUInt32BE(number, at);
    this.#bytes.set(hash, at + NUMBER_BYTES);
  }
}
