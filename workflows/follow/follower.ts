import { defined } from '../../src/contract/values/json';
import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { CallFailure } from '../../src/errors/failures';
import type { FollowSessionInput, PollResult } from '../../src/protocol/activities';
import { guardOf, type Cadence } from '../../src/protocol/cadence';
import type { Session } from '../session';
import { knownReports } from '../record/next';
import { callFailureOf, followFor, isTimeUp, pollAfterDeadline, NOT_TAKEN, pollSession } from '../activities';
import { interruptible, untilTaken, wait } from '../timers';

/** The settings with which the activity follows the session from now on. Times are milliseconds. */
export interface FollowPlan {
  readonly cadence: Cadence;
  /** The time since the session was opened or its state last changed. */
  readonly sinceChangeMs: number;
  /** The time until the deadline. */
  readonly forMs: number;
  /** True if the first poll is due now, and the activity must return after it. */
  readonly atOnce: boolean;
  /** The remaining time for which the session's end may be postponed until a poll succeeds. Only after the deadline. */
  readonly lastLookForMs?: number;
}

/** The end of the activity: a report, a failed poll, or nothing to report (`interrupted`). */
export type FollowEnd =
  | Extract<PollResult, { readonly outcome: 'seen' | 'interrupted' }>
  | { readonly outcome: 'failed'; readonly failure: CallFailure };

/** The running activity. */
interface Running {
  readonly scope: CancellationScope;
  readonly input: FollowSessionInput;
  end?: FollowEnd;
}

/**
 * Runs the activity `followSession` of an open session in the background, so that the workflow can handle requests
 * meanwhile.
 */
export class Follower {
  #running: Running | undefined;
  /**
   * True if the activity's last report may be older than a report that a refresh or a cancel has received meanwhile. Only
   * another poll can show the current state.
   */
  #isUnsure = false;
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Starts the activity if it is not running. Then waits until the activity ends, `isCalled` returns true, the state
   * changes, or the time is `untilMs`. Returns the activity's end, if it has ended.
   */
  async follow(plan: FollowPlan, isCalled: () => boolean, untilMs: number): Promise<FollowEnd | undefined> {
    if (this.#isOutdated()) this.stop();
    const running = (this.#running ??= this.#start(plan));
    const isOver = () => running.end !== undefined || isCalled() || this.#isOutdated();
    if (untilMs === Infinity) await condition(isOver);
    else await wait(untilMs - Date.now(), isOver, 'refresh');
    if (running.end !== undefined) this.#running = undefined;
    return running.end;
  }

  /**
   * Polls for the pending refreshes. If workers release the poll unsent, repeats it a few times. Returns the end of the
   * last poll. Returns `undefined` if a cancel came meanwhile, if the worker stopped, or if the report may be outdated.
   */
  async refresh(): Promise<FollowEnd | undefined> {
    const session = this.#session;
    let { reportCount } = session;
    let lookedAtMs = Date.now();
    const answer = session.beginRefresh();
    const isSure = (end: FollowEnd): boolean =>
      end.outcome === 'seen'
        ? session.applyPoll({ ...end, lookedAtMs }, reportCount)
        : end.outcome === 'failed';
    const poll = await interruptible(
      () => session.cancelPending(),
      () =>
        untilTaken(session, () => {
          ({ reportCount } = session);
          lookedAtMs = Date.now();
          return pollOnce(session);
        }),
    );
    if (poll.interrupted) {
      // A report that comes after the cancel still counts.
      void poll.late.then((late) => late && isSure(late));
      return undefined;
    }
    const { value: end } = poll;
    if (!isSure(end)) return undefined;
    answer(end.outcome === 'failed' ? end.failure : undefined);
    return end;
  }

  /** Cancels the activity, without waiting for its end. */
  stop(): void {
    this.#running?.scope.cancel();
    this.#running = undefined;
  }

  /** True if the session's state has changed since the activity was started. */
  #isOutdated(): boolean {
    if (this.#running === undefined) return false;
    const { known } = this.#running.input;
    const { status, code, amount } = this.#session.record;
    return status !== known.status || code !== known.code || amount !== known.amount;
  }

  #start(plan: FollowPlan): Running {
    const session = this.#session;
    const { cadence, sinceChangeMs, forMs, lastLookForMs } = plan;
    const guard = guardOf(cadence, sinceChangeMs);
    const isLastLook = lastLookForMs !== undefined;
    const input = {
      ...session.serviceSession(),
      known: knownReports(session.record),
      cadence,
      sinceChangeMs,
      forMs,
      ...((plan.atOnce || this.#isUnsure) && { atOnce: true }),
      ...(isLastLook ? { urgent: true } : defined({ heldUpToMs: guard.heldUpToMs })),
    };
    this.#isUnsure = false;
    const scope = new CancellationScope();
    const running: Running = { scope, input };
    const startedAtMs = Date.now();
    const { reportCount, dispatch } = session;
    const isOver = lastLookForMs === 0;
    void scope
      .run(() =>
        isLastLook ? pollAfterDeadline(lastLookForMs, input, dispatch) : followFor(guard, input, dispatch),
      )
      .catch((error: unknown) => endOf(error, isOver))
      .then((end) => {
        running.end = this.#running === running ? this.#applied(end, startedAtMs, reportCount) : end;
      });
    return running;
  }

  /** Applies a report as soon as it comes, so that a waiting cancel sees it. */
  #applied(end: FollowEnd, startedAtMs: number, reportCount: number): FollowEnd {
    if (end.outcome !== 'seen') return end;
    const lookedAtMs = startedAtMs + (end.lookedAfterMs ?? 0);
    this.#isUnsure = !this.#session.applyPoll({ ...end, lookedAtMs }, reportCount);
    return this.#isUnsure ? { outcome: 'interrupted' } : end;
  }
}

function pollOnce(session: Session): Promise<PollResult> {
  const input = { ...session.serviceSession(), urgent: true };
  const options = { summary: 'poll details, for a refresh', ...session.dispatch };
  // The poll always ends soon, so the workflow never cancels it.
  return CancellationScope.nonCancellable(() => pollSession.executeWithOptions(options, [input]));
}

/**
 * Converts the error of an activity to its end.
 *
 * An error usually is a failed poll, because the Temporal server repeats an attempt whose worker was lost. If only the
 * activity's time is up, that shows nothing about the service, and the end is `interrupted`. But if the session's end
 * could not be postponed any further when the activity was started (`isOver`), the activity counts as a failed poll.
 */
export function endOf(error: unknown, isOver: boolean): FollowEnd {
  if (isCancellation(error)) return { outcome: 'interrupted' };
  if (!isTimeUp(error)) return { outcome: 'failed', failure: callFailureOf(error) };
  if (!isOver) return { outcome: 'interrupted' };
  return { outcome: 'failed', failure: NOT_TAKEN };
}
