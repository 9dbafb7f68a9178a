import type { Client } from '@temporalio/client';
import type { SessionFilter } from './filter';
import { listSessions, type SessionSummary } from './list-sessions';
import { byNewest } from './newest-first';

/** Where a page begins: after the session with this key, which started at this time. */
export type PageStart = Pick<SessionSummary, 'key' | 'startedAt'>;

export interface PageOptions {
  /** The most sessions on it. */
  readonly size: number;
  /** @default the newest session */
  readonly after?: PageStart | undefined;
}

export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: PageStart;
}

/** So many are read at first. Half of them tell how far back a page reaches, and each costs the engine time. */
const sortedAtOnce = (size: number): number => 2 * size + 10;

/** A page of the sessions that match a filter, newest first. Throws what a list of them throws. */
export async function sessionsPage(
  client: Client,
  filter: SessionFilter,
  { size, after }: PageOptions,
): Promise<SessionPage> {
  // Others that started in the same millisecond may come after it.
  const beforeMs = after && after.startedAt.getTime() + 1;
  const sessions: SessionSummary[] = [];
  for await (const summary of listSessions(client, filter, { beforeMs, sortedAtOnce: sortedAtOnce(size) })) {
    if (after !== undefined && byNewest(after, summary) >= 0) continue;
    if (sessions.length === size) return { sessions, ...nextOf(sessions) };
    sessions.push(summary);
  }
  return { sessions };
}

function nextOf(sessions: readonly SessionSummary[]): Pick<SessionPage, 'next'> {
  const last = sessions.at(-1);
  return last === undefined ? {} : { next: { key: last.key, startedAt: last.startedAt } };
}
