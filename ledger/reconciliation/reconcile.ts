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
  /** The account to which the file belongs. Sessions of other accounts are not matched. @default sessions of all accounts are matched */
  readonly account?: string | undefined;
  /** True to record nothing. The outcome `recorded` then means that the line would be recorded. @default false */
  readonly dryRun?: boolean | undefined;
  /** The id of this run in `ledger.unmatched.runs`. A run is one reading of a file. @default a random UUID */
  readonly runId?: string | undefined;
}

/** The ledger in which lines are searched and recorded. */
export interface ReconciledLedger extends KeptIn {
  readonly log: EntryLog;
}

/** The maximum number of lines that one step reads and matches. */
const BATCH = 500;
/** The maximum number of sessions whose lines are written at the same time. This is faster, because their writes share waits for the disk. */
const AT_ONCE = 8;
/** The maximum number of returns that are held back until the end of their file, because their settlements may come later in the file. */
const MOST_HELD = 10_000;

/**
 * Matches each line of a file with a session, and adds an entry for the line to the session. If a line matches no session, keeps the line and
 * yields the reason. A line that is already recorded or kept is not added again. So a run that was stopped can be repeated.
 *
 * A session's settlement is recorded before its return, even if the return comes first in the file. There is one exception: if more than 10,000
 * returns wait for their settlements, they are recorded at once.
 *
 * @throws `PaysessionError` `INVALID_FILE` if the file is empty, or its column titles are unreadable, missing or repeated. Nothing is recorded
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
  /** For each settlement and return of a session, the number of the first line in this file that reports it. */
  readonly #firstLines = new Map<string, number>();
  /** Returns that are held back, because the session has not settled. Its settlement may come later in the file. */
  readonly #held: Matched[] = [];
  readonly #ids: LineIds;
  /** Records the run and its unmatched lines. Absent in a dry run. */
  readonly #record: RunRecord | undefined;

  constructor(ledger: ReconciledLedger, options: ReconcileOptions) {
    this.#ledger = ledger;
    this.#options = options;
    const { dryRun, name: file = 'the file', runId: id = randomUUID(), account } = options;
    this.#ids = new LineIds(account);
    if (dryRun !== true) this.#record = new RunRecord(ledger, { id, file, account });
  }

  /**
   * Records lines, keeps the unmatched ones, and yields the outcomes. The outcome of a return that is held back comes in a later call. If a line
   * cannot be recorded, yields the outcomes of the lines that were recorded, and then throws.
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
        // After a failure, no further group begins.
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

  /** Matches a line. Call it in the order of the file, because the second of two equal lines is reported as a duplicate. */
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

  /** True if a line is a return, and its settlement is still missing in the ledger and in the part of the file that was read. */
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

  /** Judges a line again with the session's current entries, because another process may have added some. Adds an entry if the line is still new. */
  async #append(session: Candidate, says: FileLine, scope: MatchScope): Promise<Judged> {
    const { answer } = await this.#ledger.log.append(session.key, (claims) => {
      const now = candidatesOf(session.key, claims, says);
      // Another claim may have the session now. So if the line has a session id, all claims of the key are searched.
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

/** Converts the error `LEDGER_TAMPERED` to an unmatched line, so that one such session does not stop the whole run. Throws all other errors. */
function unlessTampered(error: unknown): Judged {
  if (!isPaysessionError(error, 'LEDGER_TAMPERED')) throw error;
  return { reason: 'tampered', detail: 'the session’s entries were changed in the ledger' };
}

const isNew = (judged: Judged): boolean => 'outcome' in judged && judged.outcome === 'new';

const nameOf = (kind: FileLine['kind'], { key, claim }: Candidate): string => `${kind} ${claim} ${key}`;

/** A line, and the session that it matches, if any. */
interface Matched {
  readonly line: number;
  readonly id: string;
  readonly says?: FileLine;
  readonly session?: Candidate;
  readonly judged: Judged;
}

/** Groups lines by session key. In a group, a settlement comes before a return. A line without a session is a group of its own. */
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
