import { setTimeout as sleep } from 'node:timers/promises';
import type { StateHistoryEntry } from '../../../src/protocol/state/recorded';
import { standingOf, type Standing } from '../../../src/protocol/state/standing';
import type { PaymentSessions, SessionSummary } from '../../../src/sessions';

/** A session's new state. */
export interface SessionEvent {
  /** When it was first seen; ISO 8601, UTC. */
  readonly at: string;
  readonly key: string;
  readonly status: string;
  readonly code?: string;
  readonly standing: Standing;
  /** The problems that keep the session from going on, by the names that lists show. */
  readonly problems: readonly string[];
  /** Dollars; absent until it is known. */
  readonly amount?: number;
}

/** Interval of the polls. A change is shown at most about this late. */
const LOOK_EVERY_MS = 1_000;
/** Sessions that are polled, the newest first. */
const MOST_SESSIONS = 200;

interface Seen {
  /** The session's entry in the Temporal server's list. */
  readonly mark: string;
  /** States until this time are reported. */
  readonly until: string;
}

/** Reports each state that a session reaches from now on, until the signal aborts. */
export async function followSessions(
  sessions: PaymentSessions,
  onEvent: (event: SessionEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const since = new Date().toISOString();
  let seen: ReadonlyMap<string, Seen> | undefined;
  while (!signal.aborted) {
    // A Temporal server that does not answer now may answer next time.
    seen = await look(sessions, { seen, since, onEvent }).catch(() => seen);
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

interface Look {
  /** The result of the previous poll; `undefined` before the first. */
  readonly seen: ReadonlyMap<string, Seen> | undefined;
  readonly since: string;
  readonly onEvent: (event: SessionEvent) => void;
}

async function look(sessions: PaymentSessions, { seen, since, onEvent }: Look) {
  const now = new Map<string, Seen>();
  const told: SessionEvent[] = [];
  for await (const summary of sessions.list({})) {
    const { key, startedAt } = summary;
    const { status, code, outcome, problems } = summary;
    const mark = JSON.stringify([status, code, outcome, problems]);
    const before = seen?.get(key);
    let until = before?.until ?? since;
    // The first poll only records the existing states.
    const isChange = seen !== undefined || startedAt.toISOString() >= since;
    if (isChange && before?.mark !== mark) {
      const seenNow = await eventsOf(sessions, summary, until);
      told.push(...seenNow.events);
      ({ until } = seenNow);
    }
    now.set(key, { mark, until });
    if (now.size === MOST_SESSIONS) break;
  }
  told.sort((a, b) => a.at.localeCompare(b.at)).forEach(onEvent);
  return now;
}

interface Events {
  readonly events: readonly SessionEvent[];
  /** States until this time are in `events`, or were reported before. */
  readonly until: string;
}

async function eventsOf(sessions: PaymentSessions, summary: SessionSummary, until: string): Promise<Events> {
  const { key, outcome, phase = 'open', problems } = summary;
  const now = new Date().toISOString();
  if (outcome === 'terminated')
    return { events: [{ at: now, key, status: outcome, standing: outcome, problems }], until };
  const session = sessions.get(key);
  const [state, history] = await Promise.all([session.state(), session.stateHistory()]);
  const known = { key, problems, ...(state.amount !== undefined && { amount: state.amount }) };
  const last = history.at(-1);
  // The last entry has the session's present standing; earlier ones have what was reported.
  const { kind, failure, ...standing } = state;
  const standingAt = (entry: StateHistoryEntry) =>
    standingOf({ ...(entry === last && standing), ...entry, kind });
  const events = history
    .filter(({ firstSeenAt }) => firstSeenAt > until)
    .map((entry) => ({
      at: entry.firstSeenAt,
      ...known,
      status: entry.status,
      ...(entry.code !== undefined && { code: entry.code }),
      standing: standingAt(entry),
    }));
  const more: readonly SessionEvent[] =
    failure !== undefined
      ? [{ at: now, ...known, status: 'failed', code: failure.code, standing: standingOf(state) }]
      : events.length === 0 && problems.length > 0
        ? [{ at: now, ...known, status: state.status ?? phase, standing: standingOf(state) }]
        : [];
  return { events: [...events, ...more], until: last?.firstSeenAt ?? until };
}
