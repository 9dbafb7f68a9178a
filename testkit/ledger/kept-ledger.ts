import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { startTemporaryLedger as StartTemporaryLedger } from './world-ledger';
import { KEPT_LEDGER } from './lent-ledger';

type TemporaryLedger = ReturnType<typeof StartTemporaryLedger>;

/** Keeps one ledger in the test runner's own process for all worlds of its run; it starts when the first of them asks. */
export class KeptLedger {
  readonly #listening: Server;
  readonly #onProgress: (line: string) => void;
  #started: TemporaryLedger | undefined;

  private constructor(onProgress: (line: string) => void) {
    this.#onProgress = onProgress;
    this.#listening = createServer((socket) => void this.#tell(socket));
  }

  /** @param path of the socket at which it tells its URL, which holds a password: for this user alone */
  static async start(path: string, onProgress: (line: string) => void): Promise<KeptLedger> {
    const kept = new KeptLedger(onProgress);
    kept.#listening.listen(path);
    await once(kept.#listening, 'listening');
    kept.#listening.unref();
    process.env[KEPT_LEDGER] = path;
    return kept;
  }

  /** Ends the ledger; worlds that are still there lose it. */
  async stop(): Promise<void> {
    process.env[KEPT_LEDGER] = '';
    this.#listening.close();
    const started = await this.#started?.catch(() => undefined);
    await started?.stop();
  }

  async #tell(socket: Socket): Promise<void> {
    // Whoever asked may be gone.
    socket.on('error', () => undefined);
    try {
      socket.end((await this.#server()).url);
    } catch (error) {
      this.#onProgress(`A world gets a ledger of its own: ${String(error)}`);
      socket.end();
    }
  }

  /** One that could not be started, or has ended, is started anew for the next who asks. */
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

/** Loaded here, because most runs have no world with a ledger. */
function startOne(): TemporaryLedger {
  const { startTemporaryLedger } = require('./world-ledger') as {
    readonly startTemporaryLedger: typeof StartTemporaryLedger;
  };
  return startTemporaryLedger();
}
