import { setTimeout as sleep } from 'node:timers/promises';
import { mean } from '../figures/quantiles';
import type { Cpu, Lab } from '../sides/lab';

/** CPU time between two readings, in milliseconds. */
export interface CpuUse {
  readonly seconds: number;
  readonly engineMs: number;
  readonly workerMs: number;
}

export function cpuBetween(before: Cpu, after: Cpu): CpuUse {
  return {
    seconds: (after.atMs - before.atMs) / 1_000,
    engineMs: after.engineMs - before.engineMs,
    workerMs: after.workerMs - before.workerMs,
  };
}

/** What was used beyond what the same time costs when idle; never less than nothing. */
export function withoutIdle(use: CpuUse, idle: CpuUse): CpuUse {
  const beyond = (used: number, idleMs: number) => Math.max(0, used - (idleMs / idle.seconds) * use.seconds);
  return {
    seconds: use.seconds,
    engineMs: beyond(use.engineMs, idle.engineMs),
    workerMs: beyond(use.workerMs, idle.workerMs),
  };
}

const IDLE_WINDOW_MS = 10_000;
const IDLE_WINDOWS = 3;

/** What a lab uses in ten seconds when idle. */
export async function idleUse(lab: Pick<Lab, 'cpu'>): Promise<CpuUse> {
  const windows: CpuUse[] = [];
  while (windows.length < IDLE_WINDOWS) windows.push(await cpuDuring(lab, IDLE_WINDOW_MS));
  return leastUse(windows);
}

/**
 * The least use of several windows of one length, for each process by itself. V8 tidies its heap up to twenty seconds after work has ended,
 * and taken off as idle, that would be several times what a worker uses.
 */
export function leastUse(windows: readonly CpuUse[]): CpuUse {
  const seconds = mean(windows.map((window) => window.seconds));
  const least = (used: (window: CpuUse) => number) =>
    Math.min(...windows.map((window) => used(window) / window.seconds)) * seconds;
  return {
    seconds,
    engineMs: least(({ engineMs }) => engineMs),
    workerMs: least(({ workerMs }) => workerMs),
  };
}

/** What a lab uses in a while. */
export async function cpuDuring(lab: Pick<Lab, 'cpu'>, milliseconds: number): Promise<CpuUse> {
  const before = lab.cpu();
  await sleep(milliseconds);
  return cpuBetween(before, lab.cpu());
}
