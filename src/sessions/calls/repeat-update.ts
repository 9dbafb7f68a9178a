import { isShared } from '../../protocol/shared-update';
import { isLostUpdate, refusalCode } from './engine-errors';
import { repeating } from './repeating';

const PAUSE_MS = 40;
/** A session with many callers is asked again more slowly. */
const BUSY_PAUSE_MS = 1_000;

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
  let isNew = false;
  let updateId = id;
  return repeating(
    (attempt) => {
      if (isNew) {
        if (!isShared(id)) updateId = `${id}/${attempt - 1}`;
        onSentAway();
      }
      isNew = false;
      return update(updateId);
    },
    (error) => {
      if (isLostUpdate(error)) return PAUSE_MS;
      const pauseMs = pauseAfterRefusal(error);
      isNew = pauseMs !== undefined;
      return pauseMs;
    },
  );
}

function pauseAfterRefusal(error: unknown): number | undefined {
  switch (refusalCode(error)) {
    case 'SESSION_CONTINUED':
      return PAUSE_MS;
    case 'SESSION_BUSY':
      return BUSY_PAUSE_MS * (0.5 + Math.random());
    default:
      return undefined;
  }
}
