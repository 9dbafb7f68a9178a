import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { World } from '../worlds/world';

const PROJECT = join(__dirname, '..', '..', '..');

/** Returns the commands in an example's README, unchanged. */
export function commandsOf(example: string): string[] {
  const readme = readFileSync(join(PROJECT, 'examples', example, 'README.md'), 'utf8');
  const commands = readme.split('\n').filter((line) => /^(node|curl) /.test(line));
  if (commands.length === 0) throw new Error(`the README of ${example} has no command`);
  return commands;
}

/** Returns the settings with which a command uses the world's Temporal server and task queue. */
export const settingsOf = ({ taskQueue }: World): NodeJS.ProcessEnv => ({
  TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_TEMPORAL'],
  PAYSESSION_TASK_QUEUE: taskQueue,
});

/** Starts a command of a README. */
export function startCommand(command: string, settings: NodeJS.ProcessEnv, cwd = PROJECT): ChildProcess {
  return spawn(command, {
    shell: true,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...settings },
  });
}

/** Runs a command to its end, with the settings of the world. */
export async function runCommand(command: string, world: World) {
  const { stdout, stderr } = startCommand(command, settingsOf(world));
  if (stdout === null || stderr === null) throw new Error('the command has no output');
  const [output, errors] = await Promise.all([text(stdout), text(stderr)]);
  return { output, errors };
}

/** Returns the first line that a running command prints. */
export async function firstLine({ stdout }: ChildProcess): Promise<string> {
  const [chunk] = (await once(stdout ?? process.stdin, 'data')) as [Buffer];
  return chunk.toString().split('\n')[0] ?? '';
}
