import { dropOldest } from '../../contract/values/drop-oldest';
import type { CallKind, Pace } from './pace';

/** A cancel that the service failed or did not answer, or whose answer this side no longer waits for. */
interface Pending {
  /** Makes the session send the cancel again. */
  readonly resume: () => void;
  /** The time that must pass after the next resumption before the cancel may be resumed again. */
  readonly spacingMs: number;
  /** The earliest time of the next resumption. */
  readonly notBeforeMs: number;
}

/** The maximum number of cancels to resume. Beyond it, the oldest cancels wait for their own back-off. */
const MAX_CANCELS = 10_000;
/** Cancels are resumed at the account's rate, but at most this many a second. */
const MAX_PER_SECOND = 50;
/**
 * The first `spacingMs` of a cancel: the service may come back and fail again. It doubles with each resumption, up to `LONGEST_SPACING_MS`.
 */
const FIRST_SPACING_MS = 1_000;
const LONGEST_SPACING_MS = 60_000;

/**
 * The cancels that wait in their workflows because the service was down. The first call that the service answers again resumes them
 * one after another, so that none waits for a back-off whose cause is over.
 */
export class PendingCancels {
  readonly #pending = new Map<string, Pending>();
  /** The time at which the latest failed call was sent; `Infinity` if no call has failed since the service was last back. */
  #failedAtMs = Infinity;
  /** The time at which the service was last back. */
  #backAtMs = -Infinity;
  #queue: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #pace: Pick<Pace, 'callsPerSecond'>;
  readonly #now: () => number;

  constructor(pace: Pick<Pace, 'callsPerSecond'>, now: () => number) {
    this.#pace = pace;
    this.#now = now;
  }

  /** Records that the service failed a call that was sent at this time. A failed cancel also stops resuming for now. */
  failed(kind: CallKind, sentAtMs: number): void {
    this.#failedAtMs = this.#failedAtMs === Infinity ? sentAtMs : Math.max(sentAtMs, this.#failedAtMs);
    if (kind === 'cancel') this.stop();
  }

  /**
   * Records that the service answered a call that was sent at this time. Returns true if this shows that the service is back: calls had
   * failed, and all of them were sent before this one.
   */
  answered(sentAtMs: number): boolean {
    if (sentAtMs < this.#failedAtMs) return false;
    this.#failedAtMs = Infinity;
    this.#backAtMs = this.#now();
    this.#queue = [...this.#pending.keys()];
    this.#resumeNext();
    return true;
  }

  /** Adds a cancel that was sent at this time and failed or hung; `resume` makes the session send it again. */
  add(sessionId: string, sentAtMs: number, resume: () => void): void {
    const { spacingMs = FIRST_SPACING_MS, notBeforeMs = -Infinity } = this.#pending.get(sessionId) ?? {};
    this.#pending.delete(sessionId);
    this.#pending.set(sessionId, { resume, spacingMs, notBeforeMs });
    dropOldest(this.#pending, MAX_CANCELS);
    // The service has come back while this call hung.
    if (sentAtMs <= this.#backAtMs) this.#resume(sessionId);
  }

  /** Removes a session's cancel, which was answered. */
  settled(sessionId: string): void {
    this.#pending.delete(sessionId);
  }

  /** Stops resuming for now. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#queue = [];
  }

  #resumeNext(): void {
    if (this.#timer !== undefined) return;
    while (this.#queue.length > 0) {
      if (!this.#resume(this.#queue.shift() ?? '')) continue;
      const perSecond = Math.min(this.#pace.callsPerSecond, MAX_PER_SECOND);
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#resumeNext();
      }, 1_000 / perSecond).unref();
      return;
    }
  }

  /** Resumes a cancel, and returns true, unless it was answered meanwhile or resumed too recently. */
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
