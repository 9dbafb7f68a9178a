import type { Server, Socket } from 'node:net';

/** How many connections a server holds. */
export interface ConnectionLimits {
  /** In all. */
  readonly most: number;
  /** Of one address. */
  readonly mostOfPeer: number;
}

/**
 * Holds a bounded number of connections, in all and of each peer. Where there are too many, the oldest that has not brought a whole request
 * is closed for the new one: who is slow to ask keeps nobody else out. Where all are being answered, the new one is closed.
 */
export class Connections {
  /** The oldest first. */
  readonly #open = new Map<Socket, { readonly peer: string; isAnswered: boolean }>();
  readonly #limits: ConnectionLimits;

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    server.on('connection', (socket: Socket) => {
      this.#take(socket);
    });
  }

  /** The connection has brought a whole request, and is being answered. */
  answering(socket: Socket): void {
    const known = this.#open.get(socket);
    if (known !== undefined) known.isAnswered = true;
  }

  /** The answer is over: the connection waits for another request, as the newest of them. */
  answered(socket: Socket): void {
    const known = this.#open.get(socket);
    if (known === undefined) return;
    this.#open.delete(socket);
    this.#open.set(socket, { ...known, isAnswered: false });
  }

  #take(socket: Socket): void {
    const peer = socket.remoteAddress ?? '';
    const { most, mostOfPeer } = this.#limits;
    const ofPeer = Array.from(this.#open.values()).filter((one) => one.peer === peer);
    const isRoom =
      (ofPeer.length < mostOfPeer || this.#makeRoom(peer)) && (this.#open.size < most || this.#makeRoom());
    if (!isRoom) {
      socket.destroy();
      return;
    }
    this.#open.set(socket, { peer, isAnswered: false });
    socket.once('close', () => this.#open.delete(socket));
  }

  #makeRoom(ofPeer?: string): boolean {
    for (const [socket, { peer, isAnswered }] of this.#open) {
      if (isAnswered || (ofPeer !== undefined && peer !== ofPeer)) continue;
      this.#open.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }
}
