import { text } from 'node:stream/consumers';
import { connect } from 'node:net';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The variable that gives test processes the path at which servers are lent. */
export const KEPT_SERVERS = 'PAYSESSION_TESTING_SERVERS';

/** The message that a world sends if it returns a server as it found it. */
export const CLEAN = 'clean';

/** A test server that is lent to a world. */
export interface LentServer {
  /** HOST:PORT. */
  readonly address: string;
  /** The Temporal namespace of the world. Earlier worlds have other namespaces. */
  readonly namespace: string;
  /** True if another world has used the server. The server's time then does not skip. */
  readonly isUsed: boolean;
}

interface Borrowed extends LentServer {
  /** Resolves when the server has been returned, or has ended. */
  readonly ended: Promise<void>;
  giveBack(isClean: boolean): Promise<void>;
}

/**
 * Borrows a test server. Returns `undefined` if no servers are lent. Resolves with `undefined` if none could be started: the world then
 * starts its own server, and reports the reason if that fails.
 */
export function borrowServer(): Promise<Borrowed | undefined> | undefined {
  const path = process.env[KEPT_SERVERS];
  return path === undefined || path === '' ? undefined : borrowAt(path);
}

async function borrowAt(path: string): Promise<Borrowed | undefined> {
  const socket = connect(path);
  const closed = new Promise<void>((resolve) =>
    socket.once('close', () => {
      resolve();
    }),
  );
  socket.on('error', () => undefined);
  const lines = createInterface(socket);
  // Receives the socket's errors, too: an unhandled one would end the process.
  lines.on('error', () => undefined);
  const said = once(lines, 'line').then(([line]) => String(line));
  // A socket that breaks closes, too.
  const line = await Promise.race([said.catch(() => undefined), closed]);
  if (line === undefined) return undefined;
  // A process whose tests have ended need not wait for a world that was never closed.
  socket.unref();
  return {
    ...(JSON.parse(line) as LentServer),
    ended: closed,
    giveBack: async (isClean) => {
      socket.ref();
      socket.end(isClean ? CLEAN : '');
      await closed;
    },
  };
}

/** The variable that gives test processes the path at which the URL of a ledger is sent. */
export const KEPT_LEDGER = 'PAYSESSION_TESTING_LEDGER';

/** Returns the URL of a ledger that the test runner keeps; `undefined` if it keeps none, or none could be started. */
export async function borrowLedger(): Promise<string | undefined> {
  const path = process.env[KEPT_LEDGER];
  if (path === undefined || path === '') return undefined;
  // A runner that has ended sends nothing.
  const said = await text(connect(path)).catch(() => '');
  return said === '' ? undefined : said;
}
