import { centsOf } from '../../../src/contract/values/money';
import type { KeptLine, RecordedEntry, RecordedKey } from '../ledger/recorded';
import type { Violation } from './evidence';

/** A line of the payment service's reconciliation files. */
export interface MoneyLine {
  readonly reference: string;
  /** Absent if the money belongs to no session, or if the file was read without session ids. */
  readonly sessionId?: string;
  /** Dollars, to the cent. */
  readonly amount: string;
  /** For example `2026-05-06`. */
  readonly day: string;
  readonly kind: string;
  /** Empty for a settlement. */
  readonly code: string;
}

/** The money at the service and the money in the ledger, after all files were read without faults. */
export interface Books {
  /** The lines of the sandbox. Each has the id of its session. */
  readonly lines: readonly MoneyLine[];
  /** Strangers: additional lines with money that belongs to no session. */
  readonly strangers: readonly MoneyLine[];
  readonly recorded: ReadonlyMap<string, RecordedKey>;
  /** The lines that no payment matched when they were read. */
  readonly kept: readonly KeptLine[];
  /** The ids of the lines that a person has explained. */
  readonly explained: ReadonlySet<string>;
  /** The error codes of failed runs of reconcile. */
  readonly failures: readonly string[];
  /** The sums that the ledger reports, in cents: money that settled and stayed, money that came back, and lines that wait. */
  readonly sums: { readonly stayed: number; readonly returned: number; readonly waiting: number };
}

/** A ledger entry about a settlement or a return. */
interface Money {
  readonly key: string;
  readonly entry: RecordedEntry;
  /** All sessions that the entry's claim has had. */
  readonly sessionIds: readonly string[];
}

/**
 * Invariant (z): each line of the files is recorded once for its session, or kept once as unmatched. Nothing else is recorded, and the sums
 * are equal to the cent.
 */
export function checkMoney(books: Books): Violation[] {
  const moneys = moneysIn(books.recorded);
  const violation = (where: string, what: string): Violation => ({ invariant: 'z', where, what });
  return [
    ...books.failures.map((code) => violation('the ledger', `a reconciliation failed: ${code}`)),
    ...books.lines.flatMap((line) =>
      faultOf(line, books, moneys).map((what) =>
        violation(keyOrReferenceOf(line, books), `${text(line)} ${what}`),
      ),
    ),
    ...moneys
      .filter((money) => !books.lines.some((line) => isEntryOf(line, money)))
      .map(({ key, entry }) => violation(key, `it has ${entry.kind}, which no file says`)),
    ...books.strangers.flatMap((line) => {
      const kept = books.kept.filter((one) => isSame(line, one));
      const isRight = kept.length === 1 && kept[0]?.isMatched === false;
      return isRight
        ? []
        : [violation(line.reference, `${text(line)} is kept ${kept.length} times, or matched`)];
    }),
    ...books.kept.flatMap(({ id, ...line }) => {
      const payment = paymentOfWaiting({ id, ...line }, books);
      return payment === undefined
        ? []
        : [violation(keyOrReferenceOf(payment, books), `line ${id} waits, and ${text(payment)} is known`)];
    }),
    ...[...books.explained]
      .filter((id) => !books.kept.some((line) => line.id === id && line.isExplained))
      .map((id) => violation(id, 'its explanation is lost')),
    ...differencesOfSums(books, moneys).map((what) => violation('the ledger', what)),
  ];
}

const moneysIn = (recorded: Books['recorded']): readonly Money[] =>
  [...recorded].flatMap(([key, { entries }]) =>
    entries
      .filter(({ kind }) => kind === 'settled' || kind === 'returned')
      .map((entry) => ({ key, entry, sessionIds: sessionsOf(entries, entry.claim) })),
  );

const sessionsOf = (entries: readonly RecordedEntry[], claim: number): readonly string[] =>
  entries
    .filter((entry) => entry.claim === claim && entry.kind === 'opened')
    .map(({ body }) => String(body['sessionId']).toLowerCase());

/** True if the entry records this line for the line's own session. */
const isEntryOf = (
  { sessionId = '', amount, day, kind, code }: MoneyLine,
  { entry, sessionIds }: Money,
): boolean =>
  sessionIds.includes(sessionId.toLowerCase()) &&
  entry.kind === kind &&
  entry.atMs === Date.parse(day) &&
  centsOf(Number(entry.body['amount'])) === centsOf(Number(amount)) &&
  (entry.body['code'] ?? '') === code;

const isSame = (line: MoneyLine, kept: KeptLine): boolean =>
  line.sessionId?.toLowerCase() === kept.sessionId?.toLowerCase() &&
  line.kind === kept.kind &&
  line.day === kept.day &&
  line.amount === kept.amount &&
  line.code === (kept.code ?? '');

/**
 * Returns the errors in the record of a line. If no claim has the line's session, a reset may have left that session behind. The line is
 * then kept as unmatched, although the session that replaced it may have an equal entry.
 */
function faultOf(line: MoneyLine, { recorded, kept }: Books, moneys: readonly Money[]): readonly string[] {
  const entries = moneys.filter((money) => isEntryOf(line, money)).length;
  const open = kept.filter((one) => isSame(line, one) && !one.isMatched).length;
  const claim = claimOf(line.sessionId, recorded);
  const isRight =
    claim === undefined
      ? entries <= 1 && open <= 1 && entries + open > 0
      : claim.paid
        ? entries === 1 && open === 0
        : entries + open === 1;
  if (isRight) return [];
  const paid = claim === undefined ? 'of no key' : claim.paid ? 'paid' : 'not paid';
  return [`is recorded ${entries} times and kept ${open} times, and its session is ${paid}`];
}

function claimOf(sessionId: string | undefined, recorded: Books['recorded']) {
  const id = sessionId?.toLowerCase();
  return [...recorded.values()].flatMap(({ claims }) => claims).find((claim) => claim.sessionId === id);
}

/**
 * For a waiting line without a session id, returns the line of a paid claim with the same reference, kind and day. Returns `undefined` if
 * there is no such claim.
 */
function paymentOfWaiting(
  { sessionId, referenceId, isMatched, isExplained, ...line }: KeptLine,
  books: Books,
): MoneyLine | undefined {
  if (sessionId !== null || isMatched || isExplained) return undefined;
  return books.lines.find(
    (own) =>
      own.reference === referenceId &&
      own.kind === line.kind &&
      own.day === line.day &&
      claimOf(own.sessionId, books.recorded)?.paid === true,
  );
}

/** Returns the key that has or had the line's session. If there is no such key, returns the line's reference. */
function keyOrReferenceOf({ sessionId = '', reference }: MoneyLine, { recorded }: Books): string {
  const [key] =
    [...recorded].find(([, { entries }]) =>
      entries.some((entry) => sessionsOf(entries, entry.claim).includes(sessionId.toLowerCase())),
    ) ?? [];
  return key ?? reference;
}

function differencesOfSums({ kept, sums }: Books, moneys: readonly Money[]): readonly string[] {
  const returned = moneys.filter(({ entry }) => entry.kind === 'returned');
  const isReturned = ({ key, entry: { claim } }: Money) =>
    returned.some((one) => one.key === key && one.entry.claim === claim);
  const expected = {
    stayed: sumOf(moneys.filter((money) => !isReturned(money)).map(({ entry }) => entry.body['amount'])),
    returned: sumOf(returned.map(({ entry }) => entry.body['amount'])),
    waiting: sumOf(
      kept.filter(({ isMatched, isExplained }) => !isMatched && !isExplained).map(({ amount }) => amount),
    ),
  };
  return (Object.keys(expected) as (keyof typeof expected)[])
    .filter((name) => expected[name] !== sums[name])
    .map((name) => `the ledger reports ${sums[name]} cents as ${name}, and has ${expected[name]}`);
}

const sumOf = (amounts: readonly unknown[]): number =>
  amounts.reduce<number>((sum, amount) => sum + (centsOf(Number(amount)) ?? 0), 0);

const text = ({ kind, amount, day, code, sessionId = 'none' }: MoneyLine): string =>
  `${kind} ${amount} on ${day}${code && ` (${code})`} of session ${sessionId}`;
