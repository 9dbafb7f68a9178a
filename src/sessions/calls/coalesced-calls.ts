import type { SessionState } from '../../protocol/state/session';

/**
 * Lets many callers share a call, by its key. While one is under way, all who ask share the next one, because the one under
 * way may have looked before they asked.
 */
export class CoalescedCalls<T> {
  private readonly running = new Map<string, Promise<T>>();
  private readonly following = new Map<string, Promise<T>>();

  run(key: string, call: () => Promise<T>): Promise<T> {
    const running = this.running.get(key);
    if (running === undefined) return this.start(key, call);
    const following = this.following.get(key) ?? this.follow(key, running, call);
    this.following.set(key, following);
    return following;
  }

  private async start(key: string, call: () => Promise<T>): Promise<T> {
    const running = call();
    this.running.set(key, running);
    try {
      return await running;
    } finally {
      if (this.running.get(key) === running) this.running.delete(key);
    }
  }

  private async follow(key: string, running: Promise<T>, call: () => Promise<T>): Promise<T> {
    await running.catch(() => undefined);
    this.following.delete(key);
    return this.start(key, call);
  }
}

/**
 * What the handles of one `PaymentSessions` share. The engine holds back one query of a session at a time: many at once
 * would be sent away and come back until their time is over.
 */
export interface SharedByKey {
  readonly refreshes: CoalescedCalls<SessionState>;
  readonly states: CoalescedCalls<SessionState>;
}

export const sharedByKey = (): SharedByKey => ({
  refreshes: new CoalescedCalls(),
  states: new CoalescedCalls(),
});
