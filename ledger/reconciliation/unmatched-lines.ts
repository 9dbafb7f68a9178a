import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { isSessionId, sessionIdentity } from '../../src/contract/identity';
import type { LedgerMoney } from '../../src/protocol/ledger/facts';
import { membersOf, storable, type LedgerDatabase, type Value } from '../postgres/database';
import { toDecimal, type FileLine } from './file-line';
import type { ReconciledLine, UnmatchedReason } from './match';

/** A line of a reconciliation file that no payment matched when the line was kept. */
export interface UnmatchedLine {
  /** Identifies the line by its content and its file's account, so that the same file adds nothing when it is read again. */
  readonly id: string;
  /** The account of its file. Absent if the run named none. */
  readonly account?: string;
  /** The id of the last run that left the line waiting. */
  readonly runId: string;
  /** The reason of that run. */
  readonly reason: UnmatchedReason;
  /** The name of the file in which the line first appeared, without its folders. */
  readonly file: string;
  /** The line's number in that file, from 1. */
  readonly line: number;
  /** Absent if the line cannot be read; so are all members down to `code`. */
  readonly kind?: LedgerMoney['kind'];
  /** Such as 2026-05-06. */
  readonly date?: string;
  /** Dollars, to the cent, as a decimal text. */
  readonly amount?: string;
  /** Three letters, such as `CAD`. */
  readonly currency?: string;
  /** Absent if the file names no UUID: any other text may be a person's name. */
  readonly sessionId?: string;
  /** Absent if the line has a session id, and once it is matched or explained. */
  readonly referenceId?: string;
  /** The code of the return's reason. */
  readonly code?: string;
  /** When the line was kept. ISO 8601, UTC. */
  readonly seenAt: string;
  /** When a later run matched the line. ISO 8601, UTC. */
  readonly matchedAt?: string;
  /** The key of the payment that the line was matched with. */
  readonly key?: string;
  /** When a person explained the line. ISO 8601, UTC. */
  readonly explainedAt?: string;
  /** The person who explained the line. */
  readonly by?: string;
  /** The person's explanation. */
  readonly explanation?: string;
}

/** A run of a reconciliation. */
export interface ReconciliationRun {
  /** The `runId` of the run's options; by default a UUID. */
  readonly id: string;
  /** The file's name without its folders. */
  readonly file: string;
  /** ISO 8601, UTC. */
  readonly beganAt: string;
  /** Absent while the run is under way, and if it was stopped. */
  readonly endedAt?: string;
  /** The lines that this run has recorded with their payments. */
  readonly recorded: number;
  /** The lines that were recorded before. */
  readonly known: number;
  /** The lines that match no payment. */
  readonly unmatched: number;
  /** The lines of earlier runs that this run has matched. */
  readonly resolved: number;
}

/** Options of a page of lines. */
export interface UnmatchedPageOptions {
  /** The maximum number of lines on a page. */
  readonly size: number;
  /** True for all lines, also those that were matched or explained. @default only lines that wait */
  readonly all?: boolean | undefined;
  /** The `next` of the page before. @default the first page, which has the newest lines */
  readonly after?: number | undefined;
}

/** A page of lines, the newest first. */
export interface UnmatchedPage {
  /** At most `size` lines. */
  readonly lines: readonly UnmatchedLine[];
  /** The `after` of the next page; absent on the last page. */
  readonly next?: number;
}

/** The amounts of lines that wait, in one currency. */
export interface UnmatchedSum {
  /** `CAD` also for lines without a currency. */
  readonly currency: string;
  /** Sum of lines with the kind `settled`, to the cent, as a decimal text. */
  readonly settled: string;
  /** Sum of lines with the kind `returned`. */
  readonly returned: string;
}

/** The lines that wait, and the sums of their amounts. */
export interface UnmatchedTotals {
  /** The lines that wait. */
  readonly count: number;
  /** The sums by currency, of lines whose amount can be read. */
  readonly sums: readonly UnmatchedSum[];
}

/** The outcome of an explanation. A line that was explained or matched before stays as it is. */
export type ExplainedOutcome = 'explained' | 'alreadyExplained' | 'alreadyMatched';

/** A person's explanation of lines. */
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
 * The lines of reconciliation files that no payment matches, until a later run matches them or a person explains them, and the counts of each run.
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

  /** Returns a line, whether it waits or not. Returns `undefined` if no line has the id. */
  async get(id: string): Promise<UnmatchedLine | undefined> {
    if (!/^[\da-f-]{1,40}$/.test(id)) return undefined;
    const [row] = await this.#database.query<Row>(
      `select ${COLUMNS} from paysession_ledger.unmatched_lines where environment = $1 and id = $2`,
      [this.#environment, id],
    );
    return row && lineOf(row);
  }

  /**
   * Counts the lines that wait, and adds up their amounts.
   *
   * @param runId counts only the lines that this run was the last to read
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

  /** Returns the last runs, the newest first, or only the one with the id. */
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

  /** Explains a line. Returns `undefined` if there is no such line. */
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

  /** Explains all lines that wait and that this run was the last to read. Returns their number. */
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

/** The maximum number of lines that one statement explains: a wrong file may have a million. */
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
  /** The account that the file belongs to. */
  readonly account: string | undefined;
}

/** Records one run of a reconciliation: its counts, and the lines that it has not matched. */
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

  /** Keeps the outcomes of lines in one statement: unmatched lines begin to wait, and waiting lines that are matched no longer do. */
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
   * Returns the ids under which a matched line may wait, each with the payment's key. An earlier run may have named the payment's account
   * or none.
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
 * Returns a line as it is kept, in plain text: without its detail, which may quote the file, and without a session id that is not a UUID.
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

/** Returns a file's name without its folders, which may name a person. */
const fileName = (path: string): string => storable(basename(path)).slice(-MOST_NAME);

/** Assigns each line of a file an id by its content and the file's account. A line with the same content as an earlier one of the file gets another id. */
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

/** True if a kept line has the id of its content and its account. */
export const hasIdOf = (id: string, line: FileLine, account: string | undefined): boolean =>
  id.replace(/-\d+$/, '') === digestOf(contentOf(line), account);

const isCells = (content: FileLine | readonly string[]): content is readonly string[] =>
  Array.isArray(content);

/** Returns the content that identifies a line. The reference of a line with a session id does not count. */
const contentOf = ({ sessionId, referenceId = '', ...line }: FileLine): readonly unknown[] => [
  ...[line.kind, line.date, line.cents, line.currency, line.code],
  ...(sessionId === undefined
    ? ['reference', storable(referenceId)]
    : ['session', sessionIdentity(storable(sessionId))]),
];

const DIGITS = 16;

/** Returns a short hash in hexadecimal, which a command line never takes for an option. */
const digestOf = (content: readonly unknown[], account = ''): string =>
  createHash('sha256')
    .update(JSON.stringify([account, ...content]))
    .digest('hex')
    .slice(0, DIGITS);
