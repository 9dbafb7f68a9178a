import type { Value } from '../postgres/database';
import { SESSION_COLUMNS, type SessionRow } from './ledger-session';

/** Which claims are read, and in which order; what stands in the bodies of other entries is compared once they are read. */
export interface ClaimFilter {
  readonly referenceId?: string | undefined;
  readonly account?: string | undefined;
  /** Dollars that the request asks for. A session whose payor chooses the amount has none. */
  readonly amount?: number | undefined;
  /** Only sessions that were claimed at this time or later. */
  readonly claimedFrom?: Date | undefined;
  /** Only sessions that were claimed before this time. */
  readonly claimedBefore?: Date | undefined;
  /** By the time of the claim. @default 'newestFirst' */
  readonly order?: 'newestFirst' | 'oldestFirst' | undefined;
}

/** The last session of a page: the next one goes on behind it. */
export interface Place {
  /** As PostgreSQL writes it, with all its digits. */
  readonly claimedAt: string;
  readonly key: string;
}

export interface PageRow extends SessionRow {
  readonly place: string;
  readonly claimed: string;
  /** Whether the key was not claimed again later. */
  readonly latest: boolean;
}

export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** So many sessions are read in one step, whatever the ledger's size. */
export const PAGE = 500;

/** Reads the next claims behind a place, each with what became of its session; the latest of a key counts. */
export function pageOf(environment: string, filter: ClaimFilter, after: Place | undefined): Statement {
  const { referenceId, account, amount, claimedFrom, claimedBefore, order = 'newestFirst' } = filter;
  const values: Value[] = [environment];
  const conditions: string[] = [];
  const add = (condition: (...names: string[]) => string, ...given: readonly Value[]) => {
    conditions.push(condition(...given.map((value) => `$${values.push(value)}`)));
  };
  const isNewestFirst = order === 'newestFirst';
  if (referenceId !== undefined) add((one) => `${memberOf('referenceId')} = ${one}`, referenceId);
  if (account !== undefined) add((one) => `${memberOf('account')} = ${one}`, account);
  if (amount !== undefined) add((one) => `${memberOf('amount')} = ${one}`, String(amount));
  // A place says more than the bound that it has passed, from which the index would begin again on each page.
  const isPassed = {
    from: after !== undefined && !isNewestFirst,
    before: after !== undefined && isNewestFirst,
  };
  if (claimedFrom !== undefined && !isPassed.from) add((one) => `c.at >= ${one}`, claimedFrom.toISOString());
  if (claimedBefore !== undefined && !isPassed.before)
    add((one) => `c.at < ${one}`, claimedBefore.toISOString());
  if (after !== undefined) {
    const behind = isNewestFirst ? '<' : '>';
    add((at, key) => `(c.at, c.key) ${behind} (${at}::timestamptz, ${key})`, after.claimedAt, after.key);
  }
  const direction = isNewestFirst ? 'desc' : 'asc';
  const more = conditions.map((condition) => ` and ${condition}`).join('');
  const inOrder = `order by c.at ${direction}, c.key ${direction}`;
  return { sql: `${SELECT} from (${CLAIMS}${more} ${inOrder} limit ${PAGE}) c ${JOINS} ${inOrder}`, values };
}

/** Written as the index has it. */
const memberOf = (name: string): string => `paysession_ledger.member_of(c.body, '${name}')`;

const SELECT = `select ${SESSION_COLUMNS}, c.at::text as place, c.body as claimed,
    c.number = (select max(o.number) from paysession_ledger.entries o
      where o.environment = c.environment and o.key = c.key and o.kind = 'claimed') as latest`;

/** By an index alone, so that the rest is looked up for one page of claims and no more. */
const CLAIMS = `select * from paysession_ledger.entries c where c.environment = $1 and c.kind = 'claimed'`;

/** From the entries themselves, which are hashed, and not from the table that is made of them. */
const JOINS = 'cross join lateral paysession_ledger.session_as_told(c.environment, c.key) s';
