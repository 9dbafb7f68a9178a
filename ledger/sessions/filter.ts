import { sessionIdentity } from '../../src/contract';
import type { Metadata } from '../../src/protocol/metadata';
import type { Value } from '../postgres/database';
import type { Direction, LedgerOutcome, MoneyPlace } from './summary';

/** A filter for payments. A payment must meet all conditions. */
export interface PaymentFilter {
  /**
   * A text to search for. It may be the start of a key, at least three characters of a reference in upper or lower case, the payment service's
   * session id, or an amount such as `25` or `25.00`.
   */
  readonly text?: string | undefined;
  /** The complete reference. */
  readonly referenceId?: string | undefined;
  /** Searchable metadata, such as `{ customer: 'cus_42' }`. The payment must have all of them. */
  readonly metadata?: Metadata | undefined;
  /** The session's account. */
  readonly account?: string | undefined;
  /** `EFT`, `GEFT` or `e-Transfer`. */
  readonly kind?: string | undefined;
  /** `DEBIT`: money from the payor. `CREDIT`: money to the payor. */
  readonly direction?: Direction | undefined;
  /** The place where the money is. */
  readonly money?: MoneyPlace | undefined;
  /** True to return only payments whose money came back and about which no person has recorded an action. */
  readonly waiting?: true | undefined;
  /** True to return only late payments. The time in which their money should arrive has passed, and it has not arrived or come back. */
  readonly late?: true | undefined;
  /** `open`: the ledger has no end of the session. `ended`: the session has ended. `failed`: the workflow failed. */
  readonly outcome?: LedgerOutcome | undefined;
  /** True to return only paid payments, and false to return only payments that are not paid. */
  readonly paid?: boolean | undefined;
  /** The smallest amount, in dollars. A payment whose amount is unknown does not match. */
  readonly amountFrom?: number | undefined;
  /** The largest amount, in dollars. A payment whose amount is unknown does not match. */
  readonly amountTo?: number | undefined;
  /** Returns payments whose key was claimed at this time or later. The key is claimed when the session starts. */
  readonly claimedFrom?: Date | undefined;
  /** Returns payments whose key was claimed before this time. */
  readonly claimedBefore?: Date | undefined;
  /** Returns payments whose session ended at this time or later. */
  readonly endedFrom?: Date | undefined;
  /** Returns payments whose session ended before this time. */
  readonly endedBefore?: Date | undefined;
}

/** The environment of a search, and the time zone and first day with which the search finds late payments. */
export interface SearchedIn {
  readonly environment: string;
  /** The time zone in which days begin. */
  readonly timeZone: string;
  /** Returns the first day whose payments are not late, such as `2026-05-06`. */
  readonly firstTimelyDay: () => string;
}

/** Returns a filter as an SQL condition on the table of claims, and the values of its parameters. */
export function conditionsOf(
  { environment, timeZone, firstTimelyDay }: SearchedIn,
  filter: PaymentFilter,
): { readonly sql: string; readonly values: Value[] } {
  const values: Value[] = [];
  const name = (value: Value) => `$${values.push(value)}`;
  const all = [`environment = ${name(environment)}`, 'listed'];
  const add = <T>(value: T | undefined, condition: (value: T) => string) => {
    if (value !== undefined) all.push(condition(value));
  };
  add(filter.text, (text) => textCondition(text, name));
  add(filter.account, (account) => `account = ${name(account)}`);
  add(filter.kind, (kind) => `kind = ${name(kind)}`);
  add(filter.referenceId, (reference) => `reference_id = ${name(reference)}`);
  add(filter.metadata, (metadata) => `metadata @> ${name(JSON.stringify(metadata))}::jsonb`);
  add(filter.direction, (direction) => `direction = ${name(direction)}`);
  add(filter.money, (money) => `money = ${name(money)}`);
  add(filter.waiting, () => 'returned_at is not null and handled_at is null');
  add(filter.late, () => lateCondition(name(firstTimelyDay()), name(timeZone)));
  add(filter.outcome, (outcome) => `outcome = ${name(outcome)}`);
  add(filter.paid, (isPaid) => (isPaid ? 'paid' : 'not paid'));
  add(filter.amountFrom, (dollars) => `${SORTED_BY.amount} >= ${name(String(dollars))}::numeric`);
  add(
    filter.amountTo,
    (dollars) => `amount is not null and ${SORTED_BY.amount} <= ${name(String(dollars))}::numeric`,
  );
  add(filter.claimedFrom, (at) => `claimed_at >= ${name(at.toISOString())}::timestamptz`);
  add(filter.claimedBefore, (at) => `claimed_at < ${name(at.toISOString())}::timestamptz`);
  add(filter.endedFrom, (at) => `${SORTED_BY.ended} >= ${name(at.toISOString())}::timestamptz`);
  add(
    filter.endedBefore,
    (at) => `ended_at is not null and ${SORTED_BY.ended} < ${name(at.toISOString())}::timestamptz`,
  );
  return { sql: all.join(' and '), values };
}

/**
 * Returns the SQL condition for late payments. A payment is late if its session ended paid before the first day that is not late, and its money
 * has not arrived or come back.
 *
 * There is one exception. Only reconciliation files report that money has arrived, so before the first file no payment can be late. So a payment
 * counts only if it ended on the day of the first settled payment or later. The day of the first settled payment is the day of its end. If it has
 * no end, it is the day of its claim. If its settlement is on an earlier day, it is that day, because an end may be recorded late.
 *
 * @param day the SQL parameter with the first day that is not late
 * @param timeZone the SQL parameter with the time zone. The environment is `$1`
 */
export const lateCondition = (day: string, timeZone: string): string => `(money = 'paid'
  and ended_at < (${day}::date::timestamp at time zone ${timeZone}) and ended_at >= (
    select date_trunc('day', least(coalesce(first.ended_at, first.claimed_at), (first.settled_at at time zone 'UTC') at time zone ${timeZone}) at time zone ${timeZone}) at time zone ${timeZone}
      from paysession_ledger.claims first where first.environment = $1 and first.settled_at is not null
      order by first.settled_at, coalesce(first.ended_at, first.claimed_at) limit 1
  ))`;

/** The SQL expressions by which lists are sorted. The indexes use the same. In ascending order, payments without an end or amount come first. */
export const SORTED_BY = {
  claimed: 'claimed_at',
  ended: "coalesce(ended_at, timestamptz '-infinity')",
  amount: 'coalesce(amount, -1)',
} as const;

/** The shortest part of a reference to search for, in characters. For a shorter part, the database would have to read all references. */
const SHORTEST_PART = 3;
const AMOUNT = /^\$?(\d{1,12})(?:[.,](\d{1,2}))?\s?\$?$/;
/** The last character in the order of code points. A start of a key with this character appended sorts after all keys with that start. */
const LAST = '\u{10ffff}';

function textCondition(text: string, name: (value: Value) => string): string {
  const given = name(text);
  const any = [
    `(key >= ${given} and key < ${name(`${text}${LAST}`)})`,
    `session_id = ${name(sessionIdentity(text))}`,
  ];
  if (Array.from(text).length >= SHORTEST_PART) {
    const parts = `reference_parts @> paysession_ledger.parts_of(${given})`;
    any.push(`(${parts} and position(lower(${given}) in lower(reference_id collate "default")) > 0)`);
  }
  const [, dollars, cents = '0'] = AMOUNT.exec(text) ?? [];
  if (dollars !== undefined)
    any.push(`${SORTED_BY.amount} = ${name(`${dollars}.${cents.padEnd(2, '0')}`)}::numeric`);
  return `(${any.join(' or ')})`;
}
