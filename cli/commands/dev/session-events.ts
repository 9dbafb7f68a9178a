import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentSessions, SessionSummary } from '../../../src/sessions';

/** A session's new state. */
export interface SessionEvent {
  /** When it was first seen; ISO 8601, UTC. */
  readonly at: string;
  readonly key: string;
  readonly status: string;
  readonly code?: string;
  /** Absent where the session's later states may say otherwise. */
  readonly paid?: boolean;
  /** Dollars; absent until it is known. */
  readonly amount?: number;
}

/** A change is shown about this late. */
const LOOK_EVERY_MS = 1_000;
/** Sessions that are looked at, the newest first. */
const MOST_SESSIONS = 200;

interface Seen {
  /** What the engine's list said of it. */
  readonly mark: string;
  /** States until this time are told. */
  readonly until: string;
}

/** Tells each state that a session reaches from now on, until the signal aborts. */
export async function followSessions(
  sessions: PaymentSessions,
  onEvent: (event: SessionEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const since = new Date().toISOString();
  let seen: ReadonlyMap<string, Seen> | undefined;
  while (!signal.aborted) {
    // An engine that does not answer now may answer at the next look.
    seen = await look(sessions, { seen, since, onEvent }).catch(() => seen);
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

interface Look {
  /** What the look before saw; there is none before the first. */
  readonly seen: ReadonlyMap<string, Seen> | undefined;
  readonly since: string;
  readonly onEvent: (event: SessionEvent) => void;
}

async function look(sessions: PaymentSessions, { seen, since, onEvent }: Look) {
  const now = new Map<string, Seen>();
  const told: SessionEvent[] = [];
  for await (const summary of sessions.list({})) {
    const { key, startedAt } = summary;
    const mark = JSON.stringify([summary.status, summary.code, summary.outcome]);
    const before = seen?.get(key);
    let until = before?.until ?? since;
    // The first look only learns what was there before.
    const isNews = seen !== undefined || startedAt.toISOString() >= since;
    if (isNews && before?.mark !== mark) {
      const events = await eventsOf(sessions, summary, until);
      told.push(...events);
      until = events.at(-1)?.at ?? until;
    }
    now.set(key, { mark, until });
    if (now.size === MOST_SESSIONS) break;
  }
  told.sort((a, b) => a.at.localeCompare(b.at)).forEach(onEvent);
  return now;
}

async function eventsOf(
  sessions: PaymentSessions,
  { key, outcome, endedAt = new Date() }: SessionSummary,
  until: string,
): Promise<readonly SessionEvent[]> {
  if (outcome === 'terminated') return [{ at: endedAt.toISOString(), key, status: outcome, paid: false }];
  const session = sessions.get(key);
  const [{ amount, failure, paid }, history] = await Promise.all([session.state(), session.stateHistory()]);
  const known = { key, ...(amount !== undefined && { amount }) };
  const last = history.length - 1;
  const events = history
    .map(({ firstSeenAt: at, status, code }, index) => ({
      at,
      ...known,
      status,
      ...(code !== undefined && { code }),
      ...(index === last && { paid }),
    }))
    .filter(({ at }) => at > until);
  if (failure === undefined) return events;
  return [...events, { at: endedAt.toISOString(), ...known, status: 'failed', code: failure.code, paid }];
}
