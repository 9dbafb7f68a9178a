import { setTimeout as sleep } from 'node:timers/promises';
import { standingOf, type Standing } from '../../../src/protocol/state/standing';
import type { PaymentSessions, SessionSummary } from '../../../src/sessions';

/** A session's new state, or its problems. */
export interface SessionEvent {
  /** The time at which the state was first seen. For an end without a result, and for problems: the time of the poll. ISO 8601, UTC. */
  readonly at: string;
  readonly key: string;
  readonly status: string;
  readonly code?: string;
  readonly standing: Standing;
  /** The session's problems, by the names that lists show. */
  readonly problems: readonly string[];
  /** Dollars; absent until it is known, and for a terminated session. */
  readonly amount?: number;
}

/** The interval between polls. A change is usually shown within this time. */
const POLL_EVERY_MS = 1_000;
/** The maximum number of sessions that are polled, the newest first. */
const MOST_SESSIONS = 200;

interface Seen {
  /** The facts of the session's entry in the list, which show a change. */
  readonly mark: string;
  /** States until this time have been reported. */
  readonly until: string;
}

/** Reports states that sessions reach from now on, and new problems, until the signal aborts. */
export async function followSessions(
  sessions: PaymentSessions,
  onEvent: (event: SessionEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const since = new Date().toISOString();
  let seen: ReadonlyMap<string, Seen> | undefined;
  while (!signal.aborted) {
    // A Temporal server that does not answer may answer the next poll.
    const polled = await poll(sessions, seen, since).catch(() => undefined);
    seen = polled?.seen ?? seen;
    polled?.events.sort((a, b) => a.at.localeCompare(b.at)).forEach(onEvent);
    await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Returns the new states, and the result for the next poll. @param before the result of the previous poll */
async function poll(sessions: PaymentSessions, before: ReadonlyMap<string, Seen> | undefined, since: string) {
  const seen = new Map<string, Seen>();
  const events: SessionEvent[] = [];
  for await (const summary of sessions.list({})) {
    const { key, startedAt, status, code, outcome, problems } = summary;
    // The list begins with the newest runs: a second entry with the same key is an earlier run.
    if (seen.has(key)) continue;
    const mark = JSON.stringify([status, code, outcome, problems]);
    const last = before?.get(key) ?? { mark: '', until: since };
    let next: Seen = { mark, until: last.until };
    // The first poll only records the states of sessions that started before.
    const isChange = before !== undefined || startedAt.toISOString() >= since;
    if (isChange && last.mark !== mark) {
      try {
        const found = await eventsOf(sessions, summary, last.until);
        events.push(...found.events);
        next = { mark, until: found.until };
      } catch {
        // The next poll reads this session again.
        next = last;
      }
    }
    seen.set(key, next);
    if (seen.size === MOST_SESSIONS) break;
  }
  return { seen, events };
}

/** Returns the states after `until`, and the time of the last state. */
async function eventsOf(sessions: PaymentSessions, summary: SessionSummary, until: string) {
  const { key, outcome, phase = 'open', problems } = summary;
  const now = new Date().toISOString();
  if (outcome === 'terminated')
    return { events: [{ at: now, key, status: outcome, standing: outcome, problems }], until };
  const session = sessions.get(key);
  const [state, history] = await Promise.all([session.state(), session.stateHistory()]);
  const known = { key, problems, ...(state.amount !== undefined && { amount: state.amount }) };
  const last = history.at(-1);
  // The last entry has the session's present standing; earlier ones have the standing that their status and code mean.
  const { kind, failure, ...standing } = state;
  const events: SessionEvent[] = history
    .filter(({ firstSeenAt }) => firstSeenAt > until)
    .map((entry) => ({
      at: entry.firstSeenAt,
      ...known,
      status: entry.status,
      ...(entry.code !== undefined && { code: entry.code }),
      standing: standingOf({ ...(entry === last && standing), ...entry, kind }),
    }));
  if (failure !== undefined)
    events.push({ at: now, ...known, status: 'failed', code: failure.code, standing: standingOf(state) });
  else if (events.length === 0 && problems.length > 0)
    events.push({ at: now, ...known, status: state.status ?? phase, standing: standingOf(state) });
  return { events, until: last?.firstSeenAt ?? until };
}
