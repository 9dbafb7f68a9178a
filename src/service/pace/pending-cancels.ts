import { dropOldest } from '../../contract/values/drop-oldest';
import type { CallKind, Pace } from './pace';

/** A cancel that the service failed. */
interface Pending {
  /** Has the cancel sent again. */
  readonly resume: () => void;
  /** The least time until it is resumed once more, and when that may be done. */
  readonly spacingMs: number;
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
 * another: none waits out a back-off that has lost its cause.
 */
export class PendingCancels {
  readonly #pending = new Map<string, Pending>();
  /** When the latest call was sent that the service failed, since it answered one that was sent later. */
  #failedAtMs = Infinity;
  #backAtMs = -Infinity;
  #queue: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #pace: Pick<Pace, 'callsPerSecond'>;
  readonly #now: () => number;

  constructor(pace: Pick<Pace, 'callsPerSecond'>, now: () => number) {
    this.#pace = pace;
    this.#now = now;
  }

  /** The service failed a call that was sent then. */
  failed(kind: CallKind, sentAtMs: number): void {
    this.#failedAtMs = this.#failedAtMs === Infinity ? sentAtMs : Math.max(sentAtMs, this.#failedAtMs);
    if (kind === 'cancel') this.stop();
  }

  /** The service answered a call that was sent then. Returns true if it is back: it failed the calls before. */
  answered(sentAtMs: number): boolean {
    if (sentAtMs < this.#failedAtMs) return false;
    this.#failedAtMs = Infinity;
    this.#backAtMs = this.#now();
    this.#queue = [...this.#pending.keys()];
    this.#resumeNext();
    return true;
  }

  /** A cancel that was sent then failed; `resume` has it sent again. */
  add(sessionId: string, sentAtMs: number, resume: () => void): void {
    const { spacingMs = FIRST_SPACING_MS, notBeforeMs = -Infinity } = this.#pending.get(sessionId) ?? {};
    this.#pending.delete(sessionId);
    this.#pending.set(sessionId, { resume, spacingMs, notBeforeMs });
    dropOldest(this.#pending, MOST);
    // The service has come back while this call hung.
    if (sentAtMs <= this.#backAtMs) this.#resume(sessionId);
  }

  /** A session's cancel was answered. */
  settled(sessionId: string): void {
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
    while (this.#queue.length > 0) {
      if (!this.#resume(this.#queue.shift() ?? '')) continue;
      const perSecond = Math.min(this.#pace.callsPerSecond, MOST_PER_SECOND);
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#resumeNext();
      }, 1_000 / perSecond).unref();
      return;
    }
  }

  /** Resumes a pending cancel, and returns true if it did. The cancel may have been resumed already. */
  #resume(sessionId: string): boolean {
    const pending = this.#pending.get(sessionId);
    const nowMs = this.#now();
    if (pending === undefined || nowMs < pending.notBeforeMs) return false;
    const { resume, spacingMs } = pending;
    this.#pending.set(sessionId, {
      resume,
      spacingMs: Math.min(2 * spacingMs, LONGEST_SPACING_MS),
      notBeforeMs: nowMs + spacingMs,
    });
    resume();
    return true;
  }
}
