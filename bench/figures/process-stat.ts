import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * CPU time of a process with all its threads, user and system, in clock ticks: fields 14 and 15 of `/proc/PID/stat`
 * (proc(5)). The second field, the program's name in brackets, may hold spaces and brackets itself.
 */
export function cpuTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  const ticks = user + system;
  if (!Number.isInteger(ticks)) throw new RangeError('not the text of /proc/PID/stat');
  return ticks;
}

/** The memory that a process holds, in KiB: the line `VmRSS` of `/proc/PID/status`. */
export const residentKib = (status: string): number => kibOf(/^VmRSS:\s+(\d+) kB$/m, status);

/** The most memory that a process ever held, in KiB: the line `VmHWM`. */
export const peakKib = (status: string): number => kibOf(/^VmHWM:\s+(\d+) kB$/m, status);

function kibOf(line: RegExp, status: string): number {
  const [, kib] = line.exec(status) ?? [];
  if (kib === undefined) throw new RangeError('not the text of /proc/PID/status');
  return Number(kib);
}

const ticksPerSecond = (): number => Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
let millisecondsPerTick: number | undefined;

/** CPU time of a process so far, in milliseconds. */
export const cpuMs = (pid: number): number => cpuMsOf(`/proc/${pid}/stat`);

/** CPU time so far of the process, or the thread, whose `stat` this is, in milliseconds. */
export function cpuMsOf(statFile: string): number {
  millisecondsPerTick ??= 1_000 / ticksPerSecond();
  return cpuTicks(readFileSync(statFile, 'utf8')) * millisecondsPerTick;
}

/** The memory that a process holds, in MiB. */
export function memoryMib(pid: number): number {
  return residentKib(readFileSync(`/proc/${pid}/status`, 'utf8')) / 1_024;
}
