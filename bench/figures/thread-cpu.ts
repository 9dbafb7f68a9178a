import { readdirSync, readFileSync } from 'node:fs';
import { cpuMsOf } from './process-stat';

/** CPU time of a worker's threads by their purpose, in milliseconds. */
export interface ThreadCpu {
  /** Activities, the SDK, the service client. */
  readonly mainMs: number;
  /** Workflow code, and Node's thread pool. */
  readonly workflowMs: number;
  /** V8's own threads, which collect garbage and compile code. */
  readonly v8Ms: number;
  /** Temporal's core: calls to the server, and the state of workflows. */
  readonly coreMs: number;
}

/** A thread in `/proc/PID/task`. */
export interface Thread {
  readonly id: number;
  readonly name: string;
  readonly cpuMs: number;
}

/** V8's platform has five threads: four for its tasks, and one that delays tasks. Node starts them right after the main thread. */
const THREADS_OF_V8 = 5;

export function threadCpu(pid: number): ThreadCpu {
  return byKind(
    pid,
    readdirSync(`/proc/${pid}/task`).flatMap((id) => threadOf(`/proc/${pid}/task/${id}`, Number(id))),
  );
}

function threadOf(folder: string, id: number): readonly Thread[] {
  try {
    const name = readFileSync(`${folder}/comm`, 'utf8').trim();
    return [{ id, name, cpuMs: cpuMsOf(`${folder}/stat`) }];
  } catch {
    // The thread has just ended: the core's threads come and go.
    return [];
  }
}

/**
 * Adds up the CPU time of threads by their purpose. Several of Node's threads have the same name, so the order in which
 * they started distinguishes them.
 */
export function byKind(pid: number, threads: readonly Thread[]): ThreadCpu {
  const main = threads.filter(({ id }) => id === pid);
  const core = threads.filter(({ name }) => /^(tokio|temporal|workflow-)/.test(name));
  const others = threads
    .filter((thread) => !main.includes(thread) && !core.includes(thread))
    .sort((a, b) => a.id - b.id);
  const sum = (some: readonly Thread[]) => some.reduce((total, { cpuMs }) => total + cpuMs, 0);
  return {
    mainMs: sum(main),
    workflowMs: sum(others.slice(THREADS_OF_V8)),
    v8Ms: sum(others.slice(0, THREADS_OF_V8)),
    coreMs: sum(core),
  };
}
