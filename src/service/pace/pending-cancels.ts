import { dropOldest } from '../../contract/values/drop-oldest';
import type { CallKind, Pace } from './pace';

/** A cancel that the service has failed or not answered, or that the client has stopped. */
interface Pending {
  /** Makes the session send the cancel again. */
  readonly resume: () => void;
  /** The time that must pass between the next resumption and the one after it, in milliseconds. */
  readonly spacingMs: number;
  /** The earliest time of the next resumption. */
  readonly notBeforeMs: number;
}

/**
 * The maximum number of remembered cancels. If there are more, the oldest cancels are not resumed early, and are sent again at their
 * planned time.
 */
const MAX_CANCELS = 10_000;
/** The maximum number of cancels that are resumed per second. The account's rate also limits them. */
const MAX_PER_SECOND = 50;
/**
 * The first `spacingMs` of a cancel. It doubles with each resumption, up to `LONGEST_SPACING_MS`, because the service may come back and
 * fail again.
 */
const FIRST_SPACING_MS = 1_000;
const LONGEST_SPACING_MS = 60_000;

/**
 * The cancels that wait in their workflows because the service was down. As soon as the service answers a call again, these cancels are
 * resumed one after another, and do not wait until their planned time.
 */
export class PendingCancels {
  readonly #pending = new Map<string, Pending>();
  /** The time at which the latest failed call was sent. `Infinity` if no call has failed since the service last came back. */
  #failedAtMs = Infinity;
  /** The time at which the service last came back. */
  #backAtMs = -Infinity;
  #queue: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #pace: Pick<Pace, 'callsPerSecond'>;
  readonly #now: () => number;

  constructor(pace: Pick<Pace, 'callsPerSecond'>, now: () => number) {
    this.#pace = pace;
    this.#now = now;
  }

  /**
   * Records that the service failed a call that was sent at `sentAtMs`. If the call is a cancel, no more cancels are resumed for now.
   */
  failed(kind: CallKind, sentAtMs: number): void {
    this.#failedAtMs = this.#failedAtMs === Infinity ? sentAtMs : Math.max(sentAtMs, this.#failedAtMs);
    if (kind === 'cancel') this.stop();
  }

  /**
   * Records that the service answered a call that was sent at `sentAtMs`. Returns true if this shows that the service is back: calls
   * have failed before, and all of them were sent before this call.
   */
  answered(sentAtMs: number): boolean {
    if (sentAtMs < this.#failedAtMs) return false;
    this.#failedAtMs = Infinity;
    this.#backAtMs = this.#now();
    this.#queue = [...this.#pending.keys()];
    this.#resumeNext();
    return true;
  }

  /** Adds a cancel that was sent at `sentAtMs`, and that failed or hung. `resume` makes the session send the cancel again. */
  add(sessionId: string, sentAtMs: number, resume: () => void): void {
    const { spacingMs = FIRST_SPACING_MS, notBeforeMs = -Infinity } = this.#pending.get(sessionId) ?? {};
    this.#pending.delete(sessionId);
    this.#pending.set(sessionId, { resume, spacingMs, notBeforeMs });
    dropOldest(this.#pending, MAX_CANCELS);
    // The service came back while this cancel was hanging.
    if (sentAtMs <= this.#backAtMs) this.#resume(sessionId);
  }

  /** Removes a session's cancel, because it was answered. */
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

  /** Resumes a cancel. Returns false, and does nothing, if the cancel was answered meanwhile or resumed too recently. */
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
