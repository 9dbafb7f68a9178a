import { setTimeout as sleep } from 'node:timers/promises';
import type { FollowSessionInput, PollResult } from '../../src/protocol/activities/activities';
import { beatEveryMs } from '../../src/protocol/input/cadence';
import { dropOldest } from '../../src/contract/values/drop-oldest';
import { nameOf, type ActivityCompletion } from '../completion';
import type { PollOptions } from './poll-session';
import type { Course, Wait } from './course';
import { again, toEndOfAttempt } from './end-of-attempt';
import type { WakeUps } from './wake-ups';

/** What is needed to keep a session in hand. */
export interface Holding {
  /** Polls the session once, in the asynchronous context of the activity's execution, and so in its trace. */
  readonly poll: (options: PollOptions) => Promise<PollResult>;
  readonly input: FollowSessionInput;
  readonly course: Course;
  readonly taskToken: Uint8Array;
  /** Which activity this is an attempt of. */
  readonly activity: string;
  /** The server takes the worker for lost after this time without a heartbeat, in milliseconds. */
  readonly heartbeatTimeoutMs: number;
  /** Hears what is reported before the workflow does. It does not reject. */
  readonly beforeReport?: ((result: PollResult) => Promise<void>) | undefined;
}

/** A heartbeat or a report that did not reach the server is repeated after this time, at first. */
const REPEAT_MS = 1_000;
const LONGEST_REPEAT_MS = 5_000;
/** What was seen is delivered when the server is back: until it says that another attempt has taken over, or for so long. */
const LONGEST_DELIVERY_MS = 24 * 60 * 60_000;
/** Many sessions may share an account's rate: to wait for a turn in hand costs nothing. */
const LONGEST_TURN_MS = 5 * 60_000;

/** Reports that the server has not taken: one that was away for long has given the attempt up, and the next one delivers it. */
export class ReportsInHand {
  readonly #reports = new Map<string, PollResult>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  of(activity: string): PollResult | undefined {
    return this.#reports.get(activity);
  }

  keep(activity: string, report: PollResult): void {
    this.#reports.set(activity, report);
    dropOldest(this.#reports, this.#most);
  }

  taken(activity: string): void {
    this.#reports.delete(activity);
  }
}

/** What a worker's sessions in hand share. */
interface Shared {
  readonly completion: ActivityCompletion;
  readonly inHand: ReportsInHand;
  readonly wakeUps: WakeUps;
}

/**
 * A session in hand between its polls: it needs no activity slot, writes no history, and is guarded by heartbeats. It ends
 * with something to report, or is released, and the server begins another attempt.
 */
export class HeldSession {
  /** Ends the wait for the next poll. */
  #wake = (): void => undefined;
  #isReleased = false;
  /** Aborts the poll under way. */
  readonly #polling = new AbortController();
  #beats: NodeJS.Timeout | undefined;
  #releasedForMs = 0;
  #isGone = false;
  #hasEnded = false;
  readonly #holding: Holding;
  readonly #completion: ActivityCompletion;
  readonly #inHand: ReportsInHand;
  readonly #wakeUps: WakeUps;

  constructor(holding: Holding, { completion, inHand, wakeUps }: Shared) {
    this.#holding = holding;
    this.#completion = completion;
    this.#inHand = inHand;
    this.#wakeUps = wakeUps;
  }

  /** Polls until there is something to report, and reports it. Never rejects. */
  async run(): Promise<void> {
    this.#beatAfter(beatEveryMs(this.#holding.heartbeatTimeoutMs));
    const completion = this.#completion;
    const { taskToken, activity } = this.#holding;
    try {
      const result = this.#inHand.of(activity) ?? (await this.#poll());
      if (result === undefined)
        await this.#deliver(() => completion.fail(taskToken, again(this.#releasedForMs)));
      else await this.#report(result);
    } catch (error) {
      await this.#deliver(() => completion.fail(taskToken, toEndOfAttempt(error)));
    } finally {
      this.#hasEnded = true;
      clearTimeout(this.#beats);
    }
  }

  /** Makes no further poll: another attempt goes on after this time, maybe in another worker. What a poll under way sees counts. */
  release(forMs: number): void {
    this.#releasedForMs = forMs;
    this.#isReleased = true;
    this.#wake();
  }

  /** Cuts off the poll under way as well. */
  cutOff(): void {
    this.#isReleased = true;
    this.#wake();
    this.#polling.abort();
  }

  /** Nobody waits for a report any more. */
  abandon(): void {
    this.#isGone = true;
    this.cutOff();
  }

  /** Gives what there is to report; `undefined` if another attempt goes on. */
  async #poll(): Promise<PollResult | undefined> {
    const { poll, input, course } = this.#holding;
    const turn = { signal: this.#polling.signal, hasPlace: true, withinMs: LONGEST_TURN_MS };
    for (let wait = course.firstWait(); ;) {
      await this.#sleep(wait);
      if (this.#isReleased) return undefined;
      const result = await poll(turn);
      if (result.outcome === 'interrupted') return undefined;
      const next = course.after(result);
      if ('result' in next) return next.result;
      // The workflow goes on with a guard that fits such intervals.
      if (course.outgrows(input.heldUpToMs ?? 0)) return result;
      wait = next;
    }
  }

  #sleep({ waitMs, isExact }: Wait): Promise<void> {
    if (this.#isReleased) return Promise.resolve();
    return new Promise((resolve) => {
      const callOff = this.#wakeUps.after(waitMs, resolve, { isExact });
      this.#wake = () => {
        callOff();
        resolve();
      };
    });
  }

  #beatAfter(milliseconds: number): void {
    if (this.#hasEnded) return;
    this.#beats = setTimeout(() => void this.#beat(), milliseconds);
  }

  async #beat(): Promise<void> {
    const { taskToken, heartbeatTimeoutMs } = this.#holding;
    try {
      await this.#completion.heartbeat(taskToken);
      this.#beatAfter(beatEveryMs(heartbeatTimeoutMs));
    } catch (error) {
      await this.#notAlive(nameOf(error));
    }
  }

  async #notAlive(error: string): Promise<void> {
    switch (error) {
      case 'ActivityNotFoundError':
        this.abandon();
        break;
      case 'ActivityCancelledError':
        await this.#cancelled();
        break;
      // An operator did it: the next attempt begins when they let it.
      case 'ActivityPausedError':
      case 'ActivityResetError':
        this.release(0);
        break;
      default:
        this.#beatAfter(REPEAT_MS);
    }
  }

  async #cancelled(): Promise<void> {
    const completion = this.#completion;
    const { taskToken } = this.#holding;
    await this.#deliver(() => completion.reportCancellation(taskToken));
    this.abandon();
  }

  async #report(result: PollResult): Promise<void> {
    const { taskToken, activity, beforeReport } = this.#holding;
    if (result.outcome === 'seen') this.#inHand.keep(activity, result);
    await beforeReport?.(result);
    const isTaken = await this.#deliver(() => this.#completion.complete(taskToken, result));
    if (isTaken) this.#inHand.taken(activity);
  }

  /** Gives whether the server has taken it. */
  async #deliver(send: () => Promise<void>): Promise<boolean> {
    const givesUpAt = performance.now() + LONGEST_DELIVERY_MS;
    let pauseMs = REPEAT_MS;
    while (!this.#isGone && performance.now() < givesUpAt) {
      const { signal } = this.#polling;
      try {
        await send();
        return true;
      } catch (error) {
        if (nameOf(error) === 'ActivityNotFoundError' || signal.aborted) return false;
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
        pauseMs = Math.min(2 * pauseMs, LONGEST_REPEAT_MS);
      }
    }
    return false;
  }
}
