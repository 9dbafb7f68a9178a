import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Returns the CPU time of a process in clock ticks: user time and system time of all its threads. These are the fields
 * 14 and 15 of `/proc/PID/stat` (proc(5)). The second field is the program's name in brackets, and may contain spaces
 * and brackets.
 */
export const cpuTicks = (stat: string): number => sumOfFields(stat, [14, 15]);

/** Returns the CPU time of a process and of its child processes that have ended (fields 16 and 17), in clock ticks. */
export const cpuTicksWithEnded = (stat: string): number => sumOfFields(stat, [14, 15, 16, 17]);

function sumOfFields(stat: string, numbers: readonly number[]): number {
  const fromThird = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = numbers.reduce((sum, number) => sum + Number(fromThird[number - 3]), 0);
  if (!Number.isInteger(ticks)) throw new RangeError('not the text of /proc/PID/stat');
  return ticks;
}

/** Returns the memory that a process uses, in KiB: the line `VmRSS` of `/proc/PID/status`. */
export const residentKib = (status: string): number => kibOf(/^VmRSS:\s+(\d+) kB$/m, status);

/** Returns the peak memory of a process, in KiB: the line `VmHWM` of `/proc/PID/status`. */
export const peakKib = (status: string): number => kibOf(/^VmHWM:\s+(\d+) kB$/m, status);

function kibOf(line: RegExp, status: string): number {
  const [, kib] = line.exec(status) ?? [];
  if (kib === undefined) throw new RangeError('not the text of /proc/PID/status');
  return Number(kib);
}

const ticksPerSecond = (): number => Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
let millisecondsPerTick: number | undefined;

/** Returns the CPU time of a process so far, in milliseconds. */
export const cpuMs = (pid: number): number => cpuMsOf(`/proc/${pid}/stat`);

/** Returns the CPU time so far of the process or thread with this `stat`, in milliseconds. */
export const cpuMsOf = (statFile: string): number => inMs(cpuTicks(readFileSync(statFile, 'utf8')));

function inMs(ticks: number): number {
  millisecondsPerTick ??= 1_000 / ticksPerSecond();
  return ticks * millisecondsPerTick;
}

/**
 * Returns the CPU time so far of a process and its child processes, running or ended, in milliseconds. PostgreSQL has a
 * child process for each connection.
 */
export function cpuMsWithChildren(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  const running = children.reduce((sum, child) => sum + cpuMsWhileRunning(Number(child)), 0);
  return running + inMs(cpuTicksWithEnded(readFileSync(`/proc/${pid}/stat`, 'utf8')));
}

/** Returns 0 for a process that has just ended, because its parent's fields 16 and 17 include its time. */
function cpuMsWhileRunning(pid: number): number {
  try {
    return cpuMs(pid);
  } catch {
    return 0;
  }
}

/** Returns the memory that a process uses, in MiB. */
export function memoryMib(pid: number): number {
  return residentKib(readFileSync(`/proc/${pid}/status`, 'utf8')) / 1_024;
}
