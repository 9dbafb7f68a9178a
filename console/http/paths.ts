/** The paths of one session's pages, and of acts on many. A key may hold anything: it is one segment of a path, whatever it holds. */
export const sessionPath = (key: string): string => `/sessions/${encodeURIComponent(key)}`;

export const actPath = (key: string, act: string): string => `${sessionPath(key)}/${act}`;

/** Where the first step of adopting a session leads. */
export const previewPath = (key: string): string => `${actPath(key, 'adopt')}/preview`;

export const eventsPath = (key: string): string => `${sessionPath(key)}/events`;

/** What can be done to all sessions of a filtered list. */
export const BULK_ACTS = ['cancel', 'refresh', 'abandon'] as const;
export type BulkAct = (typeof BULK_ACTS)[number];

/** The preview of an act on all sessions of a list, whose address has this query. */
export const bulkPath = (act: BulkAct, query: string): string => `/bulk/${act}?${query}`;

export const resultsPath = (once: string): string => `/bulk/results/${once}`;
