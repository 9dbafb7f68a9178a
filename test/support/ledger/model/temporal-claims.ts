import type { Claims } from '../../../../activities';
import { isSameSession, sessionIdentity, shortSessionId } from '../../../../src/contract/identity';
import type { SimulatedTemporal } from './simulated-temporal';
import { isFree, type ClaimResult } from '../../../../src/protocol/activities';
import { SEARCH_ATTRIBUTES } from '../../../../src/protocol/temporal/search-attributes';

/** A replacement for `worker/one-payment-one-key` at a simulated Temporal server. It finds the key that follows a session. */
export class SimulatedClaims implements Claims {
  /** The keys for which this worker has created sessions, by session id. */
  readonly #created = new Map<string, string>();
  readonly #temporal: SimulatedTemporal;

  constructor(temporal: SimulatedTemporal) {
    this.#temporal = temporal;
  }

  created(sessionId: string, key: string): void {
    this.#created.set(sessionIdentity(sessionId), key);
  }

  preview(sessionId: string, key: string): Promise<ClaimResult> {
    return Promise.resolve(this.#look(sessionId, key));
  }

  claim(sessionId: string, key: string): Promise<ClaimResult> {
    const answer = this.#look(sessionId, key);
    if (isFree(answer)) this.#temporal.claims.set(sessionIdentity(sessionId), key);
    return Promise.resolve(answer);
  }

  #look(sessionId: string, key: string): ClaimResult {
    const creator = this.#created.get(sessionIdentity(sessionId));
    if (creator !== undefined && creator !== key) return { followedBy: creator };
    const others = this.#temporal.runs.filter(({ start }) => start.key !== key);
    const follower = others.find(
      ({ state }) => state.shown[SEARCH_ATTRIBUTES.shortId] === shortSessionId(sessionId),
    );
    if (follower !== undefined) return { followedBy: follower.start.key };
    const sender = others.find(
      ({ isRunning, state }) =>
        isRunning &&
        [...state.activities.values()].some(({ type, isStarted }) => type === 'createSession' && isStarted),
    );
    if (sender !== undefined) return { isUnclear: true, maybeFollowedBy: sender.start.key };
    const claimed = [...this.#temporal.claims].find(([claimedId]) => isSameSession(claimedId, sessionId));
    if (claimed === undefined || claimed[1] === key) return {};
    return { isUnclear: true, maybeFollowedBy: claimed[1] };
  }
}
