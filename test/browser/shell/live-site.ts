import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { html, type Html } from '../../../src/web/html';
import { httpServer } from '../../../src/web/http-server';
import type { Language } from '../../../src/web/language';
import { layout } from '../../../src/web/shell/layout';
import { SCRIPT, STYLE } from '../../../src/web/send-page';

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'";

/** An event that the server sends to viewers. */
export type Event = readonly [
  name: 'fragment' | 'beat' | 'temporalLost' | 'workerLost' | 'loginEnded' | 'back',
  data?: string,
];

/**
 * A page with the shell, which is the common frame of all pages. Its content arrives by server-sent events. A test can make the server
 * send heartbeats, stay silent, refuse requests or stop.
 */
export class LiveSite {
  /** True while the server sends heartbeats. */
  beats = true;
  /** The status with which the server answers requests for events. It sends events only if the status is 200. */
  status = 200;
  content: Html = html`<p id="shown">first</p>`;
  language: Language = 'EN';
  readonly #streams = new Set<ServerResponse>();
  readonly #arrivals = new EventEmitter();
  #app: FastifyInstance | undefined;
  #port = 0;
  #beating: NodeJS.Timeout | undefined;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Waits until a viewer connects. */
  async watched(): Promise<void> {
    if (this.#streams.size === 0) await once(this.#arrivals, 'arrived');
  }

  /** Listens on a port. After a stop, it listens on the same port again. */
  async start(): Promise<void> {
    const app = httpServer(1_000);
    app.get('/console.css', (_request, reply) => reply.type('text/css').send(STYLE));
    app.get('/console.js', (_request, reply) => reply.type('text/javascript').send(SCRIPT));
    app.get('/favicon.ico', (_request, reply) => reply.code(204).send());
    app.get('/', (_request, reply) =>
      reply.type('text/html').header('content-security-policy', POLICY).send(this.#page().text),
    );
    app.get('/events', (request, reply) => {
      if (this.status !== 200) return reply.code(this.status).send();
      reply.hijack();
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      this.#streams.add(reply.raw);
      this.#arrivals.emit('arrived');
      request.raw.once('close', () => this.#streams.delete(reply.raw));
      if (this.beats) reply.raw.write(textOf(['beat']));
      return reply;
    });
    await app.listen({ port: this.#port, host: '127.0.0.1' });
    const address = app.server.address();
    this.#port = typeof address === 'object' && address !== null ? address.port : 0;
    this.#app = app;
    this.#beating = setInterval(() => {
      if (this.beats) this.send(['beat']);
    }, 500);
  }

  async stop(): Promise<void> {
    clearInterval(this.#beating);
    this.drop();
    await this.#app?.close();
    this.#app = undefined;
  }

  send(event: Event): void {
    for (const stream of this.#streams) stream.write(textOf(event));
  }

  /** Ends every stream. */
  drop(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#streams.clear();
  }

  #page(): Html {
    return layout({
      language: this.language,
      title: 'Live',
      product: 'paysession',
      head: html`<link rel="stylesheet" href="/console.css" />
        <script src="/console.js" defer></script>`,
      navigation: [{ text: 'Live', href: '/', isCurrent: true }],
      content: html`<div data-live="/events">${this.content}</div>`,
    });
  }
}

function textOf([name, data = '']: Event): string {
  const lines = data.split('\n').map((line) => `data: ${line}`);
  return `event: ${name}\n${lines.join('\n')}\n\n`;
}
