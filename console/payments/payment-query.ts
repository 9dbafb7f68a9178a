import { isDay, readTime } from '../../src/contract/values/day';
import { DIRECTIONS, MONEY_PLACES, type Direction, type MoneyPlace } from '../../ledger/sessions/summary';
import type { PaymentFilter } from '../../ledger';
import { isSessionKind } from '../../src/contract/statuses';
import { CUSTOMER, metadataOfWords, soughtFailures, type Metadata } from '../../src/protocol/metadata';
import { dayAfter, momentIn } from '../../src/web/shell/time';
import type { PaymentOrder, PaymentPlace } from '../../ledger/sessions/ledger-payments';

/** The query of the list of payments, from its address. */
export interface PaymentQuery {
  /** The fields as the reader typed them, so that the form shows them again. Spaces around a text are removed, and long texts are cut. */
  readonly typed: Readonly<Record<PaymentField, string>>;
  readonly filter: PaymentFilter;
  readonly order: PaymentOrder;
  readonly after?: PaymentPlace;
  /** The fields that cannot be read as typed. If there are any, the filter is empty. */
  readonly mistakes: readonly PaymentField[];
}

export const FILTER_FIELDS = [
  'money',
  'direction',
  'kind',
  'account',
  'customer',
  'metadata',
  'amountFrom',
  'amountTo',
  'from',
  'to',
  'endedFrom',
  'endedTo',
] as const;

const FIELDS = ['q', ...FILTER_FIELDS, 'sort', 'page'] as const;
export type PaymentField = (typeof FIELDS)[number];

/** Longer than any text that people search for. */
const MAX_TYPED = 300;

const NEWEST_FIRST: PaymentOrder = { by: 'claimed', direction: 'desc' };

/** Reads the query of a list's address. Days are in `timeZone`. */
export function paymentQuery(query: URLSearchParams, timeZone: string): PaymentQuery {
  const read = (name: string) => (query.get(name) ?? '').trim().slice(0, MAX_TYPED);
  const texts = Object.fromEntries(FIELDS.map((name) => [name, read(name)])) as PaymentQuery['typed'];
  // The field `page` ends with a key. The key must not be cut or trimmed, because it may be long or end with a space.
  const typed = { ...texts, page: query.get('page') ?? '' };
  const filters = FILTER_FIELDS.map((name) => ({ name, part: filterPart(name, typed[name], timeZone) }));
  const order = orderOf(typed.sort);
  const after = order && placeOf(typed.page, order);
  const mistakes: readonly PaymentField[] = [
    ...filters.flatMap(({ name, part }) => (part === undefined ? [name] : [])),
    ...(order === undefined ? (['sort'] as const) : []),
    ...(typed.page !== '' && order !== undefined && after === undefined ? (['page'] as const) : []),
  ];
  const text = typed.q === '' ? {} : { text: typed.q };
  const narrowed = filters.reduce<PaymentFilter>(
    (all, { part }) => ({
      ...all,
      ...part,
      ...(part?.metadata && { metadata: { ...all.metadata, ...part.metadata } }),
    }),
    text,
  );
  const filter = mistakes.length > 0 ? {} : narrowed;
  return {
    typed,
    filter,
    order: order ?? NEWEST_FIRST,
    ...(after !== undefined && mistakes.length === 0 && { after }),
    mistakes,
  };
}

/** Reads a field of the filter. An empty field does not filter. Returns `undefined` if the field cannot be read. */
function filterPart(
  name: (typeof FILTER_FIELDS)[number],
  text: string,
  timeZone: string,
): PaymentFilter | undefined {
  if (text === '') return {};
  switch (name) {
    case 'money':
      if (text === WAITING) return { waiting: true };
      if (text === LATE) return { late: true };
      return isMoneyPlace(text) ? { money: text } : undefined;
    case 'direction':
      return isDirection(text) ? { direction: text } : undefined;
    case 'kind':
      return isSessionKind(text) ? { kind: text } : undefined;
    case 'account':
      return { account: text };
    case 'customer':
      return withMetadata({ [CUSTOMER]: text });
    case 'metadata':
      return text.includes('=') ? withMetadata(metadataOfWords([text])) : undefined;
    case 'amountFrom':
    case 'amountTo':
      return withAmount(name, text);
    case 'from':
      return withDay('claimedFrom', text, timeZone);
    case 'to':
      return withDay('claimedBefore', nextDay(text), timeZone);
    case 'endedFrom':
      return withDay('endedFrom', text, timeZone);
    case 'endedTo':
      return withDay('endedBefore', nextDay(text), timeZone);
  }
}

/** A value of the field `money`: money that came back and that no operator has handled yet. */
export const WAITING = 'waiting';
/** A value of the field `money`: money of paid payments that is late. */
export const LATE = 'late';

const isDirection = (text: string): text is Direction => (DIRECTIONS as readonly string[]).includes(text);

const isMoneyPlace = (text: string): text is MoneyPlace => (MONEY_PLACES as readonly string[]).includes(text);

const withMetadata = (metadata: Metadata): PaymentFilter | undefined =>
  Object.keys(metadata).length > 0 && soughtFailures(metadata).length === 0 ? { metadata } : undefined;

const AMOUNT = /^\d{1,12}(?:[.,]\d{1,2})?$/;

const withAmount = (name: 'amountFrom' | 'amountTo', text: string): PaymentFilter | undefined =>
  AMOUNT.test(text) ? { [name]: Number(text.replace(',', '.')) } : undefined;

/** Returns the following day. An invalid day, such as February 30, stays as it is. */
const nextDay = (text: string): string => (isDay(text) ? dayAfter(text, 1) : text);

function withDay(
  name: 'claimedFrom' | 'claimedBefore' | 'endedFrom' | 'endedBefore',
  day: string,
  timeZone: string,
): PaymentFilter | undefined {
  const at = isDay(day) ? momentIn(`${day}T00:00`, timeZone) : new Date(NaN);
  return isStorable(at) ? { [name]: at } : undefined;
}

/**
 * True for a moment in the years 1 to 9999 in UTC, because PostgreSQL reads only those as written. In time zones east of UTC, the year 1
 * begins in UTC's year 0, which is excluded.
 */
const isStorable = (at: Date): boolean =>
  !Number.isNaN(at.getTime()) && /^(?!0000)\d{4}-/.test(at.toISOString());

/** Reads an order: `amount` is ascending, `-amount` descending. */
function orderOf(text: string): PaymentOrder | undefined {
  if (text === '') return NEWEST_FIRST;
  const [, minus, by] = /^(-?)(claimed|ended|amount)$/.exec(text) ?? [];
  return by === undefined
    ? undefined
    : { by: by as PaymentOrder['by'], direction: minus === '-' ? 'desc' : 'asc' };
}

export const sortText = ({ by, direction }: PaymentOrder): string => (direction === 'desc' ? `-${by}` : by);

/**
 * The form of a place in a list, for each order of the list. A place is written as the sorting value (as PostgreSQL writes it in UTC), the
 * number of the key's claim, and the key.
 */
const PLACE_PATTERNS = {
  amount: /^(-?\d{1,20}(?:\.\d{1,20})?)~(\d{1,6})~(.+)$/su,
  claimed: /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00)~(\d{1,6})~(.+)$/su,
  ended: /^(-infinity|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00)~(\d{1,6})~(.+)$/su,
} as const;

function placeOf(text: string, { by }: PaymentOrder): PaymentPlace | undefined {
  const [, at, claim, key] = PLACE_PATTERNS[by].exec(text) ?? [];
  if (at === undefined || key === undefined || key.includes('\0')) return undefined;
  const isMoment = by !== 'amount' && at !== '-infinity';
  return isMoment && readTime(`${at.replace(' ', 'T')}:00`) === undefined
    ? undefined
    : { at, claim: Number(claim), key };
}

/**
 * Describes a list's filters for the log. A search text, a customer or metadata may name a person. So for these fields, the log says only
 * that they are set.
 */
export function filterOf({ typed }: Pick<PaymentQuery, 'typed'>): Readonly<Record<string, string>> {
  const fields = ([...FILTER_FIELDS, 'q'] as const).filter((name) => typed[name] !== '');
  return Object.fromEntries(fields.map((name) => [name, UNLOGGED.has(name) ? '(set)' : typed[name]]));
}

const UNLOGGED: ReadonlySet<PaymentField> = new Set(['q', 'customer', 'metadata']);

/** Returns the address of a list with some values changed. The address is that of the first page, if `other` does not name another page. */
export function addressOf(
  query: Pick<PaymentQuery, 'typed'>,
  other: Partial<PaymentQuery['typed']> = {},
): string {
  return withQuery('/payments', { ...query.typed, page: '', ...other });
}

export const addressOfNext = (query: PaymentQuery, { at, claim, key }: PaymentPlace): string =>
  addressOf(query, { page: `${at}~${claim}~${key}` });

/** Returns the address of the whole list as a CSV file. */
export const addressOfCsv = ({ typed }: PaymentQuery): string =>
  withQuery('/payments.csv', { ...typed, page: '' });

/** Returns the address of the payor search in the same list. */
export const addressOfPayor = ({ typed }: PaymentQuery): string =>
  withQuery('/payments/payor', { ...typed, page: '', sort: '' });

export const addressOfEvents = ({ typed }: PaymentQuery): string => withQuery('/events/payments', typed);

/** Returns the address of the list of payments with these values of its fields. */
export const addressOfPayments = (values: Partial<PaymentQuery['typed']>): string =>
  withQuery('/payments', values);

function withQuery(path: string, values: Partial<PaymentQuery['typed']>): string {
  const query = new URLSearchParams();
  for (const name of FIELDS) if ((values[name] ?? '') !== '') query.set(name, values[name] ?? '');
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
