import { CompleteAsyncError, Context } from '@temporalio/activity';
import type { FollowSessionInput, PollResult } from '../../src/protocol/activities/activities';
import type { PacedService } from '../../src/service';
import { withHeartbeats } from '../heartbeats';
import { pollSession, type PollOptions } from './poll-session';
import { Course } from './course';
import { again } from './end-of-attempt';
import type { HeldSessions } from './held-sessions';
import { tellsSomething, untraced, type PollTracer } from './poll-tracer';

/** Hears that a session's state has changed, and how long before, in milliseconds, it was looked at last. */
export type NewsListener = (account: string, sinceLookMs: number) => void;

/** Where sessions are kept in hand between polls. */
export interface FollowOptions {
  /** If absent, no session is kept in hand. */
  readonly held?: HeldSessions | undefined;
  /** The clock, where it is not the machine's. */
  readonly now?: (() => number) | undefined;
  /** Hears of each change of state. */
  readonly onNews?: NewsListener | undefined;
  /** @default no poll is traced */
  readonly tracePoll?: PollTracer | undefined;
  /** Hears what is reported before the workflow does. @default nobody does */
  readonly beforeReport?: ((result: PollResult) => Promise<void>) | undefined;
}

const HEARTBEAT_EVERY_MS = 10_000;

/**
 * Follows a session: keeps it in hand if it may and there is room, otherwise polls it once and leaves the wait for the next
 * poll to the server.
 */
export async function followSession(
  service: PacedService,
  input: FollowSessionInput,
  { held, now, onNews, tracePoll = untraced, beforeReport }: FollowOptions,
): Promise<PollResult> {
  const { info, cancellationSignal: signal } = Context.current();
  const course = new Course(input, info, {
    now,
    onNews: (sinceLookMs) => onNews?.(input.account, sinceLookMs),
  });
  const { taskToken, heartbeatTimeoutMs, workflowExecution, activityId } = info;
  const poll = (options: PollOptions) =>
    tracePoll(
      () => pollSession(service, input, { ...options, ...course.nextTurn() }),
      (result) => tellsSomething(input, result),
    );
  if (held?.hasRoom === true && input.heldUpToMs !== undefined && heartbeatTimeoutMs !== undefined) {
    const activity = JSON.stringify([workflowExecution?.runId, activityId]);
    held.hold({ poll, input, course, taskToken, activity, heartbeatTimeoutMs, beforeReport });
    throw new CompleteAsyncError();
  }
  const { waitMs } = course.firstWait();
  if (waitMs > 0) throw again(waitMs);
  const result = await withHeartbeats(HEARTBEAT_EVERY_MS, () => poll({ signal }));
  if (result.outcome === 'interrupted') throw again(0);
  const next = course.after(result);
  if (!('result' in next)) throw again(next.waitMs);
  await beforeReport?.(next.result);
  return next.result;
}
