import { setTimeout as sleep } from 'node:timers/promises';
import { signalOfCall } from '../../src/sessions';

export interface IndexQueueOptions {
  /** Ends the queries that can wait, when the console closes. */
  readonly ending: AbortSignal;
  /** The minimum time between the starts of two queries that can wait, in milliseconds. */
  readonly apartMs: number;
  /** The time, in milliseconds, that an urgent query waits before the running query that can wait is cancelled. */
  readonly patienceMs: number;
}

/** The share of all time that queries that can wait may use, once they have used up their first ten seconds. */
const SHARE = 1 / 20;
const FIRST_MS = 10_000;
/** The maximum number of times that one query gives way. After that, the query runs to its end, so that it gets its answer. */
const MOST_GIVEN_WAY = 5;

/**
 * Orders the queries of Temporal's index. An urgent query, for which a person waits, runs at once. Other queries can wait: they run one at
 * a time, while no urgent query runs. Temporal on SQLite runs only one operation at a time. So if a slow query that can wait is running, it
 * gives way to an urgent query: it is cancelled and runs again later.
 */
export class IndexQueue {
  #underWay = 0;
  readonly #whenQuiet: (() => void)[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #givingWay: AbortController | undefined;
  /** The time left for queries that can wait, in milliseconds. */
  #leftMs = FIRST_MS;
  #leftAtMs = performance.now();
  readonly #options: IndexQueueOptions;

  constructor(options: IndexQueueOptions) {
    this.#options = options;
  }

  /** Runs an urgent query at once. */
  async first<T>(ask: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    const impatient = setTimeout(() => this.#givingWay?.abort(), this.#options.patienceMs);
    try {
      return await ask();
    } finally {
      clearTimeout(impatient);
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const goOn of this.#whenQuiet.splice(0)) goOn();
    }
  }

  /**
   * Runs a query that can wait, after all earlier queries that can wait. If the query gives way, `signal` cancels it, and `ask` is called
   * again later.
   */
  async later<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => this.#take(ask));
    this.#last = turn.then(
      ({ tookMs }) => this.#rest(tookMs),
      () => undefined,
    );
    return (await turn).answer;
  }

  async #take<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<{ answer: T; tookMs: number }> {
    const { ending } = this.#options;
    let tookMs = 0;
    for (let asked = 0; ; asked += 1) {
      while (this.#underWay > 0) await new Promise<void>((goOn) => this.#whenQuiet.push(goOn));
      ending.throwIfAborted();
      const giveWay = new AbortController();
      if (asked < MOST_GIVEN_WAY) this.#givingWay = giveWay;
      const { signal, end } = signalOfCall(giveWay.signal, ending);
      const beganAtMs = performance.now();
      try {
        const answer = await ask(signal);
        return { answer, tookMs: tookMs + performance.now() - beganAtMs };
      } catch (error) {
        if (!giveWay.signal.aborted) throw error;
        tookMs += performance.now() - beganAtMs;
      } finally {
        this.#givingWay = undefined;
        end();
      }
    }
  }

  /**
   * Waits after a query that can wait, at least as long as the query took. So half of the Temporal server's time is left for other queries.
   * Once the first ten seconds are used up, the wait is longer, and nearly all of the time is left.
   */
  async #rest(tookMs: number): Promise<void> {
    const { apartMs, ending } = this.#options;
    const nowMs = performance.now();
    this.#leftMs = Math.min(FIRST_MS, this.#leftMs + (nowMs - this.#leftAtMs) * SHARE) - tookMs;
    this.#leftAtMs = nowMs;
    const restMs = Math.max(apartMs - tookMs, tookMs, -this.#leftMs / SHARE);
    await sleep(restMs, undefined, { signal: ending }).catch(() => undefined);
  }
}
