import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

export interface EngineCommand {
  readonly executable: string;
  readonly args: readonly string[];
  /** The signal that stops the server; it is killed when it has not ended after the grace. */
  readonly stopSignal: 'SIGINT' | 'SIGTERM' | 'SIGKILL';
  /** Whose process it is, where this one may choose. @default this process's user */
  readonly user?: ProcessUser;
  /** Takes all output. @default none */
  readonly logFile?: string;
}

/** A user of this machine, by number. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

/** The server's process, which ends when this process does. */
export interface EngineProcess {
  readonly pid: number;
  /** Resolves when the server has ended, whoever ended it. */
  readonly exited: Promise<void>;
  readonly output: OutputTail;
  /** Stops the server and resolves when it has ended; more than one call is fine. */
  stop(): Promise<void>;
}

const STOP_GRACE_MS = 8_000;

/** Plain JavaScript, which the build copies to where this file is: a process of its own runs it, from the sources as well. */
const GUARD = join(__dirname, 'guard.js');

/** Starts the server under its guard; throws an `Error` when it cannot be executed. */
export async function spawnEngine(command: EngineCommand): Promise<EngineProcess> {
  const { executable, args, stopSignal, user, logFile } = command;
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
  // The guard ends well only after the server; when it was killed itself, the server is left to us.
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

async function serverPid(guard: ChildProcess): Promise<number> {
  const message = await Promise.race([
    once(guard, 'message').then(([first]: unknown[]) => first),
    once(guard, 'exit').then(() => ({ reason: 'its guard ended' })),
  ]);
  if (!isGuardMessage(message)) throw new Error('its guard sent something unknown');
  if ('pid' in message) return message.pid;
  throw new Error(message.reason);
}

/** Options for this Node process or for Temporal's client are not meant for the guard and the server. */
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

/** What the guard tells. */
type GuardMessage = { readonly pid: number } | { readonly reason: string };

function isGuardMessage(value: unknown): value is GuardMessage {
  if (typeof value !== 'object' || value === null) return false;
  if ('pid' in value) return typeof value.pid === 'number';
  return 'reason' in value && typeof value.reason === 'string';
}

const TAIL_CHARACTERS = 4_000;

/** Where a program in Go that panics begins to list its goroutines: pages of them, and what is wrong stands before. */
const STACKS = /^goroutine \d+ \[/m;

/** Keeps the end of what streams write, but no stacks, and copies all of it to a file where one is given. */
class OutputTail {
  #kept = '';
  #hasPanicked = false;

  constructor(streams: readonly Readable[], file?: string) {
    const copy = file === undefined ? undefined : createWriteStream(file, { flags: 'a', mode: 0o600 });
    // A full disk must not stop the engine: what it says is then only not kept.
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

  #keep(text: string): void {
    if (this.#hasPanicked) return;
    const all = this.#kept + text;
    const stacks = all.search(STACKS);
    this.#hasPanicked = stacks !== -1;
    this.#kept = (this.#hasPanicked ? all.slice(0, stacks) : all).slice(-TAIL_CHARACTERS);
  }

  get text(): string {
    return this.#kept.trim();
  }
}
