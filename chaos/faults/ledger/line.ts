import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * The moments at which a connection is cut during a commit: when half of the statement has been sent, when all of it has been sent, or when
 * the server has answered.
 */
export const CUTS = ['halfSent', 'sent', 'answered'] as const;
export type Cut = (typeof CUTS)[number];

/** A text that every statement contains that adds entries. Each such statement is a transaction of its own. */
const ADDS_ENTRIES = 'insert into paysession_ledger.entries';

/** A proxy between the workers and the ledger's server. It can cut a connection in the middle of a commit. */
export class Line {
  #nextCut: { readonly cut: Cut; readonly isDone: () => void } | undefined;
  readonly #open = new Set<Socket>();
  readonly #port: number;
  readonly #statement: string;
  readonly #server = createServer((worker) => {
    this.#join(worker);
  });

  /**
   * @param port the port of the server
   * @param statement a text that identifies the statements to cut
   */
  constructor(port: number, statement = ADDS_ENTRIES) {
    this.#port = port;
    this.#statement = statement;
  }

  /** Listens, and returns its own port. */
  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts the connection of the next commit. Resolves when the cut begins, or after `spare`. */
  cutNext(cut: Cut): Promise<void> {
    return new Promise((isDone) => {
      this.#nextCut = { cut, isDone };
    });
  }

  /** Cancels a planned cut, because no commit came in time. */
  spare(): void {
    this.#nextCut?.isDone();
    this.#nextCut = undefined;
  }

  async close(): Promise<void> {
    this.spare();
    if (!this.#server.listening) return;
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
    await once(this.#server, 'close');
  }

  /** Starts to listen. Returns the server's URL with the port of this proxy. */
  async over(url: string): Promise<string> {
    return url.replace(`:${this.#port}/`, `:${await this.listen()}/`);
  }

  #join(worker: Socket): void {
    const server = connect(this.#port, '127.0.0.1');
    const end = () => {
      worker.destroy();
      server.destroy();
    };
    let isCutAtAnswer = false;
    worker.on('data', (sent) => {
      const planned = sent.includes(this.#statement) ? this.#takeCut() : undefined;
      if (planned === 'halfSent') server.write(sent.subarray(0, sent.length >> 1), end);
      else if (planned === 'sent') server.write(sent, end);
      else server.write(sent);
      isCutAtAnswer ||= planned === 'answered';
    });
    server.on('data', (answer) => {
      if (isCutAtAnswer) end();
      else worker.write(answer);
    });
    for (const socket of [worker, server]) {
      this.#open.add(socket);
      socket.setNoDelay(true);
      // If one end is closed or cannot be reached, the other end is closed, too.
      socket.on('error', end);
      socket.once('close', () => {
        this.#open.delete(socket);
        end();
      });
    }
  }

  #takeCut(): Cut | undefined {
    const next = this.#nextCut;
    this.#nextCut = undefined;
    next?.isDone();
    return next?.cut;
  }
}
