import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { isPaysessionError } from '../../src/errors';
import type { EntryLog } from '../entry-log';
import { findCandidates, type Candidates } from './candidates';
import { moneyOf, type FileLine } from './file-line';
import {
  candidatesOf,
  findSession,
  judgeLine,
  type Candidate,
  type Judged,
  type MatchScope,
  type ReconciledLine,
} from './match';
import { inBatches, readFile, type FileLayout, type ReadLine, type TextPieces } from './read-file';
import { LineIds, RunRecord, type KeptIn } from './unmatched-lines';

/** Options of `PaymentLedger.reconcile`. */
export interface ReconcileOptions extends FileLayout {
  /** The account that the file belongs to: sessions of other accounts are not matched. @default sessions of all accounts are matched */
  readonly account?: string | undefined;
  /** Records nothing: `recorded` then marks the lines that would be recorded. @default false */
  readonly dryRun?: boolean | undefined;
  /** Identifies the run in `ledger.unmatched.runs`. @default a random UUID */
  readonly runId?: string | undefined;
}

/** The ledger in which lines are searched and recorded. */
export interface ReconciledLedger extends KeptIn {
  readonly log: EntryLog;
}

/** The maximum number of lines that one step reads and matches. */
const BATCH = 500;
/** The maximum number of sessions whose lines are written at the same time: their writes wait for the disk together. */
const AT_ONCE = 8;
/** The maximum number of returns that wait for the end of their file. */
const MOST_HELD = 10_000;

/**
 * Matches each line of a file with a session and records the line there, or reports why not and keeps the line. A line that is already
 * recorded or kept is not added again, so a stopped run may be repeated. A session's settlement is recorded before its return, even if the
 * return comes first in the file, unless more than 10,000 returns wait for their settlements.
 *
 * @throws `PaysessionError` `INVALID_FILE`, before anything is recorded, if the file is empty, or its titles are unreadable, missing or
 * repeated
 */
export async function* reconcile(
  ledger: ReconciledLedger,
  file: TextPieces,
  options: ReconcileOptions,
): AsyncGenerator<ReconciledLine> {
  const run = new Run(ledger, options);
  let before: readonly ReadLine[] | undefined;
  for await (const lines of inBatches(readFile(file, options), BATCH)) {
    if (before !== undefined) yield* run.take(before);
    before = lines;
  }
  yield* run.take(before ?? [], { isLast: true });
}

/** The reconciliation of one file. */
class Run {
  readonly #ledger: ReconciledLedger;
  readonly #options: ReconcileOptions;
  /** The first line of this file for each fact of a session. */
  readonly #firstLines = new Map<string, number>();
  /** Returns of sessions that have not settled. The settlement may come later in the file. */
  readonly #held: Matched[] = [];
  readonly #ids: LineIds;
  /** Absent if nothing is recorded. */
  readonly #record: RunRecord | undefined;

  constructor(ledger: ReconciledLedger, options: ReconcileOptions) {
    this.#ledger = ledger;
    this.#options = options;
    const { dryRun, name: file = 'the file', runId: id = randomUUID(), account } = options;
    this.#ids = new LineIds(account);
    if (dryRun !== true) this.#record = new RunRecord(ledger, { id, file, account });
  }

  /**
   * Records lines, and keeps those that are not matched. Yields their outcomes. A later call yields the outcomes of returns that wait. If a
   * line cannot be recorded, yields the outcomes of the lines that were, and then throws.
   */
  async *take(lines: readonly ReadLine[], { isLast = false } = {}): AsyncGenerator<ReconciledLine> {
    const done: ReconciledLine[] = [];
    try {
      await this.#take(lines, isLast, done);
      await this.#record?.add(done, { isLast });
    } finally {
      yield* done.toSorted((one, other) => one.line - other.line);
    }
  }

  async #take(lines: readonly ReadLine[], isLast: boolean, done: ReconciledLine[]): Promise<void> {
    const scope = { account: this.#options.account, nowMs: this.#ledger.now() };
    const asked = lines.flatMap((line) => ('says' in line ? [line.says] : []));
    const candidates = await findCandidates(this.#ledger, asked, scope);
    const matched = lines.map((line) => this.#match(line, candidates, scope));
    const due: Matched[] = [];
    for (const one of matched) (this.#isEarly(one) ? this.#held : due).push(one);
    if (isLast || this.#held.length > MOST_HELD) due.push(...this.#held.splice(0));
    const failures: unknown[] = [];
    await Readable.from(bySession(due)).forEach(
      async (group: readonly Matched[]) => {
        // After a failure, only the groups that have begun are finished.
        if (failures.length > 0) return;
        try {
          for (const one of group) done.push(await this.#recordLine(one, scope));
        } catch (error) {
          failures.push(error);
        }
      },
      { concurrency: AT_ONCE },
    );
    if (failures.length > 0) throw failures[0];
  }

  /** Matches a line. Lines must come in the order of the file: the second of two equal lines is reported as a duplicate. */
  #match(read: ReadLine, candidates: Candidates, scope: MatchScope): Matched {
    const { line } = read;
    if ('wrong' in read) return { line, id: this.#ids.of(read.cells), judged: read.wrong };
    const { says } = read;
    const id = this.#ids.of(says);
    const session = findSession(says, candidates.of(says), scope);
    if ('reason' in session) return { line, id, says, judged: session };
    const judged = judgeLine(says, session, scope);
    return {
      line,
      id,
      says,
      session,
      judged: 'reason' in judged ? judged : this.#once(line, says, session, judged),
    };
  }

  #once(line: number, { kind }: FileLine, session: Candidate, judged: Judged): Judged {
    const before = this.#firstLines.get(nameOf(kind, session));
    if (before !== undefined) return { reason: 'twice', detail: `line ${before} of this file reports it` };
    this.#firstLines.set(nameOf(kind, session), line);
    return judged;
  }

  /** True if a line is a return whose settlement is neither in the ledger nor in the file so far. */
  #isEarly({ says, session, judged }: Matched): boolean {
    if (!isNew(judged) || says?.kind !== 'returned' || session === undefined) return false;
    return session.settledAt === undefined && !this.#firstLines.has(nameOf('settled', session));
  }

  async #recordLine(matched: Matched, scope: MatchScope): Promise<ReconciledLine> {
    const { judged: first, session, ...line } = matched;
    const isRecorded = isNew(first) && this.#options.dryRun !== true;
    const judged =
      isRecorded && session && line.says
        ? await this.#append(session, line.says, scope).catch(unlessTampered)
        : first;
    const known = {
      ...line,
      ...(session && { key: session.key, account: session.account, direction: session.direction }),
    };
    if ('reason' in judged) return { ...known, outcome: 'unmatched', ...judged };
    return { ...known, outcome: isNew(judged) ? 'recorded' : 'known' };
  }

  /** Judges a line again with the session's current facts, since another process may have recorded some in between. Adds it if it is still new. */
  async #append(session: Candidate, says: FileLine, scope: MatchScope): Promise<Judged> {
    const { answer } = await this.#ledger.log.append(session.key, (claims) => {
      const now = candidatesOf(session.key, claims, says);
      // If the line has a session id, that session may belong to another claim now.
      const found = findSession(
        says,
        says.sessionId === undefined ? now.filter(({ claim }) => claim === session.claim) : now,
        scope,
      );
      const judged = 'reason' in found ? found : judgeLine(says, found, scope);
      const add = 'claim' in found && isNew(judged) ? [{ claim: found.claim, fact: moneyOf(says) }] : [];
      return { add, answer: judged };
    });
    return answer;
  }
}

/** Returns `tampered` for a session that was changed in the ledger, so that the session does not stop the file. Throws all other errors. */
function unlessTampered(error: unknown): Judged {
  if (!isPaysessionError(error, 'LEDGER_TAMPERED')) throw error;
  return { reason: 'tampered', detail: 'the session’s entries were changed in the ledger' };
}

const isNew = (judged: Judged): boolean => 'outcome' in judged && judged.outcome === 'new';

const nameOf = (kind: FileLine['kind'], { key, claim }: Candidate): string => `${kind} ${claim} ${key}`;

/** A line, and the session that it means. */
interface Matched {
  readonly line: number;
  readonly id: string;
  readonly says?: FileLine;
  readonly session?: Candidate;
  readonly judged: Judged;
}

/** Groups lines by key, each settlement before its return. A line without a session is a group of its own. */
function bySession(lines: readonly Matched[]): readonly (readonly Matched[])[] {
  const groups = new Map<string | number, Matched[]>();
  for (const one of lines) {
    const name = one.session?.key ?? one.line;
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  const place = ({ says }: Matched) => (says?.kind === 'returned' ? 1 : 0);
  return [...groups.values()].map((group) =>
    group.toSorted((one, other) => place(one) - place(other) || one.line - other.line),
  );
}
