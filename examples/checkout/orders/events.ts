import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { isPaysessionError, type PaymentSessions } from 'paysession';
import type { Language } from '../language';
import type { OrderMoney } from './money';
import { orderView, type SeenOrder } from './view';

/** The maximum number of pages that listen at the same time. Each page needs a connection. */
const MAX_PAGES = 200;

export interface OrderEventsOptions {
  readonly sessions: PaymentSessions;
  readonly lookEveryMs: number;
  readonly money?: OrderMoney | undefined;
}

/** Sends an order's changes to its open pages. */
export class OrderEvents {
  readonly #changes = new EventEmitter().setMaxListeners(MAX_PAGES);
  readonly #streams = new Set<Readable>();
  /** The reads under way, by order. Concurrent readers share them. */
  readonly #looks = new Map<string, Promise<SeenOrder>>();
  /** The orders that pages listen to. All pages of an order wake at once, so they share a read. */
  readonly #clocks = new Map<string, { pages: number; readonly timer: NodeJS.Timeout }>();
  #hasEnded = false;
  readonly #options: OrderEventsOptions;

  constructor(options: OrderEventsOptions) {
    this.#options = options;
  }

  get full(): boolean {
    return this.#streams.size >= MAX_PAGES;
  }

  /** Reads the order's current state, its history and its money. */
  look(orderId: string): Promise<SeenOrder> {
    const underWay = this.#looks.get(orderId);
    if (underWay !== undefined) return underWay;
    const look = this.#read(orderId).finally(() => {
      if (this.#looks.get(orderId) === look) this.#looks.delete(orderId);
    });
    this.#looks.set(orderId, look);
    return look;
  }

  /** Makes the order's open pages read the order at once, after a change. */
  changed(orderId: string): void {
    // A read under way may be older than the change.
    this.#looks.delete(orderId);
    this.#changes.emit(orderId);
  }

  /** Returns server-sent events: the order at once and after each change, until no further change is possible. */
  follow(orderId: string, language: Language): Readable {
    const stream = Readable.from(this.#events(orderId, language));
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    return stream;
  }

  /** Ends every stream after the event that the stream is about to send. */
  end(): void {
    this.#hasEnded = true;
    for (const orderId of this.#clocks.keys()) this.#changes.emit(orderId);
  }

  /** Resolves once no stream reads its order any more. */
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
        // Listens before the read, so that no change between the two is missed.
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

  async #read(orderId: string): Promise<SeenOrder> {
    const session = this.#options.sessions.get(orderId);
    const state = await session.state();
    return { state, history: await session.stateHistory(), money: this.#options.money?.of(orderId) };
  }

  /**
   * Reads an order, and returns the event for its pages. While the order cannot be read, for instance because no worker is
   * running, the event is `trouble`, and the pages say so. They continue when the order can be read.
   */
  async #eventFor(
    orderId: string,
    language: Language,
  ): Promise<{ readonly text: string; readonly isLast: boolean }> {
    try {
      const view = orderView(await this.look(orderId), language);
      return { text: `data: ${JSON.stringify(view)}\n\n`, isLast: view.isLast };
    } catch (error) {
      if (!isPaysessionError(error)) throw error;
      return { text: `event: trouble\ndata: ${error.code}\n\n`, isLast: false };
    }
  }

  #enter(orderId: string): void {
    const timer = () => setInterval(() => this.#changes.emit(orderId), this.#options.lookEveryMs).unref();
    const clock = this.#clocks.get(orderId) ?? { pages: 0, timer: timer() };
    clock.pages += 1;
    this.#clocks.set(orderId, clock);
  }

  #leave(orderId: string): void {
    const clock = this.#clocks.get(orderId);
    if (clock === undefined) return;
    clock.pages -= 1;
    if (clock.pages > 0) return;
    clearInterval(clock.timer);
    this.#clocks.delete(orderId);
  }
}
