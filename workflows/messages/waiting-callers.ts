import { condition, currentUpdateInfo } from '@temporalio/workflow';
import type { ErrorCode } from '../../src/errors/codes';
import type { Session } from '../session';
import { isShared } from '../../src/protocol/names';

/**
 * The maximum number of updates that wait in a session, because the Temporal server allows ten running updates of a
 * workflow. If one more caller comes, `nextToLeave` chooses a waiting caller, which gets the error `SESSION_BUSY`.
 */
const MAX_WAITING = 8;

/** A running update whose caller waits. */
interface Waiter {
  /** True if many callers may share this update. Other updates are then sent away first. */
  readonly shared: boolean;
  /** True if this update is never sent away, because the session carries it out in any case. */
  readonly stays: boolean;
  dismissed: boolean;
}

/**
 * Waits until `happened` returns true or the session is closing. If the caller is sent away before that, throws the
 * failure with the error code.
 */
export type Until = (happened: () => boolean, options?: WaitOptions) => Promise<void>;

/** Options of a caller's wait. */
export interface WaitOptions {
  /** True if this caller is never sent away. Only one caller at a time may set it. @default false */
  readonly stays?: boolean;
}

/** Returns the function with which callers wait for an event of a session. `sentAway` makes the failure of an error code. */
export function waitingRoom(session: Session, sentAway: (code: ErrorCode) => Error): Until {
  const waiters = new Set<Waiter>();
  return async (happened, { stays = false } = {}) => {
    const waiter: Waiter = { shared: isShared(currentUpdateInfo()?.id ?? ''), stays, dismissed: false };
    waiters.add(waiter);
    const leaving = waiters.size > MAX_WAITING ? nextToLeave([...waiters]) : undefined;
    if (leaving !== undefined) {
      leaving.dismissed = true;
      waiters.delete(leaving);
    }
    const isOver = () => happened() || session.closing();
    await condition(() => isOver() || waiter.dismissed || session.continuing);
    waiters.delete(waiter);
    if (!isOver()) throw sentAway(waiter.dismissed ? 'SESSION_BUSY' : 'SESSION_CONTINUED');
  };
}

/**
 * Returns the caller to send away: the caller that has waited longest and may be sent away. Prefers updates that are not
 * shared.
 */
function nextToLeave(waiters: readonly Waiter[]): Waiter | undefined {
  const others = waiters.filter(({ stays }) => !stays);
  return others.find(({ shared }) => !shared) ?? others[0];
}
