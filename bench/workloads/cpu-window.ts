import { setTimeout as sleep } from 'node:timers/promises';
import type { Cpu, Lab } from '../sides/lab';

/** CPU time between two readings, and the time between them. */
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

/** Returns the use beyond the idle use in the same time; never less than 0. */
export function withoutIdle(use: CpuUse, idle: CpuUse): CpuUse {
  const beyond = (used: number, idleMs: number) => Math.max(0, used - (idleMs / idle.seconds) * use.seconds);
  return {
    seconds: use.seconds,
    temporalMs: beyond(use.temporalMs, idle.temporalMs),
    workerMs: beyond(use.workerMs, idle.workerMs),
  };
}

/**
 * V8 collects garbage for up to twenty seconds after work has ended. If that counted as idle use, a worker's idle use
 * would be several times too high.
 */
const SETTLING_MS = 25_000;
/** The Temporal server has a task that runs once a minute. */
const IDLE_WINDOW_MS = 60_000;

/** Measures the CPU time of an idle lab for a minute, after 25 seconds in which it settles. */
export async function idleUse(lab: Pick<Lab, 'cpu'>): Promise<CpuUse> {
  await sleep(SETTLING_MS);
  return cpuDuring(lab, IDLE_WINDOW_MS);
}

/** Measures the CPU time of a lab for this many milliseconds. */
export async function cpuDuring(lab: Pick<Lab, 'cpu'>, milliseconds: number): Promise<CpuUse> {
  const before = lab.cpu();
  await sleep(milliseconds);
  return cpuBetween(before, lab.cpu());
}
