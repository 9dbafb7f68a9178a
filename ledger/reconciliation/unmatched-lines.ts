import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { isSessionId, sessionIdentity } from '../../src/contract/identity';
import type { LedgerMoney } from '../../src/protocol/ledger/facts';
import { membersOf, storable, type LedgerDatabase, type Value } from '../postgres/database';
import { toDecimal, type FileLine } from './file-line';
import type { ReconciledLine, UnmatchedReason } from './match';

/** A line of a reconciliation file that matched no payment when it was read. A run is one reading of a file. */
export interface UnmatchedLine {
  /** The id of the line, computed from its content and the file's account. So if a file is read again, its lines are not kept twice. */
  readonly id: string;
  /** The account to which the file belongs. Absent if the run named no account. */
  readonly account?: string;
  /** The id of the last run that has read the line and not matched it. */
  readonly runId: string;
  /** The reason why that run did not match the line. */
  readonly reason: UnmatchedReason;
  /** The name of the file in which the line first appeared, without its folders. */
  readonly file: string;
  /** The line's number in that file. The first line has the number 1. */
  readonly line: number;
  /** `settled` or `returned`. If the line cannot be read, this member and all members down to `code` are absent. */
  readonly kind?: LedgerMoney['kind'];
  /** The line's day, such as 2026-05-06. */
  readonly date?: string;
  /** The amount in dollars, as a text with two decimals. */
  readonly amount?: string;
  /** The currency in three letters, such as `CAD`. */
  readonly currency?: string;
  /** The payment service's session id. Absent if the file has no UUID there, because another text may be a person's name. */
  readonly sessionId?: string;
  /** The reference. Absent if the line has a session id. Removed when the line is matched or explained. */
  readonly referenceId?: string;
  /** The code that says why money came back. */
  readonly code?: string;
  /** The time at which the line was kept. ISO 8601, UTC. */
  readonly seenAt: string;
  /** The time at which a later run matched the line. ISO 8601, UTC. */
  readonly matchedAt?: string;
  /** The key of the payment with which the line was matched. */
  readonly key?: string;
  /** The time at which a person explained the line. ISO 8601, UTC. */
  readonly explainedAt?: string;
  /** The person who explained the line. */
  readonly by?: string;
  /** The person's explanation. */
  readonly explanation?: string;
}

/** A run of a reconciliation: one reading of a file. */
export interface ReconciliationRun {
  /** The option `runId` with which the run was started. By default a UUID. */
  readonly id: string;
  /** The file's name without its folders. */
  readonly file: string;
  /** The time at which the run began. ISO 8601, UTC. */
  readonly beganAt: string;
  /** The time at which the run ended. Absent if the run is still running, or was stopped. */
  readonly endedAt?: string;
  /** The number of lines that this run has recorded with their payments. */
  readonly recorded: number;
  /** The number of lines that had been recorded before. */
  readonly known: number;
  /** The number of lines that match no payment. */
  readonly unmatched: number;
  /** The number of lines kept by earlier runs that this run has matched. */
  readonly resolved: number;
}

/** Options of a page of lines. */
export interface UnmatchedPageOptions {
  /** The maximum number of lines on a page. */
  readonly size: number;
  /** True to return also the lines that were matched or explained. @default only lines that wait */
  readonly all?: boolean | undefined;
  /** The member `next` of the previous page. @default returns the first page, which has the newest lines */
  readonly after?: number | undefined;
}

/** A page of lines, the newest first. */
export interface UnmatchedPage {
  /** At most `size` lines. */
  readonly lines: readonly UnmatchedLine[];
  /** The option `after` for the next page. Absent on the last page. */
  readonly next?: number;
}

/** The sums of the amounts of waiting lines, in one currency. */
export interface UnmatchedSum {
  /** The currency. Lines without a currency count as `CAD`. */
  readonly currency: string;
  /** The sum of the lines with the kind `settled`, in dollars, as a text with two decimals. */
  readonly settled: string;
  /** The sum of the lines with the kind `returned`, in dollars, as a text with two decimals. */
  readonly returned: string;
}

/** The number of waiting lines, and the sums of their amounts. */
export interface UnmatchedTotals {
  /** The number of lines that wait. */
  readonly count: number;
  /** The sums by currency. Lines whose amount cannot be read are left out. */
  readonly sums: readonly UnmatchedSum[];
}

/** The outcome of an explanation. If the line was already explained or matched, it has not been changed. */
export type ExplainedOutcome = 'explained' | 'alreadyExplained' | 'alreadyMatched';

/** A person's explanation of one or more lines. */
interface Explanation {
  readonly by: string;
  readonly reason: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** A row as the driver returns it. */
type Row = Readonly<Record<string, string | number | Date | null>> & { readonly number: string };

const COLUMNS = `number, id, account, run_id as "runId", reason, file, line, kind, to_char(day, 'YYYY-MM-DD') as date, amount::text as amount, currency, session_id as "sessionId",
  reference_id as "referenceId", code, seen_at as "seenAt", matched_at as "matchedAt", matched_key as key, explained_at as "explainedAt",
  explained_by as "by", explanation`;

const WAITS = 'matched_at is null and explained_at is null';

/**
 * The lines of reconciliation files that match no payment, and the counts of each run. A line waits until a later run matches it or a person
 * explains it.
 *
 * All methods throw the errors of {@link LedgerDatabase}.
 */
export class UnmatchedLines {
  readonly #database: LedgerDatabase;
  readonly #environment: string;

  constructor(database: LedgerDatabase, environment: string) {
    this.#database = database;
    this.#environment = environment;
  }

  /** Returns a page of the lines that wait, or of all lines, the newest first. */
  async page({ size, all = false, after }: UnmatchedPageOptions): Promise<UnmatchedPage> {
    const rows = await this.#database.query<Row>(
      `select ${COLUMNS} from paysession_ledger.unmatched_lines
        where environment = $1 ${all ? '' : `and ${WAITS}`} ${after === undefined ? '' : 'and number < $3'}
        order by number desc limit $2`,
      [this.#environment, size + 1, ...(after === undefined ? [] : [after])],
    );
    const shown = rows.slice(0, size);
    const last = rows.length > size ? shown.at(-1) : undefined;
    return { lines: shown.map(lineOf), ...(last !== undefined && { next: Number(last.number) }) };
  }

  /** Returns the line with this id, even if it does not wait any more. Returns `undefined` if no line has the id. */
  async get(id: string): Promise<UnmatchedLine | undefined> {
    if (!/^[\da-f-]{1,40}$/.test(id)) return undefined;
    const [row] = await this.#database.query<Row>(
      `select ${COLUMNS} from paysession_ledger.unmatched_lines where environment = $1 and id = $2`,
      [this.#environment, id],
    );
    return row && lineOf(row);
  }

  /**
   * Counts the waiting lines, and adds up their amounts.
   *
   * @param runId counts only the lines of this run. Lines that a later run has read again do not count. @default all waiting lines
   */
  async totals(runId?: string): Promise<UnmatchedTotals> {
    const sum = (kind: LedgerMoney['kind']) =>
      `coalesce(sum(amount) filter (where kind = '${kind}'), 0)::numeric(20, 2)::text as ${kind}`;
    const rows = await this.#database.query<
      UnmatchedSum & { readonly count: number; readonly isRead: boolean }
    >(
      `select coalesce(currency, 'CAD') as currency, count(*)::int as count, count(amount) > 0 as "isRead", ${sum('settled')}, ${sum('returned')}
        from paysession_ledger.unmatched_lines where environment = $1 and ${WAITS} and ($2::text is null or run_id = $2)
        group by 1 order by 1`,
      [this.#environment, runId === undefined ? null : storable(runId)],
    );
    return {
      count: rows.reduce((all, { count }) => all + count, 0),
      sums: rows.flatMap(({ isRead, currency, settled, returned }) =>
        isRead ? [{ currency, settled, returned }] : [],
      ),
    };
  }

  /** Returns the last runs, the newest first. With `id`, returns only the run with this id. */
  async runs({
    size,
    id,
  }: {
    readonly size: number;
    readonly id?: string;
  }): Promise<readonly ReconciliationRun[]> {
    const rows = await this.#database.query<Row>(
      `select id, file, began_at as "beganAt", ended_at as "endedAt", recorded, known, unmatched, resolved
        from paysession_ledger.reconciliation_runs where environment = $1 and ($3::text is null or id = $3)
        order by began_at desc, id limit $2`,
      [this.#environment, size, id === undefined ? null : storable(id)],
    );
    return rows.map((row) => membersOf(row) as unknown as ReconciliationRun);
  }

  /** Records the explanation of a line. Returns `undefined` if no line has the id. */
  async explain(id: string, { by, reason, at }: Explanation): Promise<ExplainedOutcome | undefined> {
    const [row] = await this.#database.query<{ readonly outcome: ExplainedOutcome }>(
      `with held as (
          select id, case when matched_at is not null then 'alreadyMatched' when explained_at is not null then 'alreadyExplained'
              else 'explained' end as outcome
            from paysession_ledger.unmatched_lines where environment = $1 and id = $2 for update
        ), done as (
          update paysession_ledger.unmatched_lines lines
            set explained_at = $3::timestamptz, explained_by = $4, explanation = $5, reference_id = null
            from held where lines.environment = $1 and lines.id = held.id and held.outcome = 'explained'
        )
        select outcome from held`,
      [this.#environment, id, at, by, reason],
    );
    return row?.outcome;
  }

  /** Records the explanation of all waiting lines of a run. Leaves out lines that a later run has read again. Returns the number of lines. */
  async explainRun(runId: string, { by, reason, at }: Explanation): Promise<number> {
    let [explained, after] = [0, 0];
    for (;;) {
      const [step] = await this.#database.query<{
        readonly found: number;
        readonly done: number;
        readonly last: string | null;
      }>(EXPLAINED, [this.#environment, storable(runId), after, STEP, at, by, reason]);
      explained += step?.done ?? 0;
      if (step === undefined || step.found < STEP) return explained;
      after = Number(step.last);
    }
  }
}

/** The maximum number of lines that one statement changes. A wrong file may have a million lines. */
const STEP = 10_000;

const EXPLAINED = `with step as (
    select number, id from paysession_ledger.unmatched_lines
      where environment = $1 and run_id = $2 and number > $3 and ${WAITS} order by number limit $4
  ), done as (
    update paysession_ledger.unmatched_lines lines
      set explained_at = $5::timestamptz, explained_by = $6, explanation = $7, reference_id = null
      from step where lines.environment = $1 and lines.id = step.id and ${WAITS}
      returning lines.id
  )
  select count(*)::int as found, max(number)::text as last, (select count(*)::int from done) as done from step`;

function lineOf({ number: _number, ...row }: Row): UnmatchedLine {
  return membersOf(row) as unknown as UnmatchedLine;
}

/** The ledger in which a run keeps its lines. */
export interface KeptIn {
  readonly database: LedgerDatabase;
  readonly environment: string;
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number;
}

/** The run that a {@link RunRecord} records. */
interface RecordedRun {
  readonly id: string;
  readonly file: string;
  /** The account to which the file belongs. */
  readonly account: string | undefined;
}

/** Records one run of a reconciliation: the run's counts, and the lines that the run has not matched. */
export class RunRecord {
  readonly #ledger: KeptIn;
  readonly #run: RecordedRun;
  readonly #counts = { recorded: 0, known: 0, unmatched: 0 };
  readonly #beganAt: string;

  constructor(ledger: KeptIn, run: RecordedRun) {
    this.#ledger = ledger;
    this.#run = { ...run, file: fileName(run.file) };
    this.#beganAt = this.#now();
  }

  /** Records the outcomes of lines in one statement. Unmatched lines begin to wait. Waiting lines that are now matched stop waiting. */
  async add(lines: readonly ReconciledLine[], { isLast }: { readonly isLast: boolean }): Promise<void> {
    for (const { outcome } of lines) this.#counts[outcome] += 1;
    const { recorded, known, unmatched } = this.#counts;
    const { database, environment } = this.#ledger;
    const { id, file, account } = this.#run;
    const values: readonly Value[] = [
      environment,
      id,
      this.#now(),
      JSON.stringify(lines.filter(({ outcome }) => outcome === 'unmatched').map(keptOf)),
      JSON.stringify(lines.filter(({ outcome }) => outcome !== 'unmatched').flatMap(this.#matchedOf)),
      file,
      recorded,
      known,
      unmatched,
      this.#beganAt,
      isLast ? this.#now() : null,
      account ?? null,
    ];
    await database.query(KEPT, values);
  }

  /**
   * Returns the ids under which a matched line may have been kept, each with the payment's key. There may be two, because a line's id depends on
   * the account of its run, and an earlier run may have named the payment's account or no account.
   */
  readonly #matchedOf = ({ id, key, says, account }: ReconciledLine): readonly object[] => {
    const [, copy = ''] = id.split(/(?=-)/);
    const other = this.#run.account === undefined ? account : undefined;
    const others = says === undefined ? [] : [`${digestOf(contentOf(says), other)}${copy}`];
    return [id, ...others].map((one) => ({ id: one, key }));
  };

  #now(): string {
    return new Date(this.#ledger.now()).toISOString();
  }
}

const KEPT = `with kept as (
    insert into paysession_ledger.unmatched_lines
        (environment, id, account, run_id, kind, day, amount, currency, session_id, reference_id, code, reason, file, line, seen_at)
      select $1, id, $12, $2, kind, day::date, amount::numeric, currency, session_id, reference_id, code, reason, $6, line, $3::timestamptz
        from jsonb_to_recordset($4::jsonb) as given (id text, kind text, day text, amount text, currency text, session_id text,
          reference_id text, code text, reason text, line integer)
        order by line
      on conflict (environment, id) do update set reason = excluded.reason, run_id = excluded.run_id
        where unmatched_lines.matched_at is null and unmatched_lines.explained_at is null
  ), resolved as (
    update paysession_ledger.unmatched_lines lines
      set matched_at = $3::timestamptz, matched_key = given.key, reference_id = null
      from jsonb_to_recordset($5::jsonb) as given (id text, key text)
      where lines.environment = $1 and lines.id = given.id and lines.matched_at is null
      returning lines.id
  )
  insert into paysession_ledger.reconciliation_runs as runs
      (environment, id, file, recorded, known, unmatched, began_at, ended_at, resolved)
    select $1, $2, $6, $7::integer, $8::integer, $9::integer, $10::timestamptz, $11::timestamptz, count(*)::integer from resolved
    on conflict (environment, id) do update set recorded = excluded.recorded, known = excluded.known, unmatched = excluded.unmatched,
      ended_at = excluded.ended_at, resolved = runs.resolved + excluded.resolved`;

/**
 * Returns the parts of a line that are kept. They are stored in plain text. So the detail is left out, because it may quote the file. A session id
 * that is not a UUID is left out, too.
 */
function keptOf({ id, line, reason, says }: ReconciledLine): object {
  if (says === undefined) return { id, line, reason };
  const { kind, date: day, cents, currency, sessionId, referenceId = '', code } = says;
  return {
    ...{ id, line, reason, kind, day, amount: toDecimal(cents), currency, code },
    ...(sessionId === undefined
      ? { reference_id: storable(referenceId) }
      : isSessionId(sessionId) && { session_id: sessionId }),
  };
}

const MOST_NAME = 200;

/** Returns a file's name without its folders, because the name of a folder may be a person's name. */
const fileName = (path: string): string => storable(basename(path)).slice(-MOST_NAME);

/**
 * Computes the ids of a file's lines, from their content and the file's account. If a file has several lines with the same content, they get
 * different ids.
 */
export class LineIds {
  readonly #account: string | undefined;
  readonly #copies = new Map<string, number>();

  constructor(account: string | undefined) {
    this.#account = account;
  }

  of(content: FileLine | readonly string[]): string {
    const own = digestOf(isCells(content) ? ['cells', ...content] : contentOf(content), this.#account);
    const copies = (this.#copies.get(own) ?? 0) + 1;
    this.#copies.set(own, copies);
    return copies === 1 ? own : `${own}-${copies}`;
  }
}

/** True if the id of a kept line fits the line's content and account. */
export const hasIdOf = (id: string, line: FileLine, account: string | undefined): boolean =>
  id.replace(/-\d+$/, '') === digestOf(contentOf(line), account);

const isCells = (content: FileLine | readonly string[]): content is readonly string[] =>
  Array.isArray(content);

/** Returns the content that identifies a line. If the line has a session id, its reference does not count. */
const contentOf = ({ sessionId, referenceId = '', ...line }: FileLine): readonly unknown[] => [
  ...[line.kind, line.date, line.cents, line.currency, line.code],
  ...(sessionId === undefined
    ? ['reference', storable(referenceId)]
    : ['session', sessionIdentity(storable(sessionId))]),
];

const DIGITS = 16;

/** Returns a short hash in hexadecimal. It never starts with `-`, so a command line does not take it for an option. */
const digestOf = (content: readonly unknown[], account = ''): string =>
  createHash('sha256')
    .update(JSON.stringify([account, ...content]))
    .digest('hex')
    .slice(0, DIGITS);
