import { setTimeout as sleep } from 'node:timers/promises';
import { dropOldest } from '../src/contract/values/drop-oldest';
import { nameOf } from '../src/errors';
import type { ActivityCompletion } from './activity-attempt';
import { again, toEndOfAttempt, type Holder, type Holding, type Wait } from './follow-session';
import type { PollResult, SessionInput } from '../src/protocol/activities';
import { beatEveryMs } from '../src/protocol/cadence';

/** Options of `HeldSessions`. */
export interface HeldSessionsOptions {
  /** Reports to the server for activities that outlive their execution: `client.activity`. */
  readonly completion: ActivityCompletion;
  /** The maximum number of sessions to hold at once. @default 20000 */
  readonly most?: number | undefined;
}

const MOST = 20_000;
/** The wait for the outcome of a cancel, before another attempt polls the session again. */
const CANCEL_MS = 5_000;
/** When the worker stops, another worker takes its sessions over after this time. */
const HANDOVER_MS = 100;
/** When the worker stops, polls under way may take this long. */
const LAST_POLLS_MS = 3_000;
/** A failed heartbeat is repeated after this time. So is a failed report, at first. */
const REPEAT_MS = 1_000;
const LONGEST_REPEAT_MS = 5_000;
/**
 * The longest time for delivering a report while the server is away. The worker gives up earlier if it stops, or if the
 * server no longer knows the attempt.
 */
const LONGEST_DELIVERY_MS = 24 * 60 * 60_000;
/** The longest wait for a turn. Many sessions may share an account's rate, and waiting costs a held session nothing. */
const LONGEST_TURN_MS = 5 * 60_000;
/**
 * Waits that need not be exact end at multiples of this time, or of an eighth of the wait if that is shorter. Many of them
 * thus end together: waking an idle process costs more than a poll does.
 */
const SLOT_MS = 250;

/** The sessions that a worker holds between polls: one attempt for each session, up to a maximum number. */
export class HeldSessions implements Holder {
  readonly #held = new Map<string, HeldSession>();
  readonly #running = new Set<Promise<void>>();
  readonly #completion: ActivityCompletion;
  readonly #untaken: UntakenReports = new Map();
  readonly #most: number;
  #isStopping = false;

  constructor({ completion, most = MOST }: HeldSessionsOptions) {
    this.#completion = completion;
    this.#most = most;
  }

  /** The number of sessions that are held. */
  get size(): number {
    return this.#held.size;
  }

  /** The maximum number of sessions that can be held at once. */
  get most(): number {
    return this.#most;
  }

  /** True if one more session can be held. */
  get hasRoom(): boolean {
    return !this.#isStopping && this.size < this.#most;
  }

  /**
   * Holds a session. Ends an earlier attempt for the session: the server has given it up, or the workflow has stopped its
   * activity and started another.
   */
  hold(holding: Holding): void {
    const key = keyOf(holding.input);
    const session = new HeldSession(holding, this.#completion, this.#untaken);
    this.#held.get(key)?.abandon();
    this.#held.set(key, session);
    const running = session.run().finally(() => {
      this.#running.delete(running);
      dropOldest(this.#untaken, this.#most);
      if (this.#held.get(key) === session) this.#held.delete(key);
    });
    this.#running.add(running);
  }

  /** Stops polling a session for a while, because a cancel is about to be sent. */
  release(session: SessionInput): void {
    this.#held.get(keyOf(session))?.release(CANCEL_MS);
  }

  /**
   * Hands all sessions over to other workers, and resolves once the server has accepted that. Gives up reports that still
   * fail after three seconds.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const session of this.#held.values()) session.release(HANDOVER_MS);
    const cut = setTimeout(() => {
      for (const session of this.#held.values()) session.cutOff();
    }, LAST_POLLS_MS);
    await Promise.all(this.#running);
    clearTimeout(cut);
  }
}

const keyOf = ({ account, sessionId }: SessionInput): string => JSON.stringify([account, sessionId]);

/**
 * Reported states that the server has not accepted, by activity. A server that was away for long has given the attempt
 * up. If this worker gets the activity's next attempt, that attempt delivers the report.
 */
type UntakenReports = Map<string, PollResult>;

/**
 * A session between its polls: it needs no activity slot, writes no history, and is guarded by heartbeats. It is held
 * until it has something to report, or until it is released. After a release, the server begins another attempt.
 */
class HeldSession {
  readonly #holding: Holding;
  readonly #completion: ActivityCompletion;
  readonly #untaken: UntakenReports;
  /** The time from the release to the next attempt; `undefined` until the session is released. */
  #releasedForMs: number | undefined;
  /** True if the attempt is over: it sends no more reports and heartbeats. */
  #isGone = false;
  /** Ends the wait for the next poll. */
  #wake = (): void => undefined;
  /** Aborts the poll under way, and ends the repetition of a failed report. */
  readonly #polling = new AbortController();
  #beats: NodeJS.Timeout | undefined;

  constructor(holding: Holding, completion: ActivityCompletion, untaken: UntakenReports) {
    this.#holding = holding;
    this.#completion = completion;
    this.#untaken = untaken;
  }

  /** Polls until there is something to report, and reports it. Never rejects. */
  async run(): Promise<void> {
    const { activity, heartbeatTimeoutMs } = this.#holding;
    this.#beatAfter(beatEveryMs(heartbeatTimeoutMs));
    try {
      const result = this.#untaken.get(activity) ?? (await this.#pollUntilChange());
      if (result === undefined) await this.#fail(again(this.#releasedForMs ?? 0));
      else await this.#report(result);
    } catch (error) {
      await this.#fail(toEndOfAttempt(error));
    } finally {
      this.#isGone = true;
      clearTimeout(this.#beats);
    }
  }

  #isReleased(): boolean {
    return this.#releasedForMs !== undefined;
  }

  /**
   * Ends the polls. Another attempt continues after this time, maybe in another worker. The report of a poll under way
   * still counts.
   */
  release(forMs: number): void {
    this.#releasedForMs = forMs;
    this.#wake();
  }

  /** Releases the session, and aborts the poll under way. */
  cutOff(): void {
    this.release(this.#releasedForMs ?? 0);
    this.#polling.abort();
  }

  /** Ends the attempt without a report, because none is expected any more. */
  abandon(): void {
    this.#isGone = true;
    this.cutOff();
  }

  /** Returns the report of the polls, or `undefined` if another attempt continues. */
  async #pollUntilChange(): Promise<PollResult | undefined> {
    const { poll, input, schedule } = this.#holding;
    const turn = { signal: this.#polling.signal, hasPlace: true, withinMs: LONGEST_TURN_MS };
    for (let wait = schedule.firstWait(); ;) {
      await this.#sleep(wait);
      if (this.#isReleased()) return undefined;
      const result = await poll(turn);
      // The next attempt repeats a poll without a report, so this attempt reports nothing.
      if (result.outcome === 'interrupted' || (result.outcome === 'failed' && this.#isReleased()))
        return undefined;
      const next = schedule.after(result);
      if ('result' in next) return next.result;
      // The workflow continues with a heartbeat timeout that fits such intervals.
      if (schedule.outgrows(input.heldUpToMs ?? 0)) return result;
      wait = next;
    }
  }

  async #sleep({ waitMs, isExact }: Wait): Promise<void> {
    if (this.#isReleased()) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, isExact ? waitMs : inSlotMs(waitMs));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #beatAfter(milliseconds: number): void {
    if (this.#isGone) return;
    this.#beats = setTimeout(() => void this.#beat(), milliseconds);
  }

  async #beat(): Promise<void> {
    const { taskToken, heartbeatTimeoutMs } = this.#holding;
    try {
      await this.#completion.heartbeat(taskToken);
      this.#beatAfter(beatEveryMs(heartbeatTimeoutMs));
    } catch (error) {
      await this.#heartbeatFailed(nameOf(error));
    }
  }

  async #heartbeatFailed(error: string): Promise<void> {
    switch (error) {
      case 'ActivityNotFoundError':
        this.abandon();
        break;
      case 'ActivityCancelledError':
        await this.#deliver(() => this.#completion.reportCancellation(this.#holding.taskToken));
        this.abandon();
        break;
      // An operator paused or reset the activity. The Temporal server decides when the next attempt begins.
      case 'ActivityPausedError':
      case 'ActivityResetError':
        this.release(0);
        break;
      default:
        this.#beatAfter(REPEAT_MS);
    }
  }

  async #report(result: PollResult): Promise<void> {
    const { taskToken, activity, beforeReport } = this.#holding;
    if (result.outcome === 'seen') this.#untaken.set(activity, result);
    await beforeReport?.(result);
    const isTaken = await this.#deliver(() => this.#completion.complete(taskToken, result));
    if (isTaken) this.#untaken.delete(activity);
  }

  async #fail(failure: unknown): Promise<void> {
    await this.#deliver(() => this.#completion.fail(this.#holding.taskToken, failure));
  }

  /** Delivers a report. Returns true if the server has accepted it. */
  async #deliver(send: () => Promise<void>): Promise<boolean> {
    const { signal } = this.#polling;
    const givesUpAt = performance.now() + LONGEST_DELIVERY_MS;
    for (let pauseMs = REPEAT_MS; !this.#isGone && performance.now() < givesUpAt; pauseMs *= 2) {
      try {
        await send();
        return true;
      } catch (error) {
        if (nameOf(error) === 'ActivityNotFoundError' || signal.aborted) return false;
        await sleep(Math.min(pauseMs, LONGEST_REPEAT_MS), undefined, { signal }).catch(() => undefined);
      }
    }
    return false;
  }
}

/** Returns the wait, changed by a sixteenth at most so that it ends together with others. */
function inSlotMs(waitMs: number): number {
  const slotMs = Math.min(SLOT_MS, waitMs / 8);
  const nowMs = performance.now();
  return slotMs > 0 ? Math.round((nowMs + waitMs) / slotMs) * slotMs - nowMs : 0;
}
