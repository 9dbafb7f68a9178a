import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Call, Stage } from '../plan/plan';
import type { FromWorker, ToWorker, WorkerEnvironment, WorkerVersion } from './worker-messages';

/** An encryption key that workers and callers share; `secret` is base64. */
export interface Key {
  readonly id: string;
  readonly secret: string;
}

/** The settings of a worker. */
export interface WorkerSettings {
  readonly keys: readonly Key[];
  /** True if the worker has a client secret that the payment service refuses. */
  readonly isSecretWrong: boolean;
}

export interface FleetOptions {
  readonly script: string;
  readonly size: number;
  /** Returns the environment of a worker's process. `index` is the worker's place in the fleet. */
  readonly environmentOf: (worker: string, given: WorkerSettings, index: number) => WorkerEnvironment;
  readonly keys: readonly Key[];
  /**
   * The versions of the workers, oldest first. After the last version, a roll-out keeps that version, because earlier code could not replay
   * the histories of later code. @default workers have no version
   */
  readonly versions?: readonly WorkerVersion[];
  /** Makes a version the current one. The Temporal server then sends all tasks to workers of this version. */
  readonly makeCurrent?: (version: WorkerVersion) => Promise<void>;
  /** Called when a session's call reaches a stage. The call waits there until the promise resolves. */
  readonly onStage: (at: {
    readonly session: string;
    readonly call: Call;
    readonly stage: Stage;
    readonly worker: string;
  }) => Promise<void>;
}

/** A worker process that ended although the campaign had not ended it. */
export interface Crash {
  readonly worker: string;
  /** The exit code, or the signal that ended the process. */
  readonly ending: string;
  /** The beginning of the process's output. */
  readonly output: string;
}

interface Member {
  readonly name: string;
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
  readonly exited: Promise<unknown>;
}

/** The maximum length of the output that is kept of each process, in characters. */
const LONGEST_OUTPUT = 20_000;

/** The campaign's workers, each in a process of its own. If a worker ends, a new worker with a new name replaces it at once. */
export class Fleet {
  /** Processes that ended although the campaign had not ended them, or that ended in an unexpected way. */
  readonly crashed: Crash[] = [];
  readonly #options: FleetOptions;
  readonly #members: Member[] = [];
  /** The signal that the campaign sent to each worker that it ended. */
  readonly #signals = new Map<string, NodeJS.Signals>();
  #keys: readonly Key[];
  /** The number of roll-outs of a new version so far. */
  #rollOuts = 0;
  #started = 0;
  #misdeployed: { readonly index: number; readonly given: Partial<WorkerSettings> } | undefined;
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

  /** Resolves when all workers are ready. */
  async ready(): Promise<void> {
    await Promise.all(this.#members.map(({ ready }) => ready));
  }

  has(worker: string): boolean {
    return this.#members.some(({ name }) => name === worker);
  }

  /** Ends a worker's process, and replaces it. Resolves when the process has ended. */
  async end(worker: string, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const member = this.#members.find(({ name }) => name === worker);
    if (member === undefined) return;
    this.#signals.set(worker, signal);
    member.child.kill(signal);
    await member.exited;
  }

  /** Asks a worker's process to end. Does not wait for the end. */
  terminate(worker: string): void {
    void this.end(worker, 'SIGTERM');
  }

  /** Freezes a worker's process. Returns a function that lets it continue. */
  freeze(worker: string): () => void {
    const member = this.#members.find(({ name }) => name === worker);
    member?.child.kill('SIGSTOP');
    return () => {
      member?.child.kill('SIGCONT');
    };
  }

  /**
   * Makes all workers use these encryption keys: ends one worker after the other, and waits each time for its replacement, which has the keys.
   */
  async restartWith(keys: readonly Key[]): Promise<void> {
    this.#keys = keys;
    for (const { name } of [...this.#members]) {
      await this.end(name, 'SIGTERM');
      await this.ready();
    }
  }

  /**
   * Replaces all workers, one after the other, by workers of the next version. That version becomes the current one as
   * soon as its first worker is ready.
   */
  async rollOut(): Promise<void> {
    this.#rollOuts += 1;
    for (const [index, { name }] of [...this.#members].entries()) {
      await this.end(name, 'SIGTERM');
      await this.ready();
      if (index === 0) await this.#makeCurrent();
    }
  }

  /** Replaces a worker by a worker with other settings. */
  async misdeploy(worker: string, given: Partial<WorkerSettings>): Promise<void> {
    const index = this.#members.findIndex(({ name }) => name === worker);
    this.#misdeployed = { index, given };
    await this.end(worker, 'SIGKILL');
    await this.ready();
  }

  /** Replaces the worker that `misdeploy` started by a worker with the usual settings. */
  async repairDeployment(): Promise<void> {
    const wrong = this.#members[this.#misdeployed?.index ?? -1];
    this.#misdeployed = undefined;
    if (wrong !== undefined) await this.end(wrong.name, 'SIGKILL');
    await this.ready();
  }

  /** Sets a worker's clock `clockOffMs` milliseconds ahead of the right time. A negative number sets it back. */
  putClock(worker: string, clockOffMs: number): void {
    const member = this.#members.find(({ name }) => name === worker);
    if (member !== undefined) send(member.child, { clockOffMs });
  }

  /** Kills all workers. They are replaced only when `comeBack` is called. */
  async goDown(): Promise<void> {
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
    const given: WorkerSettings = { keys: this.#keys, isSecretWrong: false, ...wrong };
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
      // If the process ends before it is ready, its replacement has a promise of its own.
      child.once('exit', () => {
        resolve();
      });
    });
    const exited = once(child, 'exit').then(([code, signal]) => {
      if (this.#isStopping || this.#isAway) return;
      if (!isEndedBy(this.#signals.get(name), code))
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

/** Sends a message to a worker's process. Does nothing if the process has ended. */
function send(child: ChildProcess, message: ToWorker): void {
  if (child.connected) child.send(message, () => undefined);
}

/** True if a worker's end is what its signal should cause. After SIGTERM, a worker should finish its work and exit with code 0. */
const isEndedBy = (signal: NodeJS.Signals | undefined, code: unknown): boolean =>
  signal === 'SIGKILL' || (signal === 'SIGTERM' && code === 0);
