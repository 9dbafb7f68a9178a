import type { Client } from '@temporalio/client';
import { shortSessionId } from '../src/contract';
import { dropOldest } from '../src/contract/values/drop-oldest';
import { quoted } from '../src/protocol/temporal/query-text';
import { newestOpen, type PaymentSessions } from '../src/sessions';
import { SEARCH_ATTRIBUTES } from '../src/protocol/temporal/search-attributes';

/**
 * The outcome for a session that a hint names. `refreshed`: the session's workflow answered the refresh. `unknown`: no open session
 * has the id. `failed`: Temporal or the workflow did not answer.
 */
export type HintedOutcome = 'refreshed' | 'unknown' | 'failed';

/** Finds and refreshes sessions. A refresh makes a session's workflow poll the session at once. */
export interface HintedSessions {
  /**
   * Finds the open sessions whose ids at the payment service begin with these texts. Returns, for each text, the keys of
   * the sessions found.
   */
  find(shortIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Refreshes the session of a key. */
  refresh(key: string): Promise<unknown>;
}

/** Options of `HintedRefreshes`. */
export interface HintedRefreshesOptions extends HintedSessions {
  readonly onOutcome: (outcome: HintedOutcome) => void;
  /** Receives the failure of a search or of a refresh. */
  readonly onFailure: (error: unknown) => void;
}

/** The shortest time between the starts of two searches for a session. */
export const HINT_SPACING_MS = 5_000;
/** The shortest time between two searches of Temporal's index. */
export const SEARCH_EVERY_MS = 250;
/** The maximum number of ids in one search. */
export const MOST_SEARCHED = 50;
/**
 * The maximum number of sessions that wait for their search. Hints for further sessions are dropped. That does no harm, because
 * workers poll every open session sooner or later anyway.
 */
const MOST_WAITING = 1_000;
/** The maximum number of refreshes that run at once. There may be a few more if several sessions have ids that begin alike. */
const MOST_REFRESHING = 200;

interface Waiting {
  readonly dueAtMs: number;
  /** True if a first search has not found the session, so that this wait is for the second search. */
  readonly isSecond: boolean;
}

/**
 * A queue of the sessions that hints name. A hint is an HTTP request that names sessions by their ids at the payment service. The queue
 * takes each session in turn, searches for its key in Temporal's index, and refreshes it.
 *
 * A session is in the queue only once, however many hints name it. If a hint arrives sooner than {@link HINT_SPACING_MS} after the last
 * search for the session, the session waits for the rest of that time and is searched for again, because its state may have changed.
 *
 * The queue uses only the beginning of an id, its first eight characters, because Temporal's index has no more.
 */
export class HintedRefreshes {
  /** The waiting sessions, by the beginning of the id, in the order of arrival. */
  readonly #waiting = new Map<string, Waiting>();
  /** The times of the last searches, by the beginning of the id, oldest first. */
  readonly #searchedAtMs = new Map<string, number>();
  readonly #options: HintedRefreshesOptions;
  #refreshing = 0;
  #nextSearchAtMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isSearching = false;
  #isStopped = false;

  constructor(options: HintedRefreshesOptions) {
    this.#options = options;
  }

  /** Adds the sessions with these ids. Returns false if a session was dropped: too many sessions wait, or the worker is stopping. */
  take(sessionIds: readonly string[]): boolean {
    const taken = sessionIds.map((id) => this.#add(shortSessionId(id), false));
    this.#schedule();
    return taken.every(Boolean);
  }

  /** Drops the waiting sessions. Running refreshes continue, but their outcomes are not reported. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting.clear();
    clearTimeout(this.#timer);
  }

  #add(shortId: string | undefined, isSecond: boolean): boolean {
    if (shortId === undefined || this.#waiting.has(shortId)) return true;
    if (this.#isStopped || this.#waiting.size >= MOST_WAITING) return false;
    const searchedAtMs = this.#searchedAtMs.get(shortId) ?? -Infinity;
    this.#waiting.set(shortId, { dueAtMs: searchedAtMs + HINT_SPACING_MS, isSecond });
    return true;
  }

  #schedule(): void {
    if (this.#isSearching || this.#isStopped || this.#waiting.size === 0) return;
    const dueAtMs = Math.min(...Array.from(this.#waiting.values(), (one) => one.dueAtMs));
    const waitMs = Math.max(dueAtMs, this.#nextSearchAtMs) - performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#search(), Math.max(0, waitMs)).unref();
  }

  /** Searches for the sessions that are due, and refreshes those that are open. Never rejects. */
  async #search(): Promise<void> {
    this.#isSearching = true;
    const nowMs = performance.now();
    this.#nextSearchAtMs = nowMs + SEARCH_EVERY_MS;
    const due = this.#takeDue(nowMs);
    try {
      const found = due.size === 0 ? undefined : await this.#options.find([...due.keys()]);
      if (found !== undefined && !this.#isStopped) this.#refreshFound(due, found);
    } catch (error) {
      this.#failed(error, due.size);
    } finally {
      this.#isSearching = false;
      this.#schedule();
    }
  }

  #takeDue(nowMs: number): ReadonlyMap<string, Waiting> {
    const most = Math.max(0, Math.min(MOST_SEARCHED, MOST_REFRESHING - this.#refreshing));
    const due = new Map([...this.#waiting].filter(([, { dueAtMs }]) => dueAtMs <= nowMs).slice(0, most));
    for (const shortId of due.keys()) {
      this.#waiting.delete(shortId);
      this.#searchedAtMs.delete(shortId);
      this.#searchedAtMs.set(shortId, nowMs);
      dropOldest(this.#searchedAtMs, MOST_SPACED);
    }
    return due;
  }

  #refreshFound(due: ReadonlyMap<string, Waiting>, found: ReadonlyMap<string, readonly string[]>): void {
    for (const [shortId, { isSecond }] of due) {
      const keys = found.get(shortId) ?? [];
      for (const key of keys) void this.#refresh(key);
      if (keys.length > 0) continue;
      // The index lags by seconds, so it may not show a session that was just opened. A second search follows.
      if (isSecond) this.#options.onOutcome('unknown');
      else this.#add(shortId, true);
    }
  }

  async #refresh(key: string): Promise<void> {
    this.#refreshing += 1;
    try {
      await this.#options.refresh(key);
      if (!this.#isStopped) this.#options.onOutcome('refreshed');
    } catch (error) {
      this.#failed(error, 1);
    } finally {
      this.#refreshing -= 1;
    }
  }

  #failed(error: unknown, times: number): void {
    if (this.#isStopped) return;
    for (let time = 0; time < times; time += 1) this.#options.onOutcome('failed');
    this.#options.onFailure(error);
  }
}

/** The maximum number of search times to remember. It is twice the number of sessions that can be searched for in {@link HINT_SPACING_MS}. */
const MOST_SPACED = 2 * MOST_SEARCHED * (HINT_SPACING_MS / SEARCH_EVERY_MS);

/** The maximum number of open sessions that one search returns. Two ids rarely begin alike: once in four billion pairs. */
const MOST_FOUND = 2 * MOST_SEARCHED;

/** Finds sessions in Temporal's index by the first eight characters of their ids, and refreshes them through their workflows. */
export function hintedSessions(client: Client, sessions: PaymentSessions, taskQueue: string): HintedSessions {
  return {
    find: async (shortIds) => {
      const isNamed = `${SEARCH_ATTRIBUTES.shortId} IN (${shortIds.map(quoted).join(', ')})`;
      const found = new Map<string, string[]>();
      for (const { key, shortId = '' } of await newestOpen(client, taskQueue, MOST_FOUND, isNamed))
        found.set(shortId, [...(found.get(shortId) ?? []), key]);
      return found;
    },
    refresh: (key) => sessions.get(key).refresh(),
  };
}
