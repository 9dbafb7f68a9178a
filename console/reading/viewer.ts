import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Visitor } from '../access/gate';

/** Who reads no more than this much later is sent away, and connects again. */
const MAX_UNREAD_BYTES = 1_000_000;
/** Who does not take the last event within this, in milliseconds, is sent away. */
const TAKEN_WITHIN_MS = 2_000;

/** Why a stream ends: its login has, and the browser is refused when it asks again; or who looks is to be found out anew. */
export type StreamEnd = 'loginEnded' | 'renew';

/**
 * Somebody who looks at a question: a stream of server-sent events. It ends with its login, and after a while in any case, for
 * it was let in once and would go on for ever. Whatever is sent passes by that.
 */
export class Viewer {
  readonly stream = new PassThrough();
  private readonly renewedAtMs: number;

  constructor(
    readonly visitor: Visitor,
    private readonly response: ServerResponse,
    renewedAfterMs: number,
  ) {
    this.renewedAtMs = performance.now() + renewedAfterMs;
    // Also where nothing of it was read, as of a HEAD request.
    response.once('close', () => this.stream.destroy());
  }

  /** Sends an event, while there is anything to send to them. */
  tell(event: string, data = ''): void {
    const { stream, visitor } = this;
    if (stream.writableEnded) return;
    if (Date.now() >= (visitor.endsAtMs ?? Infinity)) this.end('loginEnded');
    else if (performance.now() >= this.renewedAtMs) this.end('renew');
    else if (stream.writableLength > MAX_UNREAD_BYTES) this.response.destroy();
    else stream.write(textOf(event, data));
  }

  /** Ends the stream, and says why. */
  end(why: StreamEnd): void {
    if (this.stream.writableEnded) return;
    this.stream.end(`retry: 500\n${textOf(why)}`);
    const timer = setTimeout(() => this.response.destroy(), TAKEN_WITHIN_MS);
    this.response.once('close', () => {
      clearTimeout(timer);
    });
  }
}

function textOf(event: string, data = ''): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `event: ${event}\n${lines.join('')}\n`;
}
