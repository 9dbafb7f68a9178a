import type { FastifyInstance } from 'fastify';
import { PaysessionError, toPortError } from '../src/errors';
import { type SandboxCall, CallLog } from './calls/calls';
import { buildControlApp } from './control/app';
import { type CallPhase, type Fault, type FaultyRoute, type Hold, Faults } from './calls/faults';
import { reconciliationFile, type ReconciliationQuery } from './sessions/reconciliation-file';
import { type SandboxOptions, resolveOptions, type SandboxConfig } from './options';
import type { SandboxSession } from './sessions/session';
import { type EventResult, SessionStore } from './sessions/session-store';
import type { PlainEvent, SessionEvent } from './sessions/transitions';
import { type SandboxMail, Outbox } from './sessions/mails';
import { surroundCalls } from './calls/surround-calls';
import { apiRoutes } from './api/routes';
import { CLIENT, RateLimiter } from './api/callers';
import { flowRoutes } from './flow/routes';
import { overviewRoutes } from './overview/routes';
import { ROUTES } from './calls/routes';
import { DUE_EVERY_MS, HintSender } from './hints';
import { httpServer } from '../src/web/http-server';
import { PATHS } from '../src/contract';
import { Journal } from './journal';
import { StepTokens } from './flow/posted-form';
import { TokenStore } from './api/tokens';
import { MovableClock } from './clock';
import { systemCode } from '../src/files';
import { answerProblems, HttpProblem } from '../src/web/problems';
import { knownHosts, onlyHosts } from '../src/web/guards';

/** The address on which the sandbox listens. */
export interface ListenOptions {
  /** The port to listen on; 0 takes a free one. @default 0 */
  readonly port?: number;
  /** The address to listen on. @default '127.0.0.1' */
  readonly host?: string;
}

/** The payment service on this machine: its whole contract, without real money. */
export interface Sandbox {
  /** URL at which the sandbox listens, or listened last. Throws until a `listen` has succeeded. */
  readonly url: string;
  /** The calls received, oldest first, bounded by `maxCalls`. */
  readonly calls: readonly SandboxCall[];
  /**
   * The mails that payors would have received, in the order in which they were written, bounded by `maxMails` (contract rules A45, A72 in
   * docs/contract.md).
   */
  readonly outbox: readonly SandboxMail[];
  /**
   * Starts to answer requests. Restores the sessions, tokens and mails of an earlier `listen`, or of the folder `dataDir`.
   *
   * @throws {@link PaysessionError} `PORT_IN_USE` if another program has the port
   * @throws {@link PaysessionError} `INVALID_SETTINGS` if the sandbox cannot listen on the address or the port
   * @throws {@link PaysessionError} `FOLDER_IN_USE` if another sandbox has the folder
   * @throws {@link PaysessionError} `INVALID_FILE` if the folder is damaged, unreadable, from another version or not a sandbox's
   * @throws `MissingPackagesError` if `dataDir` is set and `classic-level` is not installed
   * @throws `Error` if the sandbox listens already
   *
   * @example
   * ```ts
   * const { url } = await sandbox.listen({ port: 8080 }); // the `baseUrl` of the worker's account
   * ```
   */
  listen(options?: ListenOptions): Promise<{ readonly url: string; readonly port: number }>;
  /**
   * Lets other processes of this machine control a listening sandbox over HTTP, on a separate port of 127.0.0.1, until `close`. The default
   * is a free port. See docs/guides/sandbox-control.md.
   *
   * @throws {@link PaysessionError} `PORT_IN_USE` if another program has the port
   * @throws {@link PaysessionError} `INVALID_SETTINGS` if the sandbox cannot listen on the port
   * @throws `Error` if the sandbox does not listen, or the control port is open already
   */
  listenControl(
    options?: Pick<ListenOptions, 'port'>,
  ): Promise<{ readonly url: string; readonly port: number }>;
  /** Stops answering, drops open connections and closes the folder `dataDir`. Sessions and tokens are kept, and still expire. */
  close(): Promise<void>;
  /** Makes every token issued so far invalid: calls with one of them get 401. */
  revokeTokens(): void;
  /** Returns a session as the service keeps it, in its current state; `undefined` if it does not exist. */
  session(sessionId: string): SandboxSession | undefined;
  /**
   * Applies an event now: an act of the payor, a cancellation or an expiry. An event that the session refuses changes nothing.
   *
   * @example
   * ```ts
   * sandbox.act(sessionId, 'payorStarted');
   * sandbox.act(sessionId, 'completed'); // `Completed`/`EFT0301`, if the EFT has an amount
   * ```
   */
  act(sessionId: string, event: SessionEvent | PlainEvent): EventResult;
  /**
   * Plans an event for a time, in milliseconds since the epoch by the sandbox's clock. An event that the session then refuses changes
   * nothing. Returns `false` if the session does not exist.
   */
  actAt(sessionId: string, atMs: number, event: SessionEvent | PlainEvent): boolean;
  /**
   * Makes a payment come back this long after it has settled, in milliseconds. Returns `false` if the session does not exist.
   *
   * @param code the reason (contract A76) @default '901', not sufficient funds
   */
  returnAfter(sessionId: string, afterMs: number, code?: string): boolean;
  /**
   * Returns the reconciliation file of a day, as CSV. See docs/guides/reconcile.md.
   *
   * @throws `RangeError` if the day is invalid
   */
  reconciliation(query: ReconciliationQuery): string;
  /**
   * Makes the next call of a route wait, so that a test can stage a race.
   *
   * @example
   * ```ts
   * const hold = sandbox.hold('create', 'after');
   * const opening = sessions.open({ key: 'order-1042', request });
   * await hold.reached; // the session exists, and its answer is on hold
   * hold.release();
   * await opening;
   * ```
   */
  hold(route: FaultyRoute, phase: CallPhase): Hold;
  /**
   * Makes the next calls of a route fail.
   *
   * @param times a whole number, 1000 at most @default 1
   * @throws `RangeError` if `times` is not such a number
   *
   * @example
   * ```ts
   * sandbox.failNext('create', { kind: 'status', status: 503 }, 3);
   * ```
   */
  failNext(route: FaultyRoute, fault: Fault, times?: number): void;
  /** Removes every failure that has not happened yet. */
  clearFaults(): void;
}

/**
 * Creates a sandbox that does not listen yet.
 *
 * @throws {@link PaysessionError} `INVALID_SETTINGS` if `publicUrl`, `frameAncestors`, `allowedHosts` or the URL of `hints` is malformed
 *
 * @example
 * ```ts
 * const sandbox = createSandbox({ paceMs: 100 });
 * const { url } = await sandbox.listen();
 * sandbox.failNext('create', { kind: 'status', status: 503 });
 * await sandbox.close();
 * ```
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return new HttpSandbox(options);
}

class HttpSandbox implements Sandbox {
  readonly #context;
  #app: FastifyInstance | undefined;
  #control: FastifyInstance | undefined;
  #due: NodeJS.Timeout | undefined;
  #url: string | undefined;
  #controlUrl: string | undefined;

  constructor(options: SandboxOptions) {
    this.#context = createContext(resolveOptions(options), {
      ownUrl: () => this.url,
      controlUrl: () => this.#controlUrl,
    });
  }

  get url(): string {
    if (this.#url === undefined) throw new Error('The sandbox has no address before its first listen().');
    return this.#url;
  }

  get calls(): readonly SandboxCall[] {
    return this.#context.calls.all();
  }

  get outbox(): readonly SandboxMail[] {
    this.#context.sessions.settleAll();
    return this.#context.outbox.all();
  }

  async listen({ port = 0, host = '127.0.0.1' }: ListenOptions = {}) {
    if (this.#app !== undefined) throw new Error('The sandbox listens already: close() it first.');
    const app = buildApp(this.#context, host);
    this.#app = app;
    try {
      await this.#context.journal.open();
      const address = await listenOn(app, port, host);
      this.#url = address.url;
      this.#makeDueEventsHappen();
      return address;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async listenControl({ port = 0 }: Pick<ListenOptions, 'port'> = {}) {
    if (this.#app === undefined) throw new Error('The sandbox does not listen yet: listen() first.');
    if (this.#control !== undefined) throw new Error('The control port is open already: close() it first.');
    const control = buildControlApp(this.#context);
    this.#control = control;
    try {
      const address = await listenOn(control, port, '127.0.0.1');
      this.#controlUrl = address.url;
      return address;
    } catch (error) {
      this.#control = undefined;
      await control.close();
      throw error;
    }
  }

  /**
   * Makes due events happen at an interval, even if no call reads their sessions, so that hints are not late. Does nothing without hints.
   */
  #makeDueEventsHappen(): void {
    if (this.#context.config.hints === undefined) return;
    this.#due = setInterval(() => {
      this.#context.sessions.settleAll();
    }, DUE_EVERY_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#due);
    const servers = [this.#app, this.#control];
    this.#control = undefined;
    this.#controlUrl = undefined;
    this.#app = undefined;
    for (const server of servers) await server?.close();
    await this.#context.journal.close();
  }

  revokeTokens(): void {
    this.#context.tokens.revokeAll();
  }

  session(sessionId: string): SandboxSession | undefined {
    return this.#context.sessions.get(sessionId);
  }

  act(sessionId: string, event: SessionEvent | PlainEvent): EventResult {
    return this.#context.sessions.apply(sessionId, toEvent(event));
  }

  actAt(sessionId: string, atMs: number, event: SessionEvent | PlainEvent): boolean {
    return this.#context.sessions.plan(sessionId, { atMs, event: toEvent(event) });
  }

  returnAfter(sessionId: string, afterMs: number, code = '901'): boolean {
    return this.#context.sessions.planMoney(sessionId, { returns: { afterMs, code } });
  }

  reconciliation(query: ReconciliationQuery): string {
    return reconciliationFile(this.#context.sessions.newestFirst(), query);
  }

  hold(route: FaultyRoute, phase: CallPhase): Hold {
    return this.#context.faults.hold(route, phase);
  }

  failNext(route: FaultyRoute, fault: Fault, times = 1): void {
    this.#context.faults.failNext(route, fault, times);
  }

  clearFaults(): void {
    this.#context.faults.clear();
  }
}

function toEvent(event: SessionEvent | PlainEvent): SessionEvent {
  return typeof event === 'string' ? { type: event } : event;
}

async function listenOn(app: FastifyInstance, port: number, host: string) {
  try {
    const url = await app.listen({ port, host });
    return { url, port: Number(new URL(url).port) };
  } catch (cause) {
    const code = systemCode(cause);
    if (code === undefined || code === 'EADDRINUSE' || code === 'EACCES') throw toPortError(cause, port);
    const message = `The sandbox cannot listen on ${host} (${code}). Choose an address of this machine, such as 127.0.0.1 or 0.0.0.0.`;
    throw new PaysessionError('INVALID_SETTINGS', message, { cause });
  }
}

const UNKNOWN_HOST =
  'The sandbox does not serve this host name: use 127.0.0.1, or start it with --allow-host NAME (option allowedHosts).';

/** Returns the HTTP server of a sandbox for one `listen` on the address. */
function buildApp(context: SandboxContext, address: string): FastifyInstance {
  const { maxBodyBytes, publicUrl, allowedHosts } = context.config;
  const app = httpServer(maxBodyBytes);
  // This hook comes first, so that refused requests are not recorded as calls and use up no hold or fault.
  onlyHosts(app, knownHosts({ address, publicUrl, allowedHosts }), () => new HttpProblem(403, UNKNOWN_HOST));
  app.decorateRequest(CLIENT, null);
  surroundCalls(app, context);
  answerProblems(app, ROUTES);
  apiRoutes(app, context);
  flowRoutes(app, context);
  overviewRoutes(app, context);
  return app;
}

/** All data of a sandbox. It outlives the HTTP server, which runs from `listen` to `close`. */
type SandboxContext = ReturnType<typeof createContext>;

interface OwnAddresses {
  /** Returns the URL at which the sandbox listens, or listened last. */
  readonly ownUrl: () => string;
  /** Returns the URL of the control port; `undefined` while the port is closed. */
  readonly controlUrl: () => string | undefined;
}

function createContext(options: SandboxConfig, { ownUrl, controlUrl }: OwnAddresses) {
  const journal = new Journal(options.dataDir);
  // Stores are restored in the order in which they are made. The clock is first, because its time decides which data is dropped. The
  // sessions come after the mails, because their due events write mails to payors.
  const clock = new MovableClock(options.clock, journal);
  const config = { ...options, clock };
  const { maxSessions, idleExpiryMs, absoluteExpiryMs } = config;
  const hints = config.hints && new HintSender(config.hints, config.log);
  const outbox = new Outbox({
    journal,
    maxMails: config.maxMails,
    linkTo: (sessionId) => `${config.publicUrl ?? ownUrl()}${PATHS.hostedFlow(sessionId)}`,
  });
  return {
    config,
    clock,
    journal,
    outbox,
    tokens: new TokenStore(config, journal),
    sessions: new SessionStore({
      clock,
      journal,
      maxSessions,
      idleExpiryMs,
      absoluteExpiryMs,
      onMoved: (before, after, atMs) => {
        outbox.moved(before, after, atMs);
        hints?.moved(before, after);
      },
    }),
    rateLimiter: new RateLimiter(config),
    calls: new CallLog(config),
    faults: new Faults(),
    formTokens: new StepTokens(journal),
    controlUrl,
  };
}
