import { dropOldest } from '../../contract/values/drop-oldest';
import type { Pace } from './pace';

/** What a call asks of the service. */
export type Route = 'create' | 'details' | 'cancel';

/** A call that has ended; the time is in milliseconds of the pace's clock. */
export interface RoutedCall {
  readonly route: Route;
  readonly sentAtMs: number;
}

/** A cancel that the service failed, and whoever sends it again. */
interface Pending {
  readonly resume: () => void;
  /** How often it was resumed, and when that may be done again. */
  readonly resumed: number;
  readonly notBeforeMs: number;
}

/** Beyond this many, the oldest wait for their own back-off. */
const MOST = 10_000;
/** Cancels are resumed at the account's rate, and at this one at most. */
const MOST_PER_SECOND = 50;
/** A service that comes back and fails again has the same cancel resumed at most so soon, and each time after twice as long. */
const FIRST_SPACING_MS = 1_000;
const LONGEST_SPACING_MS = 60_000;

/**
 * The cancels that wait in their workflows because the service was down. The first call that it answers again resumes them one after
 * another: nobody waits out a back-off that has lost its cause. An answer of another route, which it may never have failed, need not
 * mean that it takes cancels: it counts once after each cancel that failed.
 */
export class PendingCancels {
  readonly #pending = new Map<string, Pending>();
  /** The routes that the service fails, and when the latest call was sent that failed. */
  readonly #failing = new Map<Route, number>();
  /** A cancel was sent then, and has failed since any call was answered. */
  #failedCancelAtMs = Infinity;
  #backAtMs = -Infinity;
  #queue: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #pace: Pick<Pace, 'callsPerSecond'>;
  readonly #now: () => number;

  constructor(pace: Pick<Pace, 'callsPerSecond'>, now: () => number) {
    this.#pace = pace;
    this.#now = now;
  }

  /** The service failed a call. */
  failed({ route, sentAtMs }: RoutedCall): void {
    this.#failing.set(route, Math.max(sentAtMs, this.#failing.get(route) ?? -Infinity));
    if (route !== 'cancel') return;
    this.#failedCancelAtMs = sentAtMs;
    this.stop();
  }

  /** The service answered a call. Returns whether it is back: it failed one of this route, which was sent before this one. */
  answered({ route, sentAtMs }: RoutedCall): boolean {
    const isBack = sentAtMs >= (this.#failing.get(route) ?? Infinity);
    if (!isBack && sentAtMs < this.#failedCancelAtMs) return false;
    this.#failedCancelAtMs = Infinity;
    if (isBack) {
      this.#failing.delete(route);
      this.#backAtMs = this.#now();
    }
    this.#queue = [...this.#pending.keys()];
    this.#resumeNext();
    return isBack;
  }

  /** A cancel that was sent then failed; `resume` has it sent again. */
  add(sessionId: string, sentAtMs: number, resume: () => void): void {
    const { resumed = 0, notBeforeMs = -Infinity } = this.#pending.get(sessionId) ?? {};
    this.#pending.delete(sessionId);
    this.#pending.set(sessionId, { resume, resumed, notBeforeMs });
    dropOldest(this.#pending, MOST);
    // The service has come back while this call hung.
    if (sentAtMs <= this.#backAtMs) this.#resume(sessionId);
  }

  /** A session's cancel was answered. */
  settled(sessionId = ''): void {
    this.#pending.delete(sessionId);
  }

  /** Resumes no more for now. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#queue = [];
  }

  #resumeNext(): void {
    if (this.#timer !== undefined) return;
    const next = this.#nextInQueue();
    if (next === undefined) return;
    this.#resume(next);
    const perSecond = Math.min(this.#pace.callsPerSecond, MOST_PER_SECOND);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#resumeNext();
    }, 1_000 / perSecond).unref();
  }

  #nextInQueue(): string | undefined {
    for (;;) {
      const next = this.#queue.shift();
      if (next === undefined || this.#mayResume(next)) return next;
    }
  }

  #mayResume(sessionId: string): boolean {
    return this.#now() >= (this.#pending.get(sessionId)?.notBeforeMs ?? Infinity);
  }

  #resume(sessionId: string): void {
    const pending = this.#pending.get(sessionId);
    if (pending === undefined || !this.#mayResume(sessionId)) return;
    const { resume, resumed } = pending;
    const spacingMs = Math.min(FIRST_SPACING_MS * 2 ** Math.min(resumed, 20), LONGEST_SPACING_MS);
    const notBeforeMs = this.#now() + spacingMs;
    this.#pending.set(sessionId, { ...pending, resumed: resumed + 1, notBeforeMs });
    resume();
  }
}
