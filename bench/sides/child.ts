import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * A child process of the bench. It ends when its channel to the bench closes, so it ends with the bench in any case.
 */
export interface Child<Ready> {
  readonly pid: number;
  /** The message that the process sent when it was ready. */
  readonly ready: Ready;
  stop(): Promise<void>;
}

/** Starts a script and waits until it is ready. Throws an `Error` if the script ends before that. */
export async function startChild<Ready>(script: string, env: NodeJS.ProcessEnv): Promise<Child<Ready>> {
  const child = fork(script, { env: { ...process.env, ...env } });
  const exited = once(child, 'exit');
  const ready = await Promise.race([
    once(child, 'message').then(([message]: unknown[]) => message as Ready),
    exited.then(([code]: unknown[]) => {
      throw new Error(`${script} ended before it was ready (${String(code)})`);
    }),
  ]);
  return { pid: pidOf(child), ready, stop: () => stop(child, exited) };
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the process has no id');
  return pid;
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.connected) child.disconnect();
  await exited;
}
