import type { SessionInput } from '../../src/protocol/activities/activities';
import type { ActivityCompletion } from '../completion';
import { HeldSession, ReportsInHand, type Holding } from './held-session';
import { WakeUps } from './wake-ups';

/** After a cancel was sent, its outcome is waited for so long before the session is polled again. */
const CANCEL_MS = 5_000;
/** Another worker takes over at once. */
const HANDOVER_MS = 100;
/** When the worker stops, polls under way may take so long. */
const LAST_POLLS_MS = 3_000;

/** Options of `HeldSessions`. */
export interface HeldSessionsOptions {
  /** Reports to the server for activities that outlive their execution: `client.activity`. */
  readonly completion: ActivityCompletion;
  /** How many sessions are kept in hand at most. @default 20000 */
  readonly most?: number | undefined;
}

const MOST = 20_000;

/** The sessions that a worker has in hand between polls: one attempt for each, a bounded number of them. */
export class HeldSessions {
  readonly #held = new Map<string, HeldSession>();
  readonly #running = new Set<Promise<void>>();
  readonly #completion: ActivityCompletion;
  readonly #inHand: ReportsInHand;
  readonly #wakeUps = new WakeUps();
  readonly #most: number;
  #isStopping = false;

  constructor({ completion, most = MOST }: HeldSessionsOptions) {
    this.#completion = completion;
    this.#inHand = new ReportsInHand(most);
    this.#most = most;
  }

  /** How many sessions are in hand. */
  get size(): number {
    return this.#held.size;
  }

  /** How many can be in hand. */
  get most(): number {
    return this.#most;
  }

  /** Whether one more session can be kept in hand. */
  get hasRoom(): boolean {
    return !this.#isStopping && this.size < this.#most;
  }

  /** Takes a session in hand; an earlier attempt, which the server has given up, ends. */
  hold(holding: Holding): void {
    const name = nameOf(holding.input);
    const session = new HeldSession(holding, {
      completion: this.#completion,
      inHand: this.#inHand,
      wakeUps: this.#wakeUps,
    });
    this.#held.get(name)?.abandon();
    this.#held.set(name, session);
    const running = session.run().finally(() => {
      this.#running.delete(running);
      if (this.#held.get(name) === session) this.#held.delete(name);
    });
    this.#running.add(running);
  }

  /** A cancel of the session is about to be sent: it is not polled meanwhile. */
  release(session: SessionInput): void {
    this.#held.get(nameOf(session))?.release(CANCEL_MS);
  }

  /** Hands all of them over to other workers, and resolves when the server knows. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const session of this.#held.values()) session.release(HANDOVER_MS);
    const cut = setTimeout(() => {
      for (const session of this.#held.values()) session.cutOff();
    }, LAST_POLLS_MS);
    await Promise.all(this.#running);
    clearTimeout(cut);
  }
}

const nameOf = ({ account, sessionId }: SessionInput): string => JSON.stringify([account, sessionId]);
