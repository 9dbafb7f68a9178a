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
  readonly account?: string | undefined;
  readonly kind?: string | undefined;
  readonly direction?: Direction | undefined;
  readonly money?: MoneyPlace | undefined;
  /** Only payments whose money came back and whose return no person has handled. */
  readonly waiting?: true | undefined;
  readonly outcome?: LedgerOutcome | undefined;
  readonly paid?: boolean | undefined;
  /** Dollars. A payment whose amount the payor has yet to choose does not match. */
  readonly amountFrom?: number | undefined;
  readonly amountTo?: number | undefined;
  /** The key was claimed at this time or later, and before `claimedBefore`. */
  readonly claimedFrom?: Date | undefined;
  readonly claimedBefore?: Date | undefined;
  readonly endedFrom?: Date | undefined;
  readonly endedBefore?: Date | undefined;
}

/** A filter as an SQL condition on the table of claims, and the values of its parameters. */
export interface Conditions {
  readonly sql: string;
  readonly values: Value[];
}

export function conditionsOf(environment: string, filter: PaymentFilter): Conditions {
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

/** The expressions that lists are sorted by, which the indexes share. Payments that have not ended, or have no amount, come before all others. */
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
