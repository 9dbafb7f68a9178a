import { condition } from '@temporalio/workflow';
import type { ErrorCode } from '../src/errors/codes';
import type { Session } from './session';

/** The engine allows ten updates in flight for a workflow; the caller that has waited longest makes room for another. */
const MAX_WAITING = 8;

/** A caller whose update is in flight. */
interface Waiter {
  dismissed: boolean;
}

/** The callers that wait for something to happen to a session. */
export class WaitingRoom {
  private readonly waiters = new Set<Waiter>();

  constructor(private readonly session: Session) {}

  /** Waits until `happened`; gives the reason when the caller is sent away before. */
  async wait(happened: () => boolean): Promise<ErrorCode | undefined> {
    const waiter: Waiter = { dismissed: false };
    this.waiters.add(waiter);
    this.makeRoom();
    await condition(() => happened() || waiter.dismissed || this.session.continuing);
    this.waiters.delete(waiter);
    if (happened()) return undefined;
    return waiter.dismissed ? 'SESSION_BUSY' : 'SESSION_CONTINUED';
  }

  private makeRoom(): void {
    const [oldest] = this.waiters;
    if (oldest === undefined || this.waiters.size <= MAX_WAITING) return;
    oldest.dismissed = true;
    this.waiters.delete(oldest);
  }
}
