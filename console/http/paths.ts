import type { FastifyRequest } from 'fastify';

/** The paths of one session's pages, and of acts on many. A key may hold anything: it is one segment of a path, whatever it holds. */
export const sessionPath = (key: string): string => `/sessions/${encodeURIComponent(key)}`;

export const actPath = (key: string, act: string): string => `${sessionPath(key)}/${act}`;

/** The first step of adopting a session leads there. */
export const previewPath = (key: string): string => `${actPath(key, 'adopt')}/preview`;

export const eventsPath = (key: string): string => `${sessionPath(key)}/events`;

/** The acts on all sessions of a filtered list. */
export const BULK_ACTS = ['cancel', 'refresh', 'abandon'] as const;
export type BulkAct = (typeof BULK_ACTS)[number];

/** The preview of an act on all sessions of a list, whose address has this query. */
export const bulkPath = (act: BulkAct, query: string): string => `/bulk/${act}?${query}`;

export const resultsPath = (once: string): string => `/bulk/results/${once}`;

const LONGEST_PATH = 2_000;
const BASE = 'http://console.invalid';

/**
 * A path of the console to go on to, out of what a query says: `/` for anything that leads elsewhere. It is judged as a
 * browser will read it, for `/\evil.example` and `/..//evil.example` lead to other hosts.
 */
export function safePath(text: string | undefined): string {
  if (text === undefined || text.length > LONGEST_PATH || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(text))
    return '/';
  if (!URL.canParse(text, BASE)) return '/';
  const { origin, pathname, search } = new URL(text, BASE);
  // Nor back to the login: it would go on for ever.
  const isPage = !pathname.startsWith('//') && !/^\/log(in|out|ged-out)(\/|$)/.test(pathname);
  return origin === BASE && isPage ? pathname + search : '/';
}

/** Returns the query of a request. */
export function queryOf({ url }: FastifyRequest): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}
