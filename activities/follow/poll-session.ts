import { ServiceError } from '../../src/errors';
import type { PollResult, PollSessionInput } from '../../src/protocol/activities/activities';
import type { PacedService, PollOptions as PacedPollOptions } from '../../src/service';

/** How one poll is made. */
export interface PollOptions extends Pick<
  PacedPollOptions,
  'hasPlace' | 'withinMs' | 'urgentAfterMs' | 'onTurn'
> {
  /** Aborts when nobody waits for the poll any more. */
  readonly signal: AbortSignal;
}

/** Polls the session's details once. */
export async function pollSession(
  service: PacedService,
  { sessionId, urgent = false, expected }: PollSessionInput,
  options: PollOptions,
): Promise<PollResult> {
  const { signal } = options;
  const call = { ...options, urgent, ...(expected !== undefined && { expected }) };
  try {
    return { outcome: 'seen', snapshot: await service.sessionDetails(sessionId, call) };
  } catch (error) {
    if (signal.aborted) return { outcome: 'interrupted' };
    if (error instanceof ServiceError) return { outcome: 'failed', failure: error.failure };
    throw error;
  }
}
