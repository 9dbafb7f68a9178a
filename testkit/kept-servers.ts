import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { reportWaits } from '../src/temporal-server/progress';
import { resolveTestServer } from '../src/temporal-server/resolve-test-server';
import { startTestServer, type RunningTemporalServer } from '../src/temporal-server/start-server';
import { CLEAN, KEPT_SERVERS, type LentServer, KEPT_LEDGER } from './lent-servers';
import type { startTemporaryLedger as StartTemporaryLedger } from './ledger-server';

/** The argument that a test runner passes: jest's configuration, or vitest's project with its `config`. */
export interface Runner {
  readonly watch?: boolean;
  readonly watchAll?: boolean;
  readonly config?: { readonly watch?: boolean };
}

const KEPT = Symbol.for('paysession.testing.keptServers');

/** The place of the kept servers. It is global, because jest loads this module again for each run of its watch mode. */
const runner = globalThis as { [KEPT]?: KeptServers | undefined };

/**
 * Starts to keep test servers, so that the worlds of a test run can use them one after the other. In watch mode, keeps them for all runs.
 * Resolves with a function that stops them. vitest calls that function at the end.
 */
export default async function setup(given: Runner): Promise<() => Promise<void>> {
  if (runner[KEPT] === undefined) {
    runner[KEPT] = await KeptServers.start(reportWaits);
    if (isWatching(given)) {
      process.stderr.write('Temporal’s test server is kept between runs; it ends with the watch mode.\n');
    }
  }
  return endServers;
}

export function isWatching({ watch = false, watchAll = false, config }: Runner): boolean {
  return watch || watchAll || config?.watch === true;
}

export async function endServers(): Promise<void> {
  const kept = runner[KEPT];
  runner[KEPT] = undefined;
  await kept?.stop();
}

/** The maximum number of idle test servers to keep. */
const MOST_IDLE = 4;
/** The maximum number of worlds that use a server, one after the other. There is a limit, because a server never frees a world's data. */
const MOST_WORLDS = 100;
/** The time after which an idle server is stopped, in milliseconds. */
const IDLE_FOR_MS = 10 * 60_000;

interface Kept {
  readonly server: RunningTemporalServer;
  worlds: number;
  ends?: NodeJS.Timeout;
}

/**
 * Keeps test servers in the test runner's own process, and lends them to the worlds in the runner's test processes. A world asks for a server
 * through a socket, and returns the server when the world is closed. Only one world uses a server at a time. If a world ends without closing,
 * or could not leave the server as it was, the server is stopped.
 */
export class KeptServers {
  /** The idle servers. The server that was returned last is the last one, and is lent first. */
  readonly #idle: Kept[] = [];
  readonly #all = new Set<Kept>();
  readonly #sockets = new Set<Socket>();
  readonly #listening: Server;
  readonly #path: string;
  #ledger: KeptLedger | undefined;
  readonly #folder: string | undefined;
  readonly #onProgress: (line: string) => void;
  /** The first server, which starts before a world asks for it. */
  #first: Promise<Kept> | undefined;
  #ended = false;

  private constructor(onProgress: (line: string) => void) {
    this.#onProgress = onProgress;
    this.#folder =
      process.platform === 'win32' ? undefined : mkdtempSync(join(tmpdir(), 'paysession-servers-'));
    this.#path = this.#socketPath('socket');
    this.#listening = createServer({ allowHalfOpen: true }, (socket) => void this.#lend(socket));
    this.#first = this.#start();
    // If the first server fails to start, the first world that asks for it reports the error.
    this.#first.catch(() => undefined);
  }

  #socketPath(name: string): string {
    return this.#folder === undefined ? `\\\\.\\pipe\\paysession-${randomUUID()}` : join(this.#folder, name);
  }

  /**
   * Begins to listen for worlds, and starts a first test server at once. A ledger starts only when a world asks for it.
   */
  static async start(onProgress: (line: string) => void): Promise<KeptServers> {
    const kept = new KeptServers(onProgress);
    await listenAt(kept.#path, kept.#listening, KEPT_SERVERS);
    kept.#ledger = await KeptLedger.start(kept.#socketPath('ledger'), onProgress);
    return kept;
  }

  /** Stops all servers, including those that a world still uses. */
  async stop(): Promise<void> {
    this.#ended = true;
    process.env[KEPT_SERVERS] = '';
    this.#listening.close();
    for (const socket of this.#sockets) socket.destroy();
    await this.#ledger?.stop();
    await this.#first?.catch(() => undefined);
    await Promise.all([...this.#all].map((kept) => this.#end(kept)));
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  async #lend(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    let message = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => (message += text.slice(0, CLEAN.length)));
    // If a world's process is killed, its socket reports an error and then closes. The close is handled below.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
    const returned = new Promise<void>((resolve) => {
      for (const event of ['end', 'close']) {
        socket.once(event, () => {
          resolve();
        });
      }
    });
    try {
      const kept = await this.#take();
      kept.worlds += 1;
      const { address } = kept.server;
      const lent: LentServer = { address, namespace: `world-${kept.worlds}`, isUsed: kept.worlds > 1 };
      socket.write(`${JSON.stringify(lent)}\n`);
      // If the server ends, the socket is closed. That shows the world that its server has ended.
      void kept.server.exited.then(() => socket.destroy());
      await returned;
      await this.#takeBack(kept, message === CLEAN);
    } catch (error) {
      this.#onProgress(`A world gets a test server of its own: ${String(error)}`);
    }
    socket.end();
  }

  async #take(): Promise<Kept> {
    const idle = this.#idle.pop();
    if (idle !== undefined) {
      clearTimeout(idle.ends);
      return idle;
    }
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#start();
  }

  async #start(): Promise<Kept> {
    const { executable } = await resolveTestServer({ onProgress: this.#onProgress });
    const kept: Kept = { server: await startTestServer({ executable }), worlds: 0 };
    this.#all.add(kept);
    void kept.server.exited.then(() => {
      this.#forget(kept);
    });
    if (this.#ended) await this.#end(kept);
    return kept;
  }

  async #takeBack(kept: Kept, isClean: boolean): Promise<void> {
    const isKept = isClean && kept.worlds < MOST_WORLDS && this.#idle.length < MOST_IDLE;
    if (!isKept || this.#ended || !this.#all.has(kept)) {
      await this.#end(kept);
      return;
    }
    kept.ends = setTimeout(() => void this.#end(kept), IDLE_FOR_MS).unref();
    this.#idle.push(kept);
  }

  async #end(kept: Kept): Promise<void> {
    this.#forget(kept);
    await kept.server.stop();
  }

  #forget(kept: Kept): void {
    clearTimeout(kept.ends);
    this.#all.delete(kept);
    const place = this.#idle.indexOf(kept);
    if (place !== -1) this.#idle.splice(place, 1);
  }
}

/**
 * Listens at a path, and passes the path to the test processes in an environment variable. The listening socket does not keep the test
 * runner's process alive.
 */
async function listenAt(path: string, server: Server, variable: string): Promise<void> {
  server.listen(path);
  await once(server, 'listening');
  server.unref();
  process.env[variable] = path;
}

type TemporaryLedger = ReturnType<typeof StartTemporaryLedger>;

/** Keeps one ledger server for all worlds of a test run. The test runner's process starts the server when the first world asks for it. */
class KeptLedger {
  readonly #listening: Server;
  readonly #onProgress: (line: string) => void;
  #started: TemporaryLedger | undefined;

  private constructor(onProgress: (line: string) => void) {
    this.#onProgress = onProgress;
    this.#listening = createServer((socket) => void this.#sendUrl(socket));
  }

  /** @param path the path of the socket that sends the ledger's URL. Only this user may open the socket, because the URL has a password */
  static async start(path: string, onProgress: (line: string) => void): Promise<KeptLedger> {
    const kept = new KeptLedger(onProgress);
    await listenAt(path, kept.#listening, KEPT_LEDGER);
    return kept;
  }

  /** Stops the ledger server, even if a world still uses it. */
  async stop(): Promise<void> {
    process.env[KEPT_LEDGER] = '';
    this.#listening.close();
    const started = await this.#started?.catch(() => undefined);
    await started?.stop();
  }

  async #sendUrl(socket: Socket): Promise<void> {
    // The world that asked may have ended meanwhile.
    socket.on('error', () => undefined);
    try {
      socket.end((await this.#server()).url);
    } catch (error) {
      this.#onProgress(`A world gets a ledger of its own: ${String(error)}`);
      socket.end();
    }
  }

  /** Returns the running ledger server, or starts one. If the server failed to start or has ended, the next call starts a new one. */
  async #server() {
    const starting = (this.#started ??= startOne());
    const forget = () => {
      if (this.#started === starting) this.#started = undefined;
    };
    try {
      const server = await starting;
      void server.exited.then(forget);
      return server;
    } catch (error) {
      forget();
      throw error;
    }
  }
}

/** Starts a ledger server. Loads the ledger's module only here, because most test runs have no world with a ledger. */
function startOne(): TemporaryLedger {
  const { startTemporaryLedger } = require('./ledger-server') as {
    readonly startTemporaryLedger: typeof StartTemporaryLedger;
  };
  return startTemporaryLedger();
}
