import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A Node process that a test has started. */
export interface Child {
  readonly pid: number;
  /** Waits for the first line of output that matches, and returns it. Rejects if the output ends without such a line. */
  line(matches: (line: string) => boolean): Promise<string>;
  kill(): Promise<void>;
}

/** Starts a Node process that runs a script. The script's path is relative to this folder. */
export function runChild(script: string, args: readonly string[], env: NodeJS.ProcessEnv): Child {
  const register = join(__dirname, 'register-typescript.cjs');
  const child = spawn(process.execPath, ['-r', register, join(__dirname, script), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  reader.on('line', (line) => lines.push(line));
  return {
    pid: child.pid ?? 0,
    line: async (matches) => {
      const ended = once(reader, 'close').then(() => true);
      for (;;) {
        const found = lines.find(matches);
        if (found !== undefined) return found;
        const isLast = await Promise.race([once(reader, 'line').then(() => false), ended]);
        if (isLast && !lines.some(matches)) throw new Error(`${script} ended after:\n${lines.join('\n')}`);
      }
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
