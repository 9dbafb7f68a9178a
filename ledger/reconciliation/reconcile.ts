import type { EntryLog } from '../entries/entry-log';
import type { LedgerDatabase } from '../postgres/database';
import { findCandidates, type Candidates } from './candidates';
import type { TextPieces } from './csv-rows';
import { moneyOf, type FileLine } from './file-line';
import { findSession, judgeLine, type Judged, type UnmatchedReason } from './match';
import { inBatches, readFile, type FileLayout, type ReadLine } from './read-file';

export interface ReconcileOptions extends FileLayout {
  /** Whose file it is: sessions of another account are not matched. @default sessions of all accounts are */
  readonly account?: string | undefined;
  /** Records nothing: `recorded` is what would be. @default false */
  readonly dryRun?: boolean | undefined;
}

/** What became of a line of a reconciliation file. */
export interface ReconciledLine {
  /** In the file, from 1: the first one names the columns. */
  readonly line: number;
  /** `known`: it was recorded before, as when a file is delivered again. */
  readonly outcome: 'recorded' | 'known' | 'unmatched';
  readonly reason?: UnmatchedReason;
  /** The reason in words. */
  readonly detail?: string;
  /** The key of its session. */
  readonly key?: string;
  /** What the line says; absent where it cannot be read. */
  readonly says?: FileLine;
}

/** Where lines are looked up and recorded. */
export interface ReconciledLedger {
  readonly database: LedgerDatabase;
  readonly environment: string;
  readonly log: EntryLog;
}

/** So many lines are looked up, and recorded, in one step. */
const BATCH = 500;
/** So many are written at once: they wait for the disk together. */
const AT_ONCE = 8;

/**
 * Matches each line of a file with a session and records it there, or says why not. A line that is recorded already changes nothing:
 * a run that was ended goes on where it is run again. Throws `PaysessionError` `INVALID_FILE` before anything is recorded, where the file
 * has no lines of the asked columns.
 */
export async function* reconcile(
  ledger: ReconciledLedger,
  file: TextPieces,
  options: ReconcileOptions,
): AsyncGenerator<ReconciledLine> {
  const run = new Run(ledger, options);
  for await (const lines of inBatches(readFile(file, options), BATCH)) yield* await run.take(lines);
}

/** One file on its way into the ledger. */
class Run {
  readonly #ledger: ReconciledLedger;
  readonly #options: ReconcileOptions;
  /** The lines of this file that have told something of a session. */
  readonly #told = new Map<string, number>();

  constructor(ledger: ReconciledLedger, options: ReconcileOptions) {
    this.#ledger = ledger;
    this.#options = options;
  }

  async take(lines: readonly ReadLine[]): Promise<readonly ReconciledLine[]> {
    const { database, environment } = this.#ledger;
    const asked = lines.flatMap((line) => ('says' in line ? [line.says] : []));
    const candidates = await findCandidates(database, environment, asked);
    const matched = lines.map((line) => this.#match(line, candidates));
    return inParallel(matched, (one) => this.#record(one));
  }

  /** In the order of the file: of two lines that say the same, the second one is told. */
  #match(read: ReadLine, candidates: Candidates): Matched {
    const { line } = read;
    if ('wrong' in read) return { line, judged: read.wrong };
    const { says } = read;
    const { account } = this.#options;
    const found = findSession(says, candidates.of(says), account);
    if ('reason' in found) return { line, says, judged: found };
    const { key, known } = found;
    const judged = judgeLine(says, known, account);
    const once = 'reason' in judged ? judged : this.#once(line, says, `${known.number} ${key}`, judged);
    return { line, says, key, claim: known.number, judged: once };
  }

  #once(line: number, { kind }: FileLine, key: string, judged: Judged): Judged {
    const before = this.#told.get(`${kind} ${key}`);
    if (before !== undefined) return { reason: 'twice', detail: `line ${before} of this file tells it` };
    this.#told.set(`${kind} ${key}`, line);
    return judged;
  }

  async #record(matched: Matched): Promise<ReconciledLine> {
    const { judged: first, claim: _claim, ...line } = matched;
    const judged = isNew(first) && this.#options.dryRun !== true ? await this.#append(matched) : first;
    if ('reason' in judged) return { ...line, outcome: 'unmatched', ...judged };
    return { ...line, outcome: isNew(judged) ? 'recorded' : 'known' };
  }

  /** Judged once more by what the session has now: somebody else may have recorded in between. */
  async #append({ key, claim, says, judged: first }: Matched): Promise<Judged> {
    if (key === undefined || claim === undefined || says === undefined) return first;
    const { answer } = await this.#ledger.log.append(key, (claims) => {
      const known = claims[claim - 1];
      const judged = known === undefined ? first : judgeLine(says, known, this.#options.account);
      return { add: isNew(judged) ? [{ claim, fact: moneyOf(says) }] : [], answer: judged };
    });
    return answer;
  }
}

const isNew = (judged: Judged): boolean => 'outcome' in judged && judged.outcome === 'new';

/** A line, the key of the session that it means, and what it says of that one. */
interface Matched {
  readonly line: number;
  readonly says?: FileLine;
  readonly key?: string;
  readonly claim?: number;
  readonly judged: Judged;
}

/** Does some of the work at once; answers are in the order of what was given. */
async function inParallel<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<readonly R[]> {
  const answers: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let place = next++; place < all.length; place = next++) answers[place] = await work(all[place] as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return answers;
}
