import { sessionIdentity } from '../../src/contract';
import type { Metadata } from '../../src/protocol/metadata';
import type { Value } from '../postgres/database';
import type { Direction, LedgerOutcome, MoneyPlace } from './summary';

/** A filter of payments. A payment must meet all conditions. */
export interface PaymentFilter {
  /**
   * A key's start, a part of a reference (three characters or more, in upper or lower case), the payment service's session id, or an amount
   * such as `25` or `25.00`.
   */
  readonly text?: string | undefined;
  /** The whole reference. */
  readonly referenceId?: string | undefined;
  /** All of these searchable metadata, such as `{ customer: 'cus_42' }`. */
  readonly metadata?: Metadata | undefined;
  /** The session's account. */
  readonly account?: string | undefined;
  /** `EFT`, `GEFT` or `e-Transfer`. */
  readonly kind?: string | undefined;
  /** `DEBIT`: money from the payor. `CREDIT`: money to the payor. */
  readonly direction?: Direction | undefined;
  /** The place where the money is. */
  readonly money?: MoneyPlace | undefined;
  /** Only payments whose money came back and whose return no person has handled. */
  readonly waiting?: true | undefined;
  /** Only late payments: their money has neither arrived nor come back in the business days that the ledger allows. */
  readonly late?: true | undefined;
  /** `open`: the ledger has no end. `failed`: the workflow failed. */
  readonly outcome?: LedgerOutcome | undefined;
  /** True: only paid payments. False: only payments that are not paid. */
  readonly paid?: boolean | undefined;
  /** Dollars, inclusive. A payment whose amount is unknown does not match. */
  readonly amountFrom?: number | undefined;
  /** Dollars, inclusive. */
  readonly amountTo?: number | undefined;
  /** The key was claimed at this time or later. */
  readonly claimedFrom?: Date | undefined;
  /** The key was claimed before this time. */
  readonly claimedBefore?: Date | undefined;
  /** The payment ended at this time or later. */
  readonly endedFrom?: Date | undefined;
  /** The payment ended before this time. */
  readonly endedBefore?: Date | undefined;
}

/** The environment of a search, and the days by which its late payments are found. */
export interface SearchedIn {
  readonly environment: string;
  /** The time zone of the days. */
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
 * Returns the SQL condition of late payments. `day` and `timeZone` are parameters: the first day that is not late, and its time zone. Only
 * files report arrivals, so a payment from before the day of the first settled payment is not late. The day of the first settled payment is
 * that of its end, or else of its claim. It is the day of the settlement if that is earlier, since an end may be recorded late. The
 * environment is `$1`.
 */
export const lateCondition = (day: string, timeZone: string): string => `(money = 'paid'
  and ended_at < (${day}::date::timestamp at time zone ${timeZone}) and ended_at >= (
    select date_trunc('day', least(coalesce(first.ended_at, first.claimed_at), (first.settled_at at time zone 'UTC') at time zone ${timeZone}) at time zone ${timeZone}) at time zone ${timeZone}
      from paysession_ledger.claims first where first.environment = $1 and first.settled_at is not null
      order by first.settled_at, coalesce(first.ended_at, first.claimed_at) limit 1
  ))`;

/** The expressions that lists are sorted by, which the indexes share. Payments without an end or an amount come first in ascending order. */
export const SORTED_BY = {
  claimed: 'claimed_at',
  ended: "coalesce(ended_at, timestamptz '-infinity')",
  amount: 'coalesce(amount, -1)',
} as const;

/** The shortest part that the index finds. A shorter one would need a scan of all references. */
const SHORTEST_PART = 3;
const AMOUNT = /^\$?(\d{1,12})(?:[.,](\d{1,2}))?\s?\$?$/;
/** Sorts after every key with the same start, in the order of code points. */
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
