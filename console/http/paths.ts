import type { FastifyRequest } from 'fastify';

/** The path of a session's page. The key is encoded, so that it is always one path segment. */
export const sessionPath = (key: string): string => `/sessions/${encodeURIComponent(key)}`;

export const actPath = (key: string, act: string): string => `${sessionPath(key)}/${act}`;

/** The path of the list of a customer's payments in the ledger, or of the customer's sessions at Temporal. */
export const customerPath = (customer: string, list: 'payments' | 'sessions'): string =>
  `/${list}?${new URLSearchParams({ customer }).toString()}`;

/** The path that receives the form of an adoption's first step. */
export const previewPath = (key: string): string => `${actPath(key, 'adopt')}/preview`;

export const eventsPath = (key: string): string => `${sessionPath(key)}/events`;

/** Actions on all sessions of a filtered list. */
export const BULK_ACTS = ['cancel', 'refresh', 'retry', 'abandon'] as const;
export type BulkAct = (typeof BULK_ACTS)[number];

/** Returns the path of the preview for an action on the list with this query. */
export const bulkPath = (act: BulkAct, query: string): string => `/bulk/${act}?${query}`;

export const resultsPath = (once: string): string => `/bulk/results/${once}`;

const LONGEST_PATH = 2_000;
const BASE = 'http://console.invalid';

/**
 * Returns the path if the console may redirect to it. Returns `/` for another site, a login, a logout, or an invalid path. Parses the path
 * in the same way as a browser, because `/\evil.example` and `/..//evil.example` lead to other hosts.
 */
export function safePath(text: string | undefined): string {
  if (text === undefined || text.length > LONGEST_PATH || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(text))
    return '/';
  if (!URL.canParse(text, BASE)) return '/';
  const { origin, pathname, search } = new URL(text, BASE);
  // A redirect back to the login would never end.
  const isPage = !pathname.startsWith('//') && !/^\/log(in|out|ged-out)(\/|$)/.test(pathname);
  return origin === BASE && isPage ? pathname + search : '/';
}

/** Returns the query of a request. */
export function queryOf({ url }: FastifyRequest): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}
