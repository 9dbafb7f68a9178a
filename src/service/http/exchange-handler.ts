import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { undoCodings } from './content-coding';
import type { RawAnswer, RawExchange } from './exchange';
import { transportReason } from './transport-reason';

/**
 * Hears from undici of one request and its answer, and tells what came of it, once. It is called directly: the streams and signals
 * of `Pool.request` cost more than a small answer does.
 */
export class ExchangeHandler implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #stopped: Error | undefined;
  #isSent = false;
  #isOver = false;
  #head: Pick<RawAnswer, 'status' | 'headers'> | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;
  readonly #maxBytes: number;
  readonly #settle: (exchange: RawExchange) => void;

  constructor(maxBytes: number, settle: (exchange: RawExchange) => void) {
    this.#maxBytes = maxBytes;
    this.#settle = settle;
  }

  /** Ends the exchange from this side. One that has no connection yet is never written. */
  stop(error: Error): void {
    this.#stopped = error;
    this.#failed(error);
    this.#controller?.abort(error);
  }

  /** undici calls this in the moment before it writes the request, unless that is aborted here. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#stopped !== undefined) {
      controller.abort(this.#stopped);
      return;
    }
    this.#controller = controller;
    this.#isSent = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Others announce the answer.
    if (status >= 200) this.#head = { status, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes <= this.#maxBytes) {
      this.#chunks.push(chunk);
      return;
    }
    this.#answered({ state: 'tooLarge', bytes: this.#read() });
    controller.abort(new Error('The answer is too large.'));
  }

  onResponseEnd(): void {
    const coding = this.#head?.headers['content-encoding'];
    this.#answered(undoCodings(this.#read(), coding, this.#maxBytes));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#failed(error);
  }

  /** A status is an answer, whatever becomes of the body after it. */
  #failed(error: Error): void {
    const reason = transportReason(error);
    if (this.#head === undefined) this.#end({ kind: 'unanswered', sent: this.#isSent, reason });
    else this.#answered({ state: 'cut', reason, bytes: this.#read() });
  }

  #read(): Buffer {
    const [first] = this.#chunks;
    return this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
  }

  #answered(body: RawAnswer['body']): void {
    if (this.#head !== undefined) this.#end({ kind: 'answered', ...this.#head, body });
  }

  #end(exchange: RawExchange): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#chunks = [];
    this.#settle(exchange);
  }
}
