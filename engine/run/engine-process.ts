import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { GUARD_SCRIPT, isGuardMessage } from './guard-script';
import { OutputTail } from './output-tail';

export interface EngineCommand {
  readonly executable: string;
  readonly args: readonly string[];
  /** The signal that stops the server; it is killed when it has not ended after the grace. */
  readonly stopSignal: 'SIGTERM' | 'SIGKILL';
  /** Takes all output. @default none */
  readonly logFile?: string;
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

/** Starts the server under its guard; throws an `Error` when it cannot be executed. */
export async function spawnEngine(command: EngineCommand): Promise<EngineProcess> {
  const { executable, args, stopSignal, logFile } = command;
  const guard = spawn(
    process.execPath,
    ['-e', GUARD_SCRIPT, '--', stopSignal, String(STOP_GRACE_MS), executable, ...args],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true, windowsHide: true, env: guardEnvironment() },
  );
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
