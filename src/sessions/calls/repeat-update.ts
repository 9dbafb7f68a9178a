import { isShared } from '../../protocol/shared-update';
import { isLostUpdate, refusalCode } from './engine-errors';
import { repeating } from './repeating';

const PAUSE_MS = 40;
/** A session with many callers is asked again more slowly. */
const BUSY_PAUSE_MS = 1_000;

/**
 * Runs an update that may be repeated. The engine drops an update that reaches a workflow in the very moment in which
 * the workflow ends or another event overtakes it, and expects the caller to send it again: its own id makes that the
 * same update, should the first have been taken after all. A session that went on in a new run is asked anew, where the id is as good
 * as new; one that has too many callers is, too, by another id.
 */
export async function repeatingUpdate<T>(
  id: string,
  update: (updateId: string) => Promise<T>,
  onSentAway: () => void = () => undefined,
): Promise<T> {
  let updateId = id;
  let attempts = 0;
  return repeating(
    (attempt) => {
      attempts = attempt;
      return update(updateId);
    },
    (error) => {
      if (isLostUpdate(error)) return PAUSE_MS;
      const pauseMs = pauseAfterRefusal(error);
      if (pauseMs === undefined) return undefined;
      onSentAway();
      if (refusalCode(error) === 'SESSION_BUSY' && !isShared(id)) updateId = `${id}/${attempts}`;
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
