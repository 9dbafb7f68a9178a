import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { isPaysessionError, type PaymentSessions } from 'paysession';
import type { Language } from '../language';
import type { OrderMoney } from './money';
import { orderView, type OrderFacts } from './view';

/** The maximum number of order pages that are open at the same time. Each page needs a connection. */
const MAX_PAGES = 200;

export interface OrderEventsOptions {
  readonly sessions: PaymentSessions;
  readonly lookEveryMs: number;
  readonly money?: OrderMoney | undefined;
}

/**
 * Sends the changes of orders to their open pages, as server-sent events. To notice changes, it reads an order while a
 * page of it is open.
 */
export class OrderEvents {
  readonly #changes = new EventEmitter().setMaxListeners(MAX_PAGES);
  readonly #streams = new Set<Readable>();
  /** The current reads, by order id. All pages of an order share a read. */
  readonly #reads = new Map<string, Promise<OrderFacts>>();
  /** The orders with open pages. The timer of an order wakes all of its pages at once, so that they share a read. */
  readonly #watched = new Map<string, { pages: number; readonly timer: NodeJS.Timeout }>();
  #hasEnded = false;
  readonly #options: OrderEventsOptions;

  constructor(options: OrderEventsOptions) {
    this.#options = options;
  }

  get full(): boolean {
    return this.#streams.size >= MAX_PAGES;
  }

  /** Reads the order's current state, its history and its money. */
  read(orderId: string): Promise<OrderFacts> {
    const underWay = this.#reads.get(orderId);
    if (underWay !== undefined) return underWay;
    const reading = this.#queryOrder(orderId).finally(() => {
      if (this.#reads.get(orderId) === reading) this.#reads.delete(orderId);
    });
    this.#reads.set(orderId, reading);
    return reading;
  }

  /** Makes the order's open pages read the order at once, after a change. */
  changed(orderId: string): void {
    // A current read may have begun before the change.
    this.#reads.delete(orderId);
    this.#changes.emit(orderId);
  }

  /**
   * Returns a stream of server-sent events. It sends the order at once and after each change, and ends when no further
   * change is possible.
   */
  follow(orderId: string, language: Language): Readable {
    const stream = Readable.from(this.#events(orderId, language));
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    return stream;
  }

  /** Ends all streams. A stream that is about to send an event sends it first. */
  end(): void {
    this.#hasEnded = true;
    for (const orderId of this.#watched.keys()) this.#changes.emit(orderId);
  }

  /** Resolves once all streams have stopped reading their orders. */
  async ended(): Promise<void> {
    const open = [...this.#streams].map((stream) => new Promise((resolve) => stream.once('close', resolve)));
    await Promise.all(open);
  }

  async *#events(orderId: string, language: Language): AsyncIterable<string> {
    this.#enter(orderId);
    const gone = new AbortController();
    try {
      let sent = '';
      for (let isOver = this.#hasEnded; !isOver; isOver = this.#hasEnded) {
        // Listens before the read, so that no change between the read and the wait is missed.
        const change = once(this.#changes, orderId, { signal: gone.signal }).catch(() => undefined);
        const { text, isLast } = await this.#eventFor(orderId, language);
        if (text !== sent) yield text;
        sent = text;
        if (isLast) return;
        await change;
      }
    } finally {
      gone.abort();
      this.#leave(orderId);
    }
  }

  async #queryOrder(orderId: string): Promise<OrderFacts> {
    const session = this.#options.sessions.get(orderId);
    const state = await session.state();
    return { state, history: await session.stateHistory(), money: this.#options.money?.of(orderId) };
  }

  /**
   * Reads an order, and returns the event for its pages. If the order cannot be read, for instance because no worker is
   * running, the event is `trouble`, and the pages show this. The next successful read makes the pages show the order
   * again.
   */
  async #eventFor(
    orderId: string,
    language: Language,
  ): Promise<{ readonly text: string; readonly isLast: boolean }> {
    try {
      const view = orderView(await this.read(orderId), language);
      return { text: `data: ${JSON.stringify(view)}\n\n`, isLast: view.isLast };
    } catch (error) {
      if (!isPaysessionError(error)) throw error;
      return { text: `event: trouble\ndata: ${error.code}\n\n`, isLast: false };
    }
  }

  #enter(orderId: string): void {
    const timer = () => setInterval(() => this.#changes.emit(orderId), this.#options.lookEveryMs).unref();
    const watched = this.#watched.get(orderId) ?? { pages: 0, timer: timer() };
    watched.pages += 1;
    this.#watched.set(orderId, watched);
  }

  #leave(orderId: string): void {
    const watched = this.#watched.get(orderId);
    if (watched === undefined) return;
    watched.pages -= 1;
    if (watched.pages > 0) return;
    clearInterval(watched.timer);
    this.#watched.delete(orderId);
  }
}
