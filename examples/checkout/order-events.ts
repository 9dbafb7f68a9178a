import { EventEmitter, once } from 'node:events';
import { isPaysessionError, type PaymentSessions } from 'paysession';
import { orderView, type OrderView } from './order-view';

/** Pages that listen at once; each costs a connection and a query a second. */
const MAX_LISTENERS = 200;

/** Tells the pages of an order what becomes of it. */
export class OrderEvents {
  readonly #changes = new EventEmitter().setMaxListeners(MAX_LISTENERS);
  #listeners = 0;

  constructor(
    private readonly sessions: PaymentSessions,
    private readonly lookEveryMs: number,
  ) {}

  get full(): boolean {
    return this.#listeners >= MAX_LISTENERS;
  }

  /** The order as it is now. */
  async look(orderId: string): Promise<OrderView> {
    const session = this.sessions.get(orderId);
    const state = await session.state();
    return orderView(state, await session.stateHistory());
  }

  /** All that listen look at once, for something has happened. */
  changed(orderId: string): void {
    this.#changes.emit(orderId);
  }

  /** Server-sent events: the order at once and after each change, until nothing will change any more. */
  async *follow(orderId: string): AsyncIterable<string> {
    this.#listeners += 1;
    try {
      let told = '';
      for (;;) {
        // Before the look, so that no change falls between the two.
        const change = this.#nextChange(orderId);
        const { text, ended } = await this.#tell(orderId);
        if (text !== told) yield text;
        told = text;
        if (ended) return;
        await change;
      }
    } finally {
      this.#listeners -= 1;
    }
  }

  /** While the engine or its workers are away, pages are told so, and go on when they are back. */
  async #tell(orderId: string): Promise<{ readonly text: string; readonly ended: boolean }> {
    try {
      const view = await this.look(orderId);
      return { text: `data: ${JSON.stringify(view)}\n\n`, ended: view.ended };
    } catch (error) {
      if (!isPaysessionError(error)) throw error;
      return { text: `event: trouble\ndata: ${error.code}\n\n`, ended: false };
    }
  }

  async #nextChange(orderId: string): Promise<void> {
    await once(this.#changes, orderId, { signal: AbortSignal.timeout(this.lookEveryMs) }).catch(
      () => undefined,
    );
  }
}
