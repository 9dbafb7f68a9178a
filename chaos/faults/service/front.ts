import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { keyIn } from '../episode/request';
import type { SessionRequest } from '../../../src';
import type { Point, Stage } from '../plan/plan';
import type { HttpFault } from '../plan/http-faults';
import type { Exchange } from './exchange';
import { canHave, readAnswer } from './reading';
import { isForwarded, spoil, type HttpAnswer, type Sending } from './spoil';

/** The part of an episode that plays the plan of one session or key. */
export interface Player {
  /** Called when a call arrives. Carries out the plan's events at this point. Returns the fault of the call, if the plan has one. */
  arrive(point: Point, sessionId: string | undefined): HttpFault | undefined;
  /** Called at a stage of a call, at which a process may be struck. The call continues when the promise resolves. */
  pass(point: Point, stage: Stage, worker: string): Promise<void>;
  /** Delays the service's answer. Resolves when the answer may be sent. */
  slowly(): Promise<void>;
}

export interface FrontOptions {
  /** The URL of the payment service. */
  readonly service: string;
  /** The prefix of every token. With it, a search finds tokens in any place where they should not be. */
  readonly tokenMark: string;
  /** The longest `Retry-After` that workers respect, in milliseconds. */
  readonly longestRetryAfterMs: number;
  /** Returns the player of a session, by the session's key. */
  readonly playerOf: (key: string) => Player | undefined;
  /** Returns the fault of the next request for a token. */
  readonly nextAuthorizeFault: () => HttpFault | undefined;
}

const TICK_MS = 100;
/** A tick that comes later than this, in milliseconds, shows that the process was blocked. */
const LATE_MS = 300;
/** The longest time, in milliseconds, that a worker waits for an answer. */
const WORKERS_WAIT_MS = 2_500;

const EMPTY: HttpAnswer = { status: 200, headers: {}, body: '{}' };

/** A proxy between the workers and the payment service. Applies the planned faults, and records all calls. */
export class Front {
  /** Oldest first. */
  readonly exchanges: Exchange[] = [];
  /** The number of times that each fault has happened. */
  readonly fired = new Map<HttpFault, number>();
  /** The number of calls that followed a redirect. No worker may follow one. */
  trapped = 0;
  readonly #pool: Pool;
  readonly #madeFor = new Map<string, string>();
  readonly #occurrences = new Map<string, number>();
  #server: Server | undefined;
  #port = 0;
  readonly #options: FrontOptions;
  readonly #ticking: NodeJS.Timeout;
  #tickedAtMs = Date.now();
  #lateAtMs = -Infinity;

  constructor(options: FrontOptions) {
    this.#options = options;
    this.#ticking = setInterval(() => {
      this.#tick();
    }, TICK_MS).unref();
    this.#pool = new Pool(options.service, { connections: 64 });
  }

  /**
   * Returns the URL at which a worker reaches the payment service. The path begins with the worker's name, so that each call shows which
   * worker made it.
   */
  urlFor(worker: string): string {
    return `http://127.0.0.1:${this.#port}/${worker}`;
  }

  /** Accepts connections. After `down`, accepts them again at the same port. */
  async up(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = createServer((request, response) => void this.#answer(request, response));
    this.#server = server;
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Returns the sessions that the payment service made for a key, oldest first. */
  sessionsOf(key: string): readonly string[] {
    return [...this.#madeFor].flatMap(([sessionId, own]) => (own === key ? [sessionId] : []));
  }

  /** Refuses new connections. Calls that have already arrived still get their answers. */
  down(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  #tick(): void {
    const nowMs = Date.now();
    if (nowMs - this.#tickedAtMs > TICK_MS + LATE_MS) this.#lateAtMs = nowMs;
    this.#tickedAtMs = nowMs;
  }

  async close(): Promise<void> {
    clearInterval(this.#ticking);
    const server = this.#server;
    this.down();
    server?.closeAllConnections();
    await this.#pool.destroy();
  }

  /** Forgets the calls of ended sessions. Keeps calls with a refused token, because they explain why further tokens were requested. */
  forget(keys: ReadonlySet<string>): void {
    const kept = this.exchanges.filter(({ session, httpStatus }) => !keys.has(session) || httpStatus === 401);
    this.exchanges.splice(0, this.exchanges.length, ...kept);
    for (const [sessionId, key] of this.#madeFor) if (keys.has(key)) this.#madeFor.delete(sessionId);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#relay(request, response);
    } catch {
      // The connection to the worker or to the service has ended.
      response.destroy();
    }
  }

  async #relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, worker = '', ...path] = (request.url ?? '').split('/');
    if (worker === 'trap') this.trapped += 1;
    const sent: Buffer[] = [];
    for await (const chunk of request) sent.push(chunk as Buffer);
    const body = Buffer.concat(sent);
    const about = this.#about(path, body);
    const { call, session, sessionId } = about;
    const exchange: Exchange = {
      worker,
      ...about,
      occurrence: this.#count(`${session}/${call}`),
      atMs: Date.now(),
      isProcessed: false,
      isClean: false,
    };
    this.exchanges.push(exchange);
    const player = session === '' ? undefined : this.#options.playerOf(session);
    const point: Point | undefined =
      call === 'authorize' ? undefined : { call, occurrence: exchange.occurrence };
    const planned =
      point === undefined ? this.#options.nextAuthorizeFault() : player?.arrive(point, sessionId);
    const truth = isForwarded(planned) ? await this.#forward(request, path, body, exchange) : EMPTY;
    const fault = planned !== undefined && canHave(planned, truth) ? planned : undefined;
    if (fault !== undefined) {
      exchange.fault = fault;
      this.fired.set(fault, (this.fired.get(fault) ?? 0) + 1);
    }
    if (point !== undefined) await player?.pass(point, 'afterSend', worker);
    if (fault === 'slow') await player?.slowly();
    const sending = spoil(fault, {
      truth: this.#marked(call, truth),
      authorization: request.headers.authorization ?? '',
      trap: `http://127.0.0.1:${this.#port}/trap/${worker}`,
      nowMs: Date.now(),
    });
    await this.#send(response, sending, exchange);
    if (point !== undefined) await player?.pass(point, 'afterResponse', worker);
  }

  #count(name: string): number {
    const occurrence = (this.#occurrences.get(name) ?? 0) + 1;
    this.#occurrences.set(name, occurrence);
    return occurrence;
  }

  #about(path: readonly string[], body: Buffer): Pick<Exchange, 'call' | 'session' | 'sessionId'> {
    const [, , resource, sessionId = '', action] = path;
    if (resource === 'authorize') return { call: 'authorize', session: '' };
    if (action !== undefined) {
      const call = action === 'cancel' ? 'cancel' : 'details';
      return { call, sessionId, session: this.#madeFor.get(sessionId) ?? '' };
    }
    return { call: 'create', session: keyIn(JSON.parse(body.toString()) as SessionRequest) };
  }

  async #forward(
    { method = 'GET', headers }: IncomingMessage,
    path: readonly string[],
    body: Buffer,
    exchange: Exchange,
  ): Promise<HttpAnswer> {
    const { authorization = '', 'content-type': type } = headers;
    const answer = await this.#pool.request({
      method: method,
      path: `/${path.join('/')}`,
      headers: {
        authorization: authorization.replace(`${this.#options.tokenMark}.`, ''),
        ...(type !== undefined && { 'content-type': type }),
      },
      body: body.length > 0 ? body : null,
    });
    const text = await answer.body.text();
    exchange.isProcessed = true;
    if (exchange.call === 'create' && answer.statusCode === 201) {
      const { sessionId } = JSON.parse(text) as { readonly sessionId: string };
      this.#madeFor.set(sessionId, exchange.session);
      exchange.made = sessionId;
    }
    const contentType = String(answer.headers['content-type'] ?? 'application/json');
    return { status: answer.statusCode, headers: { 'content-type': contentType }, body: text };
  }

  /** Returns the answer. If the answer contains a token, adds the mark to the token. */
  #marked(call: Exchange['call'], truth: HttpAnswer): HttpAnswer {
    if (call !== 'authorize' || truth.status !== 200) return truth;
    const grant = JSON.parse(truth.body) as { readonly access_token: string };
    const marked = { ...grant, access_token: `${this.#options.tokenMark}.${grant.access_token}` };
    return { ...truth, body: JSON.stringify(marked) };
  }

  async #send(response: ServerResponse, sending: Sending, exchange: Exchange): Promise<void> {
    const gone = once(response, 'close');
    if (sending.way === 'reset') response.socket?.resetAndDestroy();
    if (sending.way === 'send') {
      const { answer, missingBytes = 0 } = sending;
      const length = Buffer.byteLength(answer.body) + missingBytes;
      Object.assign(exchange, readAnswer(answer, this.#options.longestRetryAfterMs));
      response.writeHead(answer.status, { ...answer.headers, 'content-length': String(length) });
      if (missingBytes === 0) response.end(answer.body);
      else response.write(answer.body, () => response.socket?.end());
    }
    await gone;
    exchange.endedAtMs = Date.now();
    this.#tick();
    if (this.#lateAtMs > exchange.atMs - WORKERS_WAIT_MS) exchange.isLate = true;
    const isWhole = sending.way === 'send' && response.writableFinished;
    exchange.isClean =
      isWhole &&
      exchange.isProcessed &&
      [undefined, 'slow', 'skewedDate', 'refused'].includes(exchange.fault);
  }
}
