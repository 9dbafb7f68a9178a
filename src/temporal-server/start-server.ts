import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { isPaysessionError, PaysessionError, type ErrorCode, toPortError } from '../errors';
import type { awaitAnswer as AwaitAnswer } from './await-serving';
import { reasonOf } from './run-command';

/** A server that this process started, and that stops when this process ends. */
export interface RunningTemporalServer extends Omit<TemporalServerProcess, 'output'> {
  /** HOST:PORT. */
  readonly address: string;
  readonly uiUrl?: string;
}

/** The port, UI address and arguments with which a server is started. */
export interface ServerCommand {
  readonly port: number;
  readonly uiUrl?: string | undefined;
  readonly args: readonly string[];
}

/** A server's program, and the options of its process. */
export interface ServerProgram {
  readonly executable: string;
  /**
   * The signal that stops the server. A server that keeps no data can be stopped by `SIGKILL`. If the server has not ended after 8
   * seconds, it is killed.
   */
  readonly stopSignal: 'SIGINT' | 'SIGTERM' | 'SIGKILL';
  /** The user that runs the server. Only root may choose another user. @default this process's user */
  readonly user?: ProcessUser | undefined;
  /** The file into which the server's output is written. @default none */
  readonly logFile?: string | undefined;
}

/** A user of this machine, by number. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

export interface ServerToStart extends ServerProgram {
  /** The server's name in messages. */
  readonly title: string;
  /** The error code if the server does not start. @default TEMPORAL_UNAVAILABLE */
  readonly failsWith?: ErrorCode;
  /** The longest wait until the server answers, in milliseconds. @default 30000 */
  readonly startTimeoutMs?: number | undefined;
  /** Returns the server's port and arguments. Chooses free ports. */
  readonly command: () => Promise<ServerCommand>;
  /** Called while the server's process starts, at each attempt. */
  readonly onSpawned?: (() => void) | undefined;
  /** Resolves once the server answers. */
  readonly serving: (address: string, signal: AbortSignal, pid: number) => Promise<unknown>;
}

/** The maximum number of attempts. An attempt fails if another program takes the free port before the server does. */
const MAX_STARTS = 3;

/** Starts a server and waits until it answers. Throws `PaysessionError`, usually with the end of the server's output. */
export async function startServer(server: ServerToStart): Promise<RunningTemporalServer> {
  for (let start = 1; ; start += 1) {
    const command = await server.command();
    try {
      return await startOnce(server, command);
    } catch (error) {
      const lostPort = error instanceof Error && /address already in use/i.test(error.message);
      if (!lostPort || start === MAX_STARTS) throw error;
    }
  }
}

async function startOnce(
  server: ServerToStart,
  { port, uiUrl, args }: ServerCommand,
): Promise<RunningTemporalServer> {
  const spawning = spawnTemporalServer({ ...server, args });
  server.onSpawned?.();
  const started = await spawning.catch((cause: unknown) => {
    throw notStarted(server, reasonOf(cause), cause);
  });
  const address = `${TEMPORAL_HOST}:${port}`;
  try {
    await untilServing(server, started, address);
  } catch (error) {
    await started.stop();
    throw error;
  }
  const { pid, exited, stop } = started;
  return { address, ...(uiUrl !== undefined && { uiUrl }), pid, exited, stop };
}

async function untilServing(
  server: ServerToStart,
  started: TemporalServerProcess,
  address: string,
): Promise<void> {
  const { startTimeoutMs = 30_000, serving } = server;
  const ended = new AbortController();
  void started.exited.then(() => {
    ended.abort();
  });
  const timeout = AbortSignal.timeout(startTimeoutMs);
  try {
    await serving(address, AbortSignal.any([ended.signal, timeout]), started.pid);
  } catch (cause) {
    if (isPaysessionError(cause, 'SEARCH_ATTRIBUTES_MISTYPED')) throw cause;
    const { text } = started.output;
    const said = timeout.aborted ? `It was not ready within ${startTimeoutMs} ms. ${text}` : text;
    throw notStarted(server, said, cause);
  }
}

function notStarted(
  { title, failsWith = 'TEMPORAL_UNAVAILABLE' }: ServerToStart,
  reason: string,
  cause: unknown,
): PaysessionError {
  const message = `${title} did not start. ${reason === '' ? 'It printed nothing.' : reason}`;
  return new PaysessionError(failsWith, message, { cause });
}

export interface StartTestServerOptions {
  /** The path of the test server, as `resolveTestServer` returns it. */
  readonly executable: string;
  /** Called at each attempt, while the server's process starts. The caller can use this time to load code. */
  readonly onSpawned?: () => void;
}

/**
 * Starts Temporal's test server and waits until it answers on the loopback address. Time skipping is on from the start. The server stops
 * when this process ends. Throws `PaysessionError` `TEMPORAL_UNAVAILABLE` with the last lines of the server's output.
 */
export async function startTestServer({
  executable,
  onSpawned,
}: StartTestServerOptions): Promise<RunningTemporalServer> {
  return startServer({
    title: 'Temporal’s test server',
    executable,
    stopSignal: 'SIGKILL',
    onSpawned,
    command: async () => {
      const port = await freePort(0);
      return { port, args: [String(port), '--enable-time-skipping'] };
    },
    serving: (address, signal) => {
      // The module is loaded here, while the server starts, because Temporal's client takes long to load.
      const { awaitAnswer } = require('./await-serving') as { readonly awaitAnswer: typeof AwaitAnswer };
      return awaitAnswer(address, signal);
    },
  });
}

/**
 * The address under which the servers are called. The Temporal server and PostgreSQL listen only on this address. The test server always
 * listens on all addresses.
 */
export const TEMPORAL_HOST = '127.0.0.1';

/**
 * Checks that a port is free, or finds a free port if `port` is 0. Throws `PaysessionError` `PORT_IN_USE` if the port is taken, and
 * `INVALID_SETTINGS` if this user may not listen on the port. Another program may still take the port before the server does.
 */
export async function freePort(port: number): Promise<number> {
  const server = createServer();
  try {
    server.listen({ port, host: TEMPORAL_HOST });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (cause) {
    throw toPortError(cause, port);
  } finally {
    if (server.listening) {
      server.close();
      await once(server, 'close');
    }
  }
}

/** The process of a server. It ends when this process ends. */
export interface TemporalServerProcess {
  readonly pid: number;
  /** Resolves when the server has ended for any reason. */
  readonly exited: Promise<void>;
  readonly output: OutputTail;
  /** Stops the server, and resolves when it has ended. May be called more than once. */
  readonly stop: () => Promise<void>;
}

const STOP_GRACE_MS = 8_000;

/**
 * The program of the guard, a process that stops the server when this process ends. It is plain JavaScript, because its process has no
 * TypeScript loader, even if paysession runs from its sources.
 */
const GUARD = join(__dirname, 'guard.js');

/** Starts a guard, which starts the server. Throws an `Error` if the server cannot be executed. */
export async function spawnTemporalServer({
  executable,
  args,
  stopSignal,
  user,
  logFile,
}: ServerProgram & Pick<ServerCommand, 'args'>): Promise<TemporalServerProcess> {
  const owner = user === undefined ? '' : `${user.uid}:${user.gid}`;
  const guardArgs = [GUARD, stopSignal, String(STOP_GRACE_MS), owner, executable, ...args];
  const guard = spawn(process.execPath, guardArgs, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
    windowsHide: true,
    env: guardEnvironment(),
  });
  const output = new OutputTail(
    [guard.stdout, guard.stderr].filter((stream) => stream !== null),
    logFile,
  );
  const exited = new Promise<void>((resolve) => {
    guard.once('close', () => {
      resolve();
    });
  });
  const pid = await serverPid(guard);
  // The guard normally ends after the server. If the guard itself was killed, this process stops the server.
  guard.once('exit', (code) => {
    if (code !== 0) kill(pid);
  });
  return {
    pid,
    exited,
    output,
    stop: async () => {
      guard.kill('SIGTERM');
      await exited;
    },
  };
}

/** The guard's message: the server's process id, or the reason why the server could not be started. */
type GuardMessage = { readonly pid: number } | { readonly reason: string };

async function serverPid(guard: ChildProcess): Promise<number> {
  const message = await Promise.race([
    once(guard, 'message').then(([first]) => first as GuardMessage),
    once(guard, 'exit').then(() => ({ reason: 'The process that starts and stops it ended first.' })),
  ]);
  if ('pid' in message) return message.pid;
  throw new Error(message.reason);
}

/**
 * Returns the environment of the guard and the server: without `NODE_OPTIONS`, which is for this process, and without the variables of
 * Temporal's client.
 */
function guardEnvironment(): NodeJS.ProcessEnv {
  const foreign = (name: string) => name === 'NODE_OPTIONS' || name.startsWith('TEMPORAL_');
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign(name)));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

const TAIL_CHARACTERS = 4_000;

/**
 * The first line of the list of goroutines that a Go program prints after a panic. The list is very long, and the error is printed
 * before it.
 */
const STACKS = /^goroutine \d+ \[/m;

/** Keeps the end of a server's output, without the stacks of a panic. Copies the whole output to a file, if one is given. */
class OutputTail {
  #kept = '';
  #hasPanicked = false;

  constructor(streams: readonly Readable[], file?: string) {
    const copy = file === undefined ? undefined : createWriteStream(file, { flags: 'a', mode: 0o600 });
    // A full disk must not stop the server. After an error, the output is no longer copied.
    copy?.on('error', () => {
      copy.destroy();
    });
    let open = streams.length;
    for (const stream of streams) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        this.#keep(text);
        if (copy?.writable === true) copy.write(text);
      });
      stream.once('close', () => {
        open -= 1;
        if (open === 0) copy?.end();
      });
    }
  }

  get text(): string {
    return this.#kept.trim();
  }

  #keep(text: string): void {
    if (this.#hasPanicked) return;
    const all = this.#kept + text;
    const stacks = all.search(STACKS);
    this.#hasPanicked = stacks !== -1;
    this.#kept = (this.#hasPanicked ? all.slice(0, stacks) : all).slice(-TAIL_CHARACTERS);
  }
}
