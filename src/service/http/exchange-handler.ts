import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { type RawAnswer, type RawExchange, transportReason } from './exchange';

/**
 * Handles one request for undici: collects the answer, and reports the result once. undici's simpler `Pool.request` is not
 * used, because its streams and signals cost more than a small answer.
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

  /** Stops the exchange. If the request has no connection yet, it is never sent. */
  stop(error: Error): void {
    this.#stopped = error;
    this.#failed(error);
    this.#controller?.abort(error);
  }

  /** undici calls this just before it sends the request. If the request is aborted here, it is not sent. */
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
    // Statuses below 200 belong to interim answers.
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

  /**
   * Ends the exchange after an error. If the status has arrived, the exchange counts as answered, even if the body is missing.
   */
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

type Undo = (bytes: Buffer, options: Pick<ZlibOptions, 'maxOutputLength'>) => Buffer;

/** Decodes `deflate`. Some servers leave out zlib's header. In that header, the low half of the first byte is 8. */
const inflate: Undo = (bytes, options) =>
  ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options);

/** The content codings that every supported Node version can decode. */
const UNDO: ReadonlyMap<string, Undo> = new Map<string, Undo>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflate],
  ['br', brotliDecompressSync],
]);

/**
 * The other content codings of IANA's registry. Messages name only codings that are listed, because a header may contain any
 * text.
 */
const OTHERS = ['aes128gcm', 'compress', 'dcb', 'dcz', 'exi', 'pack200-gzip', 'x-compress', 'zstd'];

/**
 * The maximum number of codings of one answer. Servers have no reason to apply more, and each coding costs a buffer of
 * `maxBytes`.
 */
const MOST_CODINGS = 3;

/**
 * Decodes the content codings of an answer. Requests ask for uncompressed answers (`identity`), but some gateways compress
 * every answer. `maxBytes` also limits the decoded body, so that a small body cannot become very large.
 */
function undoCodings(
  bytes: Buffer,
  header: string | readonly string[] | undefined,
  maxBytes: number,
): RawAnswer['body'] {
  const codings = codingsOf(header);
  if (codings.length === 0 || bytes.length === 0) return { state: 'complete', bytes };
  if (codings.length > MOST_CODINGS) return { state: 'coded', coding: undefined, bytes };
  let plain = bytes;
  // A server lists the codings in the order in which it has applied them.
  for (const coding of codings.reverse()) {
    try {
      plain = UNDO.get(coding)?.(plain, { maxOutputLength: maxBytes }) ?? refuse();
    } catch (error) {
      if (transportReason(error) === 'ERR_BUFFER_TOO_LARGE') return { state: 'tooLarge', bytes };
      // A gateway may have decoded the body, but kept the header.
      if (isLikeJson(bytes)) return { state: 'complete', bytes };
      return { state: 'coded', coding: knownName(coding), bytes };
    }
  }
  return { state: 'complete', bytes: plain };
}

const codingsOf = (header: string | readonly string[] = ''): string[] =>
  String(header)
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');

const knownName = (coding: string): string | undefined =>
  UNDO.has(coding) || OTHERS.includes(coding) ? coding : undefined;

const isLikeJson = (bytes: Buffer): boolean => /^\s*[[{]/.test(bytes.toString('latin1', 0, 100));

function refuse(): never {
  throw new Error('This coding cannot be undone.');
}
