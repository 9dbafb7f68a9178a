import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Call, Stage } from '../plan/plan';
import type { FromWorker, ToWorker, WorkerEnvironment, WorkerVersion } from './worker-messages';

/** A key that workers and callers share; `secret` is base64. */
export interface Key {
  readonly id: string;
  readonly secret: string;
}

/** The settings of a worker. */
export interface Given {
  readonly keys: readonly Key[];
  /** True if the payment service refuses its client secret. */
  readonly isSecretWrong: boolean;
}

export interface FleetOptions {
  readonly script: string;
  readonly size: number;
  /** Returns the environment of a worker's process, by the worker's name and its place in the fleet. */
  readonly environmentOf: (worker: string, given: Given, index: number) => WorkerEnvironment;
  readonly keys: readonly Key[];
  /**
   * Oldest first; the last one stays, as earlier code does not replay what later code has begun. @default workers have no
   * version
   */
  readonly versions?: readonly WorkerVersion[];
  /** Makes the Temporal server send all tasks to the workers of a version. */
  readonly makeCurrent?: (version: WorkerVersion) => Promise<void>;
  /** Receives the stages of a session's calls. Resolves when the call may continue. */
  readonly onStage: (at: {
    readonly session: string;
    readonly call: Call;
    readonly stage: Stage;
    readonly worker: string;
  }) => Promise<void>;
}

/** A process that ended without a request. */
export interface Crash {
  readonly worker: string;
  /** Its exit code, or the signal that ended it. */
  readonly ending: string;
  /** Its output, from the beginning. */
  readonly output: string;
}

interface Member {
  readonly name: string;
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
  readonly exited: Promise<unknown>;
}

/** In characters. */
const LONGEST_OUTPUT = 20_000;

/** Some workers, each in a process of its own. One that ends is replaced at once, under a new name. */
export class Fleet {
  /** Processes that ended without a request, or in an unexpected way. */
  readonly crashed: Crash[] = [];
  readonly #options: FleetOptions;
  readonly #members: Member[] = [];
  readonly #told = new Map<string, NodeJS.Signals>();
  #keys: readonly Key[];
  /** The number of times that a version has taken over. */
  #rollOuts = 0;
  #started = 0;
  #misdeployed: { readonly index: number; readonly given: Partial<Given> } | undefined;
  #isStopping = false;
  #isAway = false;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#keys = options.keys;
  }

  async start(): Promise<void> {
    for (let index = 0; index < this.#options.size; index += 1) this.#spawn(index);
    await this.ready();
    const [crash] = this.crashed;
    if (crash !== undefined) throw new Error(`a worker does not start: ${crash.output}`);
    await this.#makeCurrent();
  }

  /** Resolves when all of them work. */
  async ready(): Promise<void> {
    await Promise.all(this.#members.map(({ ready }) => ready));
  }

  has(worker: string): boolean {
    return this.#members.some(({ name }) => name === worker);
  }

  /** Ends a process, which is replaced. Resolves when it is gone. */
  async end(worker: string, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const member = this.#members.find(({ name }) => name === worker);
    if (member === undefined) return;
    this.#told.set(worker, signal);
    member.child.kill(signal);
    await member.exited;
  }

  /** Asks a process to end, without waiting. */
  terminate(worker: string): void {
    void this.end(worker, 'SIGTERM');
  }

  /** Freezes a process. Returns a function that lets it continue. */
  freeze(worker: string): () => void {
    const member = this.#members.find(({ name }) => name === worker);
    member?.child.kill('SIGSTOP');
    return () => {
      member?.child.kill('SIGCONT');
    };
  }

  /** Starts workers one after the other, each in place of one that was asked to end. */
  async restartWith(keys: readonly Key[]): Promise<void> {
    this.#keys = keys;
    for (const { name } of [...this.#members]) {
      await this.end(name, 'SIGTERM');
      await this.ready();
    }
  }

  /**
   * Workers of the next version take over: one of them is running before it becomes the current one, and the others
   * follow.
   */
  async rollOut(): Promise<void> {
    this.#rollOuts += 1;
    for (const [index, { name }] of [...this.#members].entries()) {
      await this.end(name, 'SIGTERM');
      await this.ready();
      if (index === 0) await this.#makeCurrent();
    }
  }

  /** Replaces a worker by one with other settings. */
  async misdeploy(worker: string, given: Partial<Given>): Promise<void> {
    const index = this.#members.findIndex(({ name }) => name === worker);
    this.#misdeployed = { index, given };
    await this.end(worker, 'SIGKILL');
    await this.ready();
  }

  /** Replaces that worker by one with the settings of all. */
  async mendDeploy(): Promise<void> {
    const wrong = this.#members[this.#misdeployed?.index ?? -1];
    this.#misdeployed = undefined;
    if (wrong !== undefined) await this.end(wrong.name, 'SIGKILL');
    await this.ready();
  }

  /** Sets a worker's clock this far from the right time, in milliseconds. */
  putClock(worker: string, clockOffMs: number): void {
    const member = this.#members.find(({ name }) => name === worker);
    if (member !== undefined) send(member.child, { clockOffMs });
  }

  /** Ends all workers. None is replaced before `comeBack`. */
  async leave(): Promise<void> {
    this.#isAway = true;
    await this.#killAll();
  }

  async comeBack(): Promise<void> {
    this.#isAway = false;
    for (const index of this.#members.keys()) this.#spawn(index);
    await this.ready();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#killAll();
  }

  async #killAll(): Promise<void> {
    for (const { child } of this.#members) child.kill('SIGKILL');
    await Promise.all(this.#members.map(({ exited }) => exited));
  }

  get #version(): WorkerVersion | undefined {
    const { versions = [] } = this.#options;
    return versions[Math.min(this.#rollOuts, versions.length - 1)];
  }

  async #makeCurrent(): Promise<void> {
    if (this.#version !== undefined) await this.#options.makeCurrent?.(this.#version);
  }

  #spawn(index: number): void {
    this.#started += 1;
    const wrong = this.#misdeployed?.index === index ? this.#misdeployed.given : {};
    const given: Given = { keys: this.#keys, isSecretWrong: false, ...wrong };
    const name = `w${index}-${this.#started}`;
    const version = this.#version;
    const environment: WorkerEnvironment = {
      ...this.#options.environmentOf(name, given, index),
      ...(version !== undefined && { version }),
    };
    const outputFile = `${environment.logFile}.output`;
    const output = openSync(outputFile, 'a');
    const child = fork(this.#options.script, {
      env: { PATH: process.env['PATH'], FAULTS_WORKER: JSON.stringify(environment) },
      stdio: ['ignore', output, output, 'ipc'],
      execArgv: [],
    });
    closeSync(output);
    const ready = new Promise<void>((resolve) => {
      child.on('message', (message: FromWorker) => {
        if ('ready' in message) resolve();
        else void this.#pass(child, name, message);
      });
      // Its replacement will be ready.
      child.once('exit', () => {
        resolve();
      });
    });
    const exited = once(child, 'exit').then(([code, signal]) => {
      if (this.#isStopping || this.#isAway) return;
      if (!isEndedAs(this.#told.get(name), code))
        this.crashed.push({
          worker: name,
          ending: String(code ?? signal),
          output: readFileSync(outputFile, 'utf8').slice(0, LONGEST_OUTPUT),
        });
      this.#spawn(index);
    });
    this.#members[index] = { name, child, ready, exited };
  }

  async #pass(
    child: ChildProcess,
    worker: string,
    message: Extract<FromWorker, { pass: number }>,
  ): Promise<void> {
    const { session, call, stage, pass } = message;
    await this.#options.onStage({ session, call, stage, worker });
    const answer: ToWorker = { passed: pass };
    send(child, answer);
  }
}

/** A process that was just killed receives nothing more. */
function send(child: ChildProcess, message: ToWorker): void {
  if (child.connected) child.send(message, () => undefined);
}

/** After a request to end, a worker finishes its work, and ends without an error. */
const isEndedAs = (told: NodeJS.Signals | undefined, code: unknown): boolean =>
  told === 'SIGKILL' || (told === 'SIGTERM' && code === 0);
