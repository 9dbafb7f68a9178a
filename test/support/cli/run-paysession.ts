import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createProgram } from '../../../cli/program';
import { reportError } from '../../../cli/shared/report-error';

export const MAIN = join(__dirname, '..', '..', '..', 'dist', 'cli', 'main.js');

/** Returns the path of a built program. Throws at once if the program is missing: otherwise a test would wait for its output. */
function built(main: string): string {
  if (!existsSync(main)) throw new Error(`${main} is missing: run "npm run examples" first`);
  return main;
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string | Uint8Array;
}

/** Returns this process’s environment without settings of colours and of paysession. Workers log text, as they do in a terminal. */
const cleanEnv = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^((TEMPORAL|PAYSESSION)_(?!CACHE_DIR)|(FORCE|NO)_COLOR$)/.test(name),
    ),
  ),
  PAYSESSION_LOG_FORMAT: 'text',
});

/** The previous command in this process. Commands run one at a time, because each replaces parts of `process`. */
let before: Promise<unknown> = Promise.resolve();

/** Commands that start Temporal’s native runtime. A process can have only one such runtime, so these commands need their own. */
const NATIVE = new Set(['worker', 'dev', 'demo']);

/** Runs a command to its end. Most commands run in this process, which takes a tenth of the time. */
export function paysession(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  if (NATIVE.has(args[0] ?? '')) return spawnPaysession(args, options);
  const command = before.then(() => runHere(args, options));
  before = command.catch(() => undefined);
  return command;
}

/** Runs a command in this process as `cli/main.ts` does, with other arguments, environment, input and outputs. */
async function runHere(args: readonly string[], { env = {}, stdin = '' }: RunOptions): Promise<Finished> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const texts = [stdout, stderr].map((stream) => text(stream));
  const lent = {
    argv: [process.execPath, MAIN, ...args],
    env: { ...cleanEnv(), ...env },
    stdin: Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]),
    stdout,
    stderr,
  };
  const own = Object.keys(lent).map(
    (name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const,
  );
  for (const [name, value] of Object.entries(lent))
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true, writable: true });
  let code: Finished['code'];
  try {
    await createProgram().parseAsync();
    code = Number(process.exitCode ?? 0);
  } catch (error) {
    code = reportError(error);
  } finally {
    process.exitCode = undefined;
    for (const [name, descriptor] of own) if (descriptor) Object.defineProperty(process, name, descriptor);
    stdout.end();
    stderr.end();
  }
  const [output = '', errors = ''] = await Promise.all(texts);
  return { code, stdout: output, stderr: errors };
}

/** Runs a command of the built command line to its end, in its own process. */
export async function spawnPaysession(
  args: readonly string[],
  { env = {}, stdin = '' }: RunOptions = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [built(MAIN), ...args], { env: { ...cleanEnv(), ...env } });
  child.stdin.end(stdin);
  const closed = exitCode(child);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, stdout, stderr };
}

/** A command that runs until a signal stops it. */
export interface Running {
  readonly child: ChildProcess;
  /** Resolves with the first line of standard output that matches. Rejects if the command ends without one. */
  line(pattern: RegExp): Promise<string>;
  /** Returns the command’s standard output so far. */
  output(): string;
  /** Returns the command’s standard error so far. */
  errors(): string;
  /** Sends a signal (by default SIGINT, as Ctrl-C does), and resolves with the exit code. Rejects if the signal killed the command. */
  interrupt(signal?: 'SIGINT' | 'SIGTERM'): Promise<number>;
  /** Ends the command if it is still running, and waits for its end, so that its files can be removed. */
  end(): Promise<void>;
}

export function startPaysession(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  main: string = MAIN,
): Running {
  const child = spawn(process.execPath, [built(main), ...args], {
    env: { ...cleanEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const closed = exitCode(child);
  return {
    child,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = output.split('\n').find((line) => pattern.test(line));
          if (found === undefined) return;
          child.stdout.off('data', look);
          resolve(found);
        };
        child.stdout.on('data', look);
        void closed.then(() => {
          reject(new Error(`ended without a line like ${String(pattern)}:\n${output}${errors}`));
        });
        look();
      }),
    output: () => output,
    errors: () => errors,
    interrupt: async (signal = 'SIGINT') => {
      child.kill(signal);
      const code = await closed;
      if (code === null) throw new Error(`ended by ${String(child.signalCode)}:\n${output}${errors}`);
      return code;
    },
    end: async () => {
      child.kill();
      await closed;
    },
  };
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  const closed: unknown[] = await once(child, 'close');
  return typeof closed[0] === 'number' ? closed[0] : null;
}
