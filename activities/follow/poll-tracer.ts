import { isNews } from '../../src/contract';
import type { FollowSessionInput, PollResult } from '../../src/protocol/activities/activities';

/**
 * Makes a poll within the trace of its session. A session may be polled hundreds of times before anything happens, so it is told
 * of each result whether it is worth a span.
 */
export type PollTracer = (
  poll: () => Promise<PollResult>,
  isWorthASpan: (result: PollResult) => boolean,
) => Promise<PollResult>;

export const untraced: PollTracer = (poll) => poll();

/** Whether a poll brought news, or failed. */
export function tellsSomething({ known }: FollowSessionInput, result: PollResult): boolean {
  if (result.outcome === 'seen') return isNews(known, result.snapshot);
  return result.outcome === 'failed';
}
