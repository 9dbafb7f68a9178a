import type { Clock } from '../clock';
import type { Drawer, Journal } from '../journal';
import type { PlannedEvent } from './scenarios';
import type { SandboxSession, FlowProgress } from './session';
import { isOver, transition, type EventRefusal, type SessionEvent } from './transitions';

/** The effect of an event on a session. */
export type EventResult =
  | { readonly accepted: true; readonly session: SandboxSession }
  | { readonly accepted: false; readonly reason: EventRefusal | 'unknownSession' };

/** The change that a payor's request makes. */
export interface Change {
  /** The payor's place in the flow after the change. */
  readonly flow: FlowProgress;
  /** Events of the session, in this order. */
  readonly events: readonly SessionEvent[];
}

export interface SessionStoreOptions {
  readonly clock: Clock;
  readonly maxSessions: number;
  readonly idleExpiryMs: number;
  readonly absoluteExpiryMs: number;
  readonly journal: Journal;
  /** Called after every accepted event, with the session before and after it, and the time of the event. */
  readonly onMoved: (before: SandboxSession, after: SandboxSession, atMs: number) => void;
}

/**
 * The sessions, limited in number. Scenarios and expiry (contract rule A57 in docs/contract.md) need no timers. Before a session is read,
 * every due event is applied with the time at which it was due. So a read sees exactly the events that are due at the time of the read.
 */
export class SessionStore {
  readonly #sessions = new Map<string, SandboxSession>();
  readonly #options: SessionStoreOptions;
  readonly #drawer: Drawer<SandboxSession>;

  constructor(options: SessionStoreOptions) {
    this.#options = options;
    this.#drawer = options.journal.drawer('session/', (sessions) => {
      this.#restore([...sessions.values()]);
    });
  }

  /** Keeps a new session. Returns `false` if there is no room, because too many are open. */
  add(session: SandboxSession): boolean {
    if (this.#sessions.size >= this.#options.maxSessions && !this.#evictOldestEnded()) return false;
    this.#keep(session);
    return true;
  }

  /** Restores the sessions. If there are more than `maxSessions`, drops ended ones. */
  #restore(sessions: readonly SandboxSession[]): void {
    this.#sessions.clear();
    const oldestFirst = sessions.toSorted((one, other) => one.state.createdAtMs - other.state.createdAtMs);
    for (const session of oldestFirst) this.#sessions.set(session.sessionId, session);
    let isTooFull = this.#sessions.size > this.#options.maxSessions;
    while (isTooFull) isTooFull = this.#evictOldestEnded() && this.#sessions.size > this.#options.maxSessions;
  }

  get(sessionId: string): SandboxSession | undefined {
    const session = this.#sessions.get(sessionId);
    return session && this.#settle(session);
  }

  /** Applies one event, now. */
  apply(sessionId: string, event: SessionEvent): EventResult {
    const session = this.get(sessionId);
    if (session === undefined) return { accepted: false, reason: 'unknownSession' };
    return this.#move(session, event, this.#options.clock.now());
  }

  /**
   * Calls `decide` with a session, and at once makes the change that `decide` returns: all events, and the payor's new place in the flow.
   * Throws if the session refuses an event. Such a refusal is a bug of the flow, because `decide` saw this very session. Returns
   * `undefined` for an unknown session.
   */
  advance<Outcome extends { readonly change?: Change }>(
    sessionId: string,
    decide: (session: SandboxSession) => Outcome,
  ): { readonly session: SandboxSession; readonly decision: Outcome } | undefined {
    const session = this.get(sessionId);
    if (session === undefined) return undefined;
    const decision = decide(session);
    return { session: this.#change(session, decision.change), decision };
  }

  /** Returns every session, the newest first. */
  newestFirst(): readonly SandboxSession[] {
    this.settleAll();
    return [...this.#sessions.values()].reverse();
  }

  /** Deletes every session. */
  clear(): void {
    for (const sessionId of this.#sessions.keys()) this.#drawer.remove(sessionId);
    this.#sessions.clear();
  }

  /** Plans one more event. Returns `false` if the session does not exist. */
  plan(sessionId: string, planned: PlannedEvent): boolean {
    return this.#replace(sessionId, (session) => ({
      ...session,
      plan: [...session.plan, planned].sort((one, other) => one.atMs - other.atMs),
    }));
  }

  /** Plans when a payment settles and comes back, once it is paid. Returns `false` if the session does not exist. */
  planMoney(sessionId: string, planned: Pick<SandboxSession, 'settlesAfterMs' | 'returns'>): boolean {
    return this.#replace(sessionId, (session) => ({ ...session, ...planned }));
  }

  #replace(sessionId: string, change: (session: SandboxSession) => SandboxSession): boolean {
    const session = this.get(sessionId);
    if (session !== undefined) this.#keep(change(session));
    return session !== undefined;
  }

  /** Applies all due events of every session. */
  settleAll(): void {
    for (const session of this.#sessions.values()) this.#settle(session);
  }

  #settle(session: SandboxSession): SandboxSession {
    const nowMs = this.#options.clock.now();
    let current = session;
    for (
      let due = this.#nextDue(current);
      due !== undefined && due.atMs <= nowMs;
      due = this.#nextDue(current)
    ) {
      const moved = this.#move(due.session, due.event, due.atMs);
      current = moved.accepted ? moved.session : this.#keep(due.session);
    }
    return current;
  }

  /** Returns the next event that happens to the session by itself: a planned event, or the expiry. */
  #nextDue(session: SandboxSession) {
    const [planned, ...plan] = session.plan;
    const expiresAtMs = this.#expiresAtMs(session);
    if (planned !== undefined && planned.atMs < expiresAtMs)
      return { ...planned, session: { ...session, plan } };
    if (expiresAtMs === Infinity) return undefined;
    return { atMs: expiresAtMs, event: { type: 'expired' } as const, session: { ...session, plan: [] } };
  }

  #expiresAtMs({ state }: SandboxSession): number {
    if (state.status !== 'Initiated') return Infinity;
    const { idleExpiryMs, absoluteExpiryMs } = this.#options;
    return Math.min(state.touchedAtMs + idleExpiryMs, state.createdAtMs + absoluteExpiryMs);
  }

  #change(session: SandboxSession, change?: Change): SandboxSession {
    if (change === undefined) return session;
    const nowMs = this.#options.clock.now();
    let current = session;
    for (const event of change.events) {
      const result = this.#move(current, event, nowMs);
      if (!result.accepted)
        throw new Error(`The flow decided on ${event.type}, which the session refuses: ${result.reason}.`);
      current = result.session;
    }
    return this.#keep({ ...current, flow: change.flow });
  }

  #move(session: SandboxSession, event: SessionEvent, atMs: number): EventResult {
    const result = transition(session.state, event, atMs);
    if (!result.accepted) return result;
    const { state } = result;
    const after = this.#keep({ ...session, state, plan: isOver(state) ? [] : session.plan });
    this.#options.onMoved(session, after, atMs);
    return { accepted: true, session: after };
  }

  #keep(session: SandboxSession): SandboxSession {
    this.#sessions.set(session.sessionId, session);
    this.#drawer.put(session.sessionId, session);
    return session;
  }

  /** Drops the oldest ended session. Drops a session that still waits for its signature only if no other session has ended. */
  #evictOldestEnded(): boolean {
    this.settleAll();
    const ended = [...this.#sessions.values()].filter(({ state }) => state.status !== 'Initiated');
    const oldest = ended.find(({ state }) => isOver(state)) ?? ended[0];
    if (oldest === undefined) return false;
    this.#drawer.remove(oldest.sessionId);
    return this.#sessions.delete(oldest.sessionId);
  }
}
