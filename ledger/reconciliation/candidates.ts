import { sessionIdentity, trimmedReference } from '../../src/contract';
import { isWellFormed } from '../../src/contract/values/text';
import { fromStored, type StoredFact } from '../stored-fact';
import type { LedgerDatabase } from '../postgres/database';
import { SUMMARY_COLUMNS, summaryOf, type SummaryRow } from '../sessions/stored-summary';
import { moneyOf, type FileLine } from './file-line';
import { endOfReach, idOf, type Candidate, type MatchScope } from './match';

/**
 * Finds the sessions that the lines of a reconciliation file may mean. A line reports that the money of a session has arrived or come back, and
 * names the session by its id or by the reference of its request.
 */

/** The ledger in which sessions are searched. */
export interface CandidateSource {
  readonly database: LedgerDatabase;
  readonly environment: string;
}

/**
 * Finds the sessions that lines may mean, in the table of claims. Many sessions may have the same reference. So the function reads only the few
 * that decide which session a line means, or that explain why the line matches none.
 */
export async function findCandidates(
  { database, environment }: CandidateSource,
  lines: readonly FileLine[],
  { account }: MatchScope,
): Promise<Candidates> {
  const found = new Candidates();
  /** Sends one statement for all of these lines. */
  const search = async (sql: string, some: readonly FileLine[], nameIn: (line: FileLine) => string) => {
    const asked = [...new Map(some.map((line) => [nameOf(line), line])).values()];
    if (asked.length === 0) return;
    const rows = await database.query<Row>(sql, [
      environment,
      JSON.stringify(asked.map((line, n) => ({ n, name: nameIn(line), account, ...questionOf(line) }))),
    ]);
    for (const row of rows) {
      const line = asked[row.n];
      if (line !== undefined) found.add(line, candidateOf(row));
    }
  };
  // Texts with half of a surrogate pair are left out. PostgreSQL refuses them, and no session has such a reference or id.
  const askable = lines.filter(({ sessionId = '', referenceId = '' }) =>
    isWellFormed(`${sessionId}${referenceId}`),
  );
  const withId = askable.filter(({ sessionId }) => sessionId !== undefined);
  const withReference = askable.filter(({ sessionId }) => sessionId === undefined);
  await search(BY_SESSION, withId, ({ sessionId = '' }) => sessionIdentity(sessionId));
  await search(byReference('reference_id'), withReference, referenceOf);
  // For lines that match no session, read the sessions that explain why.
  const unknown = withReference.filter((line) => found.of(line).length === 0);
  await search(NEAREST, unknown, referenceOf);
  // A file may have padded or trimmed the references.
  const padded = withReference.filter((line) => referenceOf(line) !== trimmedOf(line));
  await search(byReference('reference_id'), padded, trimmedOf);
  await search(byReference('trimmed_reference'), withReference, trimmedOf);
  return found;
}

/** For each line, the sessions that the line may mean. */
export class Candidates {
  readonly #byLine = new Map<string, Candidate[]>();

  of(line: FileLine): readonly Candidate[] {
    return this.#byLine.get(nameOf(line)) ?? [];
  }

  add(line: FileLine, candidate: Candidate): void {
    const name = nameOf(line);
    const others = this.#byLine.get(name) ?? [];
    if (others.some(({ key, claim }) => key === candidate.key && claim === candidate.claim)) return;
    this.#byLine.set(name, [...others, candidate]);
  }
}

/** Returns a name that is the same for lines with the same content. */
const nameOf = (line: FileLine): string => JSON.stringify(line);

const referenceOf = ({ referenceId = '' }: FileLine): string => referenceId;
const trimmedOf = (line: FileLine): string => trimmedReference(referenceOf(line));

/** Returns the values of a line that the SQL statements compare, in addition to the session's id or reference. */
function questionOf(line: FileLine): object {
  const { kind, date, cents, currency } = line;
  const noise = Math.max(NOISE, (cents / 100) * Number.EPSILON);
  return {
    low: (cents / 100 - noise).toFixed(8),
    high: (cents / 100 + noise).toFixed(8),
    currency,
    kind,
    at: Date.parse(date) / 1_000,
    end: endOfReach(date) / 1_000,
    id: idOf(moneyOf(line)),
  };
}

/**
 * The smallest tolerance with which the search compares amounts, in dollars. So the search finds all amounts that `centsOf` may accept.
 * Afterwards, `centsOf` decides.
 */
const NOISE = 2e-6;

interface Row extends SummaryRow {
  readonly n: number;
  readonly fact_kind: StoredFact['kind'] | null;
  readonly fact_at: Date | null;
  readonly fact_body: string | null;
}

function candidateOf(row: Row): Candidate {
  const { fact_kind: kind, fact_at: at, fact_body: body } = row;
  const fact =
    kind === null || at === null || body === null
      ? undefined
      : fromStored({ kind, at: at.toISOString(), body });
  const isMoney = fact?.kind === 'settled' || fact?.kind === 'returned';
  return { ...summaryOf(row), ...(isMoney && { recorded: fact }) };
}

/**
 * The maximum number of sessions that each part of a search reads. Two sessions are enough to make a line ambiguous. The others are needed for
 * the detail, which names up to five sessions.
 */
const MOST_MEANT = 6;
/** The maximum number of sessions that each part of `NEAREST` reads. */
const MOST_NEAR = 3;

const ASKED = `jsonb_to_recordset($2::jsonb) as a (n integer, name text, account text, low numeric, high numeric, currency text, kind text,
    at double precision, "end" double precision, id text)`;

const SELECTED = `select a.n, ${SUMMARY_COLUMNS}, e.kind as fact_kind, e.at as fact_at, e.body as fact_body`;

/** Joins the entry that records exactly this line, if the session has one. Such an entry has the id that is computed from the line. */
const RECORDED = `left join lateral (
    select kind, at, body from paysession_ledger.entries e
      where e.environment = $1 and e.key = s.key and e.id = a.id
        and case a.kind when 'settled' then s.settled_at else s.returned_at end = to_timestamp(a.at) limit 1
  ) e on true`;

const BY_SESSION = `${SELECTED} from ${ASKED}
  join paysession_ledger.claims s on s.environment = $1 and s.session_id = a.name ${RECORDED}`;

const CLAIMS = `select * from paysession_ledger.claims c where c.environment = $1 and c.listed
  and (a.account is null or c.account = a.account) and (a.currency is null or c.currency = a.currency)`;

/** Returns SQL that selects the sessions that lines may mean, and the sessions for which the lines are already recorded. */
function byReference(column: 'reference_id' | 'trimmed_reference'): string {
  const named = `${CLAIMS} and c.${column} = a.name`;
  const meant = `${named} and c.may_be_paid and c.paid_after < to_timestamp(a."end")`;
  const recorded = (kind: string) =>
    `${named} and a.kind = '${kind}' and c.${kind}_at = to_timestamp(a.at) and c.amount between a.low and a.high
      and exists (select 1 from paysession_ledger.entries e where e.environment = $1 and e.key = c.key and e.id = a.id)`;
  const all = [
    `${meant} and c.amount between a.low and a.high`,
    `${meant} and c.fits_any_amount`,
    recorded('settled'),
    recorded('returned'),
  ];
  return `${SELECTED} from ${ASKED} cross join lateral (
      ${all.map((one) => `(${one} limit ${MOST_MEANT})`).join(' union all ')}
    ) s ${RECORDED}`;
}

/**
 * Selects sessions that explain why a line matches none: sessions with its reference and amount, and the oldest sessions with its reference. If
 * a line's date is before the oldest session, it is before all of them.
 */
const NEAREST = `${SELECTED} from ${ASKED} cross join lateral (
    (select * from paysession_ledger.claims c where c.environment = $1 and c.listed and c.reference_id = a.name
      and c.amount between a.low and a.high order by (c.account = a.account) desc nulls last limit ${MOST_NEAR})
    union all
    (select * from paysession_ledger.claims c where c.environment = $1 and c.listed and c.reference_id = a.name
      order by (c.account = a.account) desc nulls last, c.paid_after limit ${MOST_NEAR})
  ) s ${RECORDED}`;
