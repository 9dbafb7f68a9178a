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

/** Holds the kept servers outside of this module, because jest loads the module again for each run of its watch mode. */
const runner = globalThis as { [KEPT]?: KeptServers | undefined };

/** Keeps test servers for the run, or as long as the runner watches. Resolves with a function that ends them, which vitest calls. */
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

/** The maximum number of test servers that wait for a world. */
const MOST_IDLE = 4;
/** A server is used for at most this many worlds, because it never frees their data. */
const MOST_WORLDS = 100;
/** A returned server that no world takes is stopped after this time, in milliseconds. */
const IDLE_FOR_MS = 10 * 60_000;

interface Kept {
  readonly server: RunningTemporalServer;
  worlds: number;
  ends?: NodeJS.Timeout;
}

/**
 * Starts test servers from the test runner's own process, keeps them, and lends them to the worlds of its test processes, one to a world at
 * a time. If a world ends unexpectedly, or could not tidy up, its server is stopped.
 */
export class KeptServers {
  /** The last returned server is last, and is lent first. */
  readonly #idle: Kept[] = [];
  readonly #all = new Set<Kept>();
  readonly #sockets = new Set<Socket>();
  readonly #listening: Server;
  readonly #path: string;
  #ledger: KeptLedger | undefined;
  readonly #folder: string | undefined;
  readonly #onProgress: (line: string) => void;
  /** The server that starts before a world asks for one. */
  #first: Promise<Kept> | undefined;
  #ended = false;

  private constructor(onProgress: (line: string) => void) {
    this.#onProgress = onProgress;
    this.#folder =
      process.platform === 'win32' ? undefined : mkdtempSync(join(tmpdir(), 'paysession-servers-'));
    this.#path = this.#socketPath('socket');
    this.#listening = createServer({ allowHalfOpen: true }, (socket) => void this.#lend(socket));
    this.#first = this.#start();
    // The error is reported when the first world asks.
    this.#first.catch(() => undefined);
  }

  #socketPath(name: string): string {
    return this.#folder === undefined ? `\\\\.\\pipe\\paysession-${randomUUID()}` : join(this.#folder, name);
  }

  /**
   * Starts to lend, and starts a first server before a world asks for one. A ledger starts only when a world asks for one.
   */
  static async start(onProgress: (line: string) => void): Promise<KeptServers> {
    const kept = new KeptServers(onProgress);
    await listenAt(kept.#path, kept.#listening, KEPT_SERVERS);
    kept.#ledger = await KeptLedger.start(kept.#socketPath('ledger'), onProgress);
    return kept;
  }

  /** Stops all servers. Worlds that still use one lose it. */
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
    let said = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => (said += text.slice(0, CLEAN.length)));
    // The connection of a killed world ends with an error, and then closes.
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
      // The closed socket shows the world that its server has ended.
      void kept.server.exited.then(() => socket.destroy());
      await returned;
      await this.#takeBack(kept, said === CLEAN);
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
 * Listens at a path, and passes the path to test processes in the variable. The listening server keeps no process alive: a test runner ends
 * when it has nothing else to do.
 */
async function listenAt(path: string, server: Server, variable: string): Promise<void> {
  server.listen(path);
  await once(server, 'listening');
  server.unref();
  process.env[variable] = path;
}

type TemporaryLedger = ReturnType<typeof StartTemporaryLedger>;

/** Keeps one ledger for all worlds of a test run. The test runner's own process starts the ledger when the first world asks for it. */
class KeptLedger {
  readonly #listening: Server;
  readonly #onProgress: (line: string) => void;
  #started: TemporaryLedger | undefined;

  private constructor(onProgress: (line: string) => void) {
    this.#onProgress = onProgress;
    this.#listening = createServer((socket) => void this.#sendUrl(socket));
  }

  /** @param path the path of the socket that sends the ledger's URL. The URL holds a password, so only this user may open the socket */
  static async start(path: string, onProgress: (line: string) => void): Promise<KeptLedger> {
    const kept = new KeptLedger(onProgress);
    await listenAt(path, kept.#listening, KEPT_LEDGER);
    return kept;
  }

  /** Stops the ledger; worlds that still use it lose it. */
  async stop(): Promise<void> {
    process.env[KEPT_LEDGER] = '';
    this.#listening.close();
    const started = await this.#started?.catch(() => undefined);
    await started?.stop();
  }

  async #sendUrl(socket: Socket): Promise<void> {
    // The world that asked may be gone.
    socket.on('error', () => undefined);
    try {
      socket.end((await this.#server()).url);
    } catch (error) {
      this.#onProgress(`A world gets a ledger of its own: ${String(error)}`);
      socket.end();
    }
  }

  /** Returns the running ledger. One that could not be started, or has ended, is started again for the next world that asks. */
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

/** Starts a ledger. Loads its module only here, because most runs have no world with a ledger. */
function startOne(): TemporaryLedger {
  const { startTemporaryLedger } = require('./ledger-server') as {
    readonly startTemporaryLedger: typeof StartTemporaryLedger;
  };
  return startTemporaryLedger();
}
