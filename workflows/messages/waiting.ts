import { condition, currentUpdateInfo } from '@temporalio/workflow';
import type { ErrorCode } from '../../src/errors/codes';
import type { Session } from '../session';
import { isShared } from '../../src/protocol/names';

/** The engine allows ten updates in flight for a workflow; the caller that has waited longest makes room for another. */
const MAX_WAITING = 8;

/** An update in flight. */
interface Waiter {
  /** Many callers share it, so others are sent away first. */
  readonly shared: boolean;
  /** What it asks for is carried out all the same, so others are sent away. */
  readonly stays: boolean;
  dismissed: boolean;
}

/** Waits until something happened or the session is closing; throws when the caller is sent away before. */
export type Until = (happened: () => boolean, options?: WaitOptions) => Promise<void>;

/** How a caller waits. */
export interface WaitOptions {
  /** It makes no room for others; one caller at a time may. @default false */
  readonly stays?: boolean;
}

/** The callers that wait for something to happen to a session. */
export class WaitingCallers {
  readonly #waiters = new Set<Waiter>();
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Waits until `happened`; gives the reason when the caller is sent away before. */
  async wait(happened: () => boolean, { stays = false }: WaitOptions = {}): Promise<ErrorCode | undefined> {
    const waiter: Waiter = { shared: isShared(currentUpdateInfo()?.id ?? ''), stays, dismissed: false };
    this.#waiters.add(waiter);
    this.#makeRoom();
    await condition(() => happened() || waiter.dismissed || this.#session.continuing);
    this.#waiters.delete(waiter);
    if (happened()) return undefined;
    return waiter.dismissed ? 'SESSION_BUSY' : 'SESSION_CONTINUED';
  }

  #makeRoom(): void {
    if (this.#waiters.size <= MAX_WAITING) return;
    const leaving = this.#nextToLeave();
    if (leaving === undefined) return;
    leaving.dismissed = true;
    this.#waiters.delete(leaving);
  }

  #nextToLeave(): Waiter | undefined {
    const waiters = [...this.#waiters];
    const [before] = [...waiters.filter(({ shared }) => !shared), ...waiters];
    if (before?.stays !== true) return before;
    const others = waiters.filter(({ stays }) => !stays);
    return others.find(({ shared }) => !shared) ?? others[0];
  }
}
