import { setTimeout as sleep } from 'node:timers/promises';
import { isShared } from '../../protocol/shared-update';
import { isLostUpdate, refusalCode } from './engine-errors';

const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 40;
/** A session with many callers is asked again more slowly. */
const FIRST_BUSY_PAUSE_MS = 1_000;

/** What to do about an update that failed: repeat it as the same update or as a new one, after a pause. */
interface Repetition {
  readonly pauseMs: number;
  readonly asNew: boolean;
}

/**
 * Runs an update that may be repeated. The engine drops an update that reaches a workflow in the very moment in which
 * the workflow ends or another event overtakes it, and expects the caller to send it again: its own id makes that the
 * same update, should the first have been taken after all. A session that went on in a new run, or that has too many
 * callers, is asked anew; an id that callers share is as good as new in a new run.
 */
export async function repeatingUpdate<T>(
  id: string,
  update: (updateId: string) => Promise<T>,
  onSentAway: () => void = () => undefined,
): Promise<T> {
  let updateId = id;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await update(updateId);
    } catch (error) {
      const repetition = repetitionOf(error, attempt);
      if (repetition === undefined || attempt === MAX_ATTEMPTS) throw error;
      if (repetition.asNew) {
        if (!isShared(id)) updateId = `${id}/${attempt}`;
        onSentAway();
      }
      await sleep(repetition.pauseMs);
    }
  }
}

function repetitionOf(error: unknown, attempt: number): Repetition | undefined {
  const doubling = 2 ** (attempt - 1);
  if (isLostUpdate(error)) return { pauseMs: FIRST_PAUSE_MS * doubling, asNew: false };
  switch (refusalCode(error)) {
    case 'SESSION_CONTINUED':
      return { pauseMs: FIRST_PAUSE_MS * doubling, asNew: true };
    case 'SESSION_BUSY':
      return { pauseMs: FIRST_BUSY_PAUSE_MS * doubling * (0.5 + Math.random()), asNew: true };
    default:
      return undefined;
  }
}
