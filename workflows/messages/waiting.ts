import { condition, currentUpdateInfo } from '@temporalio/workflow';
import type { ErrorCode } from '../../src/errors/codes';
import { isShared } from '../../src/protocol/shared-update';
import type { Session } from '../session';

/** The engine allows ten updates in flight for a workflow; the caller that has waited longest makes room for another. */
const MAX_WAITING = 8;

/** An update in flight. */
interface Waiter {
  /** Many callers share it, so others are sent away first. */
  readonly shared: boolean;
  dismissed: boolean;
}

/** Waits until something happened or the session is closing; throws when the caller is sent away before. */
export type Until = (happened: () => boolean) => Promise<void>;

/** The callers that wait for something to happen to a session. */
export class WaitingCallers {
  private readonly waiters = new Set<Waiter>();

  constructor(private readonly session: Session) {}

  /** Waits until `happened`; gives the reason when the caller is sent away before. */
  async wait(happened: () => boolean): Promise<ErrorCode | undefined> {
    const waiter: Waiter = { shared: isShared(currentUpdateInfo()?.id ?? ''), dismissed: false };
    this.waiters.add(waiter);
    this.makeRoom();
    await condition(() => happened() || waiter.dismissed || this.session.continuing);
    this.waiters.delete(waiter);
    if (happened()) return undefined;
    return waiter.dismissed ? 'SESSION_BUSY' : 'SESSION_CONTINUED';
  }

  private makeRoom(): void {
    if (this.waiters.size <= MAX_WAITING) return;
    const waiters = [...this.waiters];
    const leaving = waiters.find(({ shared }) => !shared) ?? waiters[0];
    if (leaving === undefined) return;
    leaving.dismissed = true;
    this.waiters.delete(leaving);
  }
}
