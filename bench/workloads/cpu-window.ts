import { setTimeout as sleep } from 'node:timers/promises';
import type { Cpu, Lab } from '../sides/lab';

/** CPU time that was used between two readings, and the time between the readings. */
export interface CpuUse {
  readonly seconds: number;
  readonly temporalMs: number;
  readonly workerMs: number;
}

export function cpuBetween(before: Cpu, after: Cpu): CpuUse {
  return {
    seconds: (after.atMs - before.atMs) / 1_000,
    temporalMs: after.temporalMs - before.temporalMs,
    workerMs: after.workerMs - before.workerMs,
  };
}

/** Subtracts the idle use of an equally long time from a use. The result is never less than 0. */
export function withoutIdle(use: CpuUse, idle: CpuUse): CpuUse {
  const beyond = (used: number, idleMs: number) => Math.max(0, used - (idleMs / idle.seconds) * use.seconds);
  return {
    seconds: use.seconds,
    temporalMs: beyond(use.temporalMs, idle.temporalMs),
    workerMs: beyond(use.workerMs, idle.workerMs),
  };
}

/**
 * The wait before the idle use is measured. V8 collects garbage for up to twenty seconds after work has ended. If this
 * were counted, the idle use of a worker would be several times too high.
 */
const SETTLING_MS = 25_000;
/**
 * The time for which the idle use is measured: a minute, because the Temporal server has a task that runs once a
 * minute.
 */
const IDLE_WINDOW_MS = 60_000;

/** Waits 25 seconds, until the processes of a lab are idle. Then measures their CPU time for a minute. */
export async function idleUse(lab: Pick<Lab, 'cpu'>): Promise<CpuUse> {
  await sleep(SETTLING_MS);
  return cpuDuring(lab, IDLE_WINDOW_MS);
}

/** Measures the CPU time of a lab's processes for this many milliseconds. */
export async function cpuDuring(lab: Pick<Lab, 'cpu'>, milliseconds: number): Promise<CpuUse> {
  const before = lab.cpu();
  await sleep(milliseconds);
  return cpuBetween(before, lab.cpu());
}
