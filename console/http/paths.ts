/** The paths of one session's pages. A key may hold anything: it is one segment of a path, whatever it holds. */
export const sessionPath = (key: string): string => `/sessions/${encodeURIComponent(key)}`;

export const actPath = (key: string, act: string): string => `${sessionPath(key)}/${act}`;

/** Where the first step of adopting a session leads. */
export const previewPath = (key: string): string => `${actPath(key, 'adopt')}/preview`;

export const eventsPath = (key: string): string => `${sessionPath(key)}/events`;
