import { ServiceError } from '../../src/errors';
import type { PollResult, PollSessionInput } from '../../src/protocol/activities/activities';
import type { PacedService } from '../../src/service';

/** How one poll is made. */
export interface PollOptions {
  /** Aborts when nobody waits for the poll any more. */
  readonly signal: AbortSignal;
  /** The poll holds no activity slot while it waits for its turn. @default false */
  readonly hasPlace?: boolean;
  /** The longest wait for its turn, in milliseconds. @default 30000 */
  readonly withinMs?: number;
  /** It goes before other polls once it has waited for its turn for so long, in milliseconds. @default never */
  readonly urgentAfterMs?: number;
  /** Is called when the poll has its turn. @default nobody is told */
  readonly onTurn?: () => void;
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
