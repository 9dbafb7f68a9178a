import { isPaysessionError } from '../../src/errors';
import { conditionsOf, isIndexed, type PageStart, type SessionFilter } from '../../src/sessions';
import { CUSTOMER } from '../../src/protocol/metadata';
import { momentIn } from '../../src/web/shell/time';
import { FACET_NAMES, type Facet } from '../reading/reading';

/** The query of a list, from its address. */
export interface ListQuery {
  /** The search text. If it is not empty, the filter is ignored. */
  readonly search: string;
  /** The fields as the reader typed them, so that the form shows them again. Spaces around a text are removed, and long texts are cut. */
  readonly typed: Readonly<Record<FilterField, string>>;
  readonly filter: SessionFilter;
  /** The page begins after this session; absent for the first page. */
  readonly after?: PageStart;
  /** The fields that cannot be read as typed. If there are any, the filter is empty. */
  readonly mistakes: readonly FilterField[];
}

export type FilterField = Facet | 'account' | 'customer' | 'after' | 'before';

const FILTER_FIELDS: readonly FilterField[] = [...FACET_NAMES, 'account', 'customer', 'after', 'before'];

/** Longer than any text that people search for. */
const MAX_TYPED = 300;

/** Reads the query of a list's address. Times without a `Z` are in `timeZone`. */
export function listQuery(query: URLSearchParams, timeZone: string): ListQuery {
  const read = (name: string) => (query.get(name) ?? '').trim().slice(0, MAX_TYPED);
  const typed = Object.fromEntries(FILTER_FIELDS.map((name) => [name, read(name)])) as ListQuery['typed'];
  const after = pageStart(query.get('page') ?? '');
  const asked = { search: read('q'), typed, ...(after !== undefined && { after }) };
  const mistakes = FILTER_FIELDS.filter((name) => !isReadable(filterOf({ [name]: typed[name] }, timeZone)));
  return { ...asked, filter: mistakes.length === 0 ? filterOf(typed, timeZone) : {}, mistakes };
}

function filterOf(
  { customer = '', after = '', before = '', ...texts }: Partial<ListQuery['typed']>,
  timeZone: string,
): SessionFilter {
  const given = Object.entries(texts).filter(([, text]) => text !== '');
  return {
    ...(Object.fromEntries(given) as SessionFilter),
    ...(customer !== '' && { metadata: { [CUSTOMER]: customer } }),
    ...(after !== '' && { startedAfter: momentOf(after, timeZone) }),
    ...(before !== '' && { startedBefore: momentOf(before, timeZone) }),
  };
}

const TIME = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?)?Z?$/;

/**
 * Reads a time from a form. A time is in the console's time zone, as the field's label says. If it ends with `Z`, it is in UTC. Returns an
 * invalid `Date` for an impossible time, such as February 30.
 */
function momentOf(typed: string, timeZone: string): Date {
  const [, day, time = 'T00:00'] = TIME.exec(typed) ?? [];
  if (day === undefined) return new Date(NaN);
  return momentIn(`${day}${time}`, typed.endsWith('Z') ? 'UTC' : timeZone);
}

function isReadable(filter: SessionFilter): boolean {
  try {
    conditionsOf(filter);
    return true;
  } catch (error) {
    if (isPaysessionError(error, 'INVALID_FILTER')) return false;
    throw error;
  }
}

/** A search text, and values of fields. */
interface Wanted {
  readonly search?: string;
  readonly typed: Readonly<Partial<Record<FilterField, string | undefined>>>;
}

/** Returns the address of a list's first page, or of the page after a session. */
export function addressOf(wanted: Wanted, next?: PageStart): string {
  const query = queryText(wanted, next);
  return query === '' ? '/sessions' : `/sessions?${query}`;
}

/** Returns the address of a list's events. */
export const eventsOf = (query: ListQuery): string => `/events/sessions?${queryText(query, query.after)}`;

/** Returns the address of the list of sessions with these values of its fields. */
export const addressOfFilter = (typed: Wanted['typed']): string => addressOf({ typed });

/** Returns the query of a list's address. */
export function queryText({ search = '', typed }: Wanted, next?: PageStart): string {
  const query = new URLSearchParams();
  if (search !== '') query.set('q', search);
  for (const name of FILTER_FIELDS) if (typed[name]) query.set(name, typed[name]);
  if (next !== undefined) query.set('page', `${next.startedAt.getTime()}.${next.key}`);
  return query.toString();
}

function pageStart(text: string): PageStart | undefined {
  const [, ms, key] = /^(\d{1,15})\.(.+)$/su.exec(text) ?? [];
  const startedAt = new Date(Number(ms));
  return key === undefined || !isIndexed(startedAt) ? undefined : { startedAt, key };
}
