import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { peakKib } from '../figures/process-stat';
import { PROJECT } from '../report/project';

/** The time and the memory that a command takes. */
export interface CommandFigures {
  readonly seconds: number;
  /** The peak memory of the command, in MiB. */
  readonly mib: number;
}

export interface CommandOptions {
  readonly ledgerUrl: string;
  /** The exit code with which the command must end. @default 0 */
  readonly exitCode?: number;
}

const READ_EVERY_MS = 100;

/** Runs `paysession` with these arguments until it ends. Throws an `Error` if the exit code is not the expected one. */
export async function measuredCommand(
  args: readonly string[],
  { ledgerUrl, exitCode = 0 }: CommandOptions,
): Promise<CommandFigures> {
  const beganAtMs = performance.now();
  const child = spawn(process.execPath, [join(PROJECT, 'dist', 'cli', 'main.js'), ...args], {
    env: { ...process.env, PAYSESSION_LEDGER_URL: ledgerUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let kib = 0;
  const reading = setInterval(() => {
    kib = Math.max(kib, peakOf(child.pid));
  }, READ_EVERY_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(reading);
  if (code !== exitCode)
    throw new Error(`paysession ${args.slice(0, 2).join(' ')} ended with ${String(code)}`);
  return { seconds: (performance.now() - beganAtMs) / 1_000, mib: kib / 1_024 };
}

/** Returns the peak memory of a process, in KiB, or 0 if the process has just ended. */
function peakOf(pid: number | undefined): number {
  try {
    return peakKib(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return 0;
  }
}
