import { setTimeout as sleep } from 'node:timers/promises';
import { dropOldest } from '../src/contract/values/drop-oldest';
import { nameOf } from '../src/errors';
import type { ActivityCompletion } from './activity-attempt';
import { again, toEndOfAttempt, type Holder, type Holding, type Wait } from './follow-session';
import type { PollResult, SessionInput } from '../src/protocol/activities';
import { beatEveryMs } from '../src/protocol/cadence';

/** Options of {@link HeldSessions}. */
export interface HeldSessionsOptions {
  /** Reports to the Temporal server for the held sessions. Pass `client.activity`. */
  readonly completion: ActivityCompletion;
  /** The maximum number of sessions to hold at once. @default 20000 */
  readonly most?: number | undefined;
}

const MOST = 20_000;
/** If a cancel is about to be sent, the next attempt polls the session after this time. */
const CANCEL_MS = 5_000;
/** If the worker stops, another worker takes its sessions over after this time. */
const HANDOVER_MS = 100;
/** If the worker stops, running polls may take this long. */
const LAST_POLLS_MS = 3_000;
/**
 * A failed heartbeat is repeated after this time. A failed report is first repeated after this time, then after longer
 * times.
 */
const REPEAT_MS = 1_000;
const LONGEST_REPEAT_MS = 5_000;
/**
 * The longest time for which the worker tries to deliver a report while the Temporal server does not answer. It gives up
 * earlier if it stops, or if the server no longer knows the attempt.
 */
const LONGEST_DELIVERY_MS = 24 * 60 * 60_000;
/**
 * The longest time that a poll waits for its turn. Many sessions may share an account's rate limit, and a held session
 * needs no activity slot while it waits.
 */
const LONGEST_TURN_MS = 5 * 60_000;
/**
 * Waits that need not be exact end at multiples of this time, or of an eighth of the wait if that is shorter. So many
 * waits end at the same moment. This saves CPU time, because waking an idle process costs more than a poll.
 */
const SLOT_MS = 250;

/**
 * The sessions that a worker holds: it keeps them in memory between two polls. Each held session is one attempt of the
 * activity `followSession`, but occupies no activity slot.
 */
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

  /** The number of held sessions. */
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
   * Holds a session. If the session is already held for an earlier attempt, ends that attempt. The Temporal server has
   * then given the earlier attempt up, or the workflow has stopped its activity and started another.
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

  /** Releases a session because a cancel is about to be sent. Another attempt continues a few seconds later. */
  release(session: SessionInput): void {
    this.#held.get(keyOf(session))?.release(CANCEL_MS);
  }

  /**
   * Releases all sessions to other workers. Resolves once the Temporal server has accepted that. Gives up reports that
   * still fail after three seconds.
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
 * The reports that the Temporal server has not accepted, by activity. If the server does not answer for long, it gives
 * the attempt up. If this worker then receives the activity's next attempt, that attempt delivers the report.
 */
type UntakenReports = Map<string, PollResult>;

/**
 * One held session. It occupies no activity slot, adds no events to the history, and sends heartbeats. It is held until
 * there is something to report, or until it is released. After a release, the Temporal server begins another attempt.
 */
class HeldSession {
  readonly #holding: Holding;
  readonly #completion: ActivityCompletion;
  readonly #untaken: UntakenReports;
  /** The time from the release to the next attempt, in milliseconds. `undefined` until the session is released. */
  #releasedForMs: number | undefined;
  /** True if the attempt is over. It then sends no more reports and heartbeats. */
  #isGone = false;
  /** Ends the wait for the next poll. */
  #wake = (): void => undefined;
  /** Aborts the running poll, and stops the repetition of a failed report. */
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
   * Stops polling. Another attempt continues after `forMs`, perhaps in another worker. If a poll is running, its report
   * still counts.
   */
  release(forMs: number): void {
    this.#releasedForMs = forMs;
    this.#wake();
  }

  /** Releases the session, and aborts the running poll. */
  cutOff(): void {
    this.release(this.#releasedForMs ?? 0);
    this.#polling.abort();
  }

  /** Ends the attempt without a report, because the Temporal server does not expect one any more. */
  abandon(): void {
    this.#isGone = true;
    this.cutOff();
  }

  /** Polls until there is a report, and returns it. Returns `undefined` if another attempt continues. */
  async #pollUntilChange(): Promise<PollResult | undefined> {
    const { poll, input, schedule } = this.#holding;
    const turn = { signal: this.#polling.signal, hasPlace: true, withinMs: LONGEST_TURN_MS };
    for (let wait = schedule.firstWait(); ;) {
      await this.#sleep(wait);
      if (this.#isReleased()) return undefined;
      const result = await poll(turn);
      // The poll has no report, and the next attempt will repeat it. So this attempt reports nothing.
      if (result.outcome === 'interrupted' || (result.outcome === 'failed' && this.#isReleased()))
        return undefined;
      const next = schedule.after(result);
      if ('result' in next) return next.result;
      // The workflow then starts the activity again, with a heartbeat timeout that fits the longer intervals.
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
      // An operator has paused or reset the activity. The Temporal server decides when the next attempt begins.
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

  /**
   * Delivers a report, and repeats the delivery if it fails. Returns true if the Temporal server has accepted the
   * report.
   */
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

/** Changes a wait by up to a sixteenth, so that it ends at the same moment as other waits. */
function inSlotMs(waitMs: number): number {
  const slotMs = Math.min(SLOT_MS, waitMs / 8);
  const nowMs = performance.now();
  return slotMs > 0 ? Math.round((nowMs + waitMs) / slotMs) * slotMs - nowMs : 0;
}
