import { setTimeout as sleep } from 'node:timers/promises';
import { standingOf, type Standing } from '../../../src/protocol/state/standing';
import type { PaymentSessions, SessionSummary } from '../../../src/sessions';

/** A new state of a session, or its problems. */
export interface SessionEvent {
  /**
   * The time at which the state was first seen. For problems, and for a workflow that ended without a result, the time of the poll. ISO 8601, UTC.
   */
  readonly at: string;
  readonly key: string;
  readonly status: string;
  readonly code?: string;
  readonly standing: Standing;
  /** The names of the session's problems, as lists show them. */
  readonly problems: readonly string[];
  /** The amount in dollars. Absent if it is not known yet, and for a terminated session. */
  readonly amount?: number;
}

/** The pause between polls of the list of sessions. A change is usually shown within this time. */
const POLL_EVERY_MS = 1_000;
/** The maximum number of sessions to poll. The newest sessions are polled. */
const MOST_SESSIONS = 200;

interface Seen {
  /** A text of the session's entry in the list. If it differs from the last one, the session has changed. */
  readonly mark: string;
  /** The time until which states were reported. */
  readonly until: string;
}

/** Reports new states and new problems of sessions until the signal aborts. */
export async function followSessions(
  sessions: PaymentSessions,
  onEvent: (event: SessionEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const since = new Date().toISOString();
  let seen: ReadonlyMap<string, Seen> | undefined;
  while (!signal.aborted) {
    // A failed poll is ignored. The Temporal server may answer the next one.
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
    // The list begins with the newest runs. So a second entry with the same key is an earlier run.
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
  // The standing of the last entry is that of the session's current state. The standing of an earlier entry follows from its status and code.
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
