import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { resolveTemporalServer } from '../../src/temporal-server';
import { PROJECT } from './project';
import type { Targets } from './table';

/** A workload's figures, with the machine and the time of the measurement. */
export interface Measured {
  readonly title: string;
  readonly at: string;
  readonly tookSeconds: number;
  readonly machine: Machine;
  readonly figures: unknown;
  readonly targets?: Targets;
}

export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGib: number;
  readonly platform: string;
  readonly node: string;
  readonly temporal: string;
}

export type Results = Readonly<Record<string, Measured>>;

/** The file with all results. It is committed, and the tables of docs/guides/benchmarks.md are generated from it. */
const FILE = join(PROJECT, 'bench', 'results.json');

export function readResults(): Results {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Results) : {};
}

/** Stores a workload's result in place of the workload's earlier result. */
export function keepResult(name: string, measured: Measured): void {
  writeFileSync(FILE, `${JSON.stringify({ ...readResults(), [name]: measured }, undefined, 2)}\n`);
}

export async function machineFacts(): Promise<Machine> {
  const { executable } = await resolveTemporalServer();
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGib: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    temporal: execFileSync(executable, ['--version'], { encoding: 'utf8' }).trim(),
  };
}
