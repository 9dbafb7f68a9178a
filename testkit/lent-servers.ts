import { text } from 'node:stream/consumers';
import { connect } from 'node:net';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * The environment variable with the path of the socket at which the test runner lends test servers to worlds. Its name does not begin with
 * `PAYSESSION_`: a worker that a test starts would refuse it as a misspelt setting.
 */
export const KEPT_SERVERS = 'TESTING_PAYSESSION_SERVERS';

/** The message that a world sends with a server's return if the next world can use the server. */
export const CLEAN = 'clean';

/** A test server that is lent to a world. */
export interface LentServer {
  /** HOST:PORT. */
  readonly address: string;
  /** The Temporal namespace of the world. Each world of a server has a namespace of its own. */
  readonly namespace: string;
  /** True if another world has used the server before. That world has stopped the server's time from skipping. */
  readonly isUsed: boolean;
}

interface Borrowed extends LentServer {
  /** Resolves when the server has been returned, or has ended. */
  readonly ended: Promise<void>;
  giveBack(isClean: boolean): Promise<void>;
}

/**
 * Borrows a test server from the test runner. Returns `undefined` if the test runner lends no servers. Resolves with `undefined` if the
 * runner could not start a server. The world then starts its own server. If that fails too, the world reports the reason.
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
  // `lines` also emits the socket's errors. Without a listener, they would end the process.
  lines.on('error', () => undefined);
  const answer = once(lines, 'line').then(([line]) => String(line));
  // If the socket breaks, `closed` resolves, too.
  const line = await Promise.race([answer.catch(() => undefined), closed]);
  if (line === undefined) return undefined;
  // The socket does not keep the process alive: a test process may end without closing its world.
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

/** The environment variable with the path of the socket at which the test runner sends the URL of its ledger. */
export const KEPT_LEDGER = 'TESTING_PAYSESSION_LEDGER';

/** Returns the URL of the test runner's ledger. Returns `undefined` if the runner keeps no ledger, or could not start one. */
export async function borrowLedger(): Promise<string | undefined> {
  const path = process.env[KEPT_LEDGER];
  if (path === undefined || path === '') return undefined;
  // If the test runner has ended, there is no answer.
  const url = await text(connect(path)).catch(() => '');
  return url === '' ? undefined : url;
}
