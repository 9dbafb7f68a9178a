import { condition, currentUpdateInfo } from '@temporalio/workflow';
import type { ErrorCode } from '../../src/errors/codes';
import type { Session } from '../session';
import { isShared } from '../../src/protocol/names';

/**
 * The maximum number of waiting callers: the Temporal server allows ten updates in flight for a workflow. If one more
 * caller comes, `nextToLeave` chooses the caller to send away.
 */
const MAX_WAITING = 8;

/** An update in flight. */
interface Waiter {
  /** True if many callers share it, so that others are sent away first. */
  readonly shared: boolean;
  /** True if the session carries out this request in any case, so that other callers make room. */
  readonly stays: boolean;
  dismissed: boolean;
}

/** Waits until the event has happened or the session is closing. Throws if the caller is sent away before that. */
export type Until = (happened: () => boolean, options?: WaitOptions) => Promise<void>;

/** Options of a caller's wait. */
export interface WaitOptions {
  /** True if this caller is not sent away to make room. Only one caller at a time may set it. @default false */
  readonly stays?: boolean;
}

/**
 * Returns the function with which callers wait for an event of a session. It resolves with `undefined` once the event
 * has happened, or with an error code if the caller is sent away before that.
 */
export function waitingRoom(
  session: Session,
): (happened: () => boolean, options?: WaitOptions) => Promise<ErrorCode | undefined> {
  const waiters = new Set<Waiter>();
  return async (happened, { stays = false } = {}) => {
    const waiter: Waiter = { shared: isShared(currentUpdateInfo()?.id ?? ''), stays, dismissed: false };
    waiters.add(waiter);
    const leaving = waiters.size > MAX_WAITING ? nextToLeave([...waiters]) : undefined;
    if (leaving !== undefined) {
      leaving.dismissed = true;
      waiters.delete(leaving);
    }
    await condition(() => happened() || waiter.dismissed || session.continuing);
    waiters.delete(waiter);
    if (happened()) return undefined;
    return waiter.dismissed ? 'SESSION_BUSY' : 'SESSION_CONTINUED';
  };
}

/** Returns the caller that has waited longest, without those that stay. Chooses a shared one only if there is no other. */
function nextToLeave(waiters: readonly Waiter[]): Waiter | undefined {
  const others = waiters.filter(({ stays }) => !stays);
  return others.find(({ shared }) => !shared) ?? others[0];
}
