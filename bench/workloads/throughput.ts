import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../figures/quantiles';
import { withSides, type BothSides } from '../sides/both-sides';
import type { Side } from '../sides/side';
import { cpuBetween } from './cpu-window';
import { warmUp } from './warm-up';

/** Medians of a side's turns. */
export interface Throughput {
  readonly sessionsPerSecond: number;
  /** CPU time of the Temporal server and the worker for a session, in milliseconds. */
  readonly cpuMs: number;
  /** The server's part of it. */
  readonly temporalCpuMs: number;
  /** The worker's part of it. */
  readonly workerCpuMs: number;
}

export interface ThroughputOptions {
  /** Sessions that are open at once. */
  readonly atOnce: number;
  /** The time that each side runs at a time. */
  readonly turnMs: number;
  /** The number of turns of each side. One alone might fall into a quiet moment of the machine. */
  readonly turns: number;
}

/** What the server does after a session has ended belongs to the session. */
const AFTERMATH_MS = 2_000;

/** As many sessions as a side can do when the service completes each at once. Both sides are running, and take turns. */
export function throughput({ turns, ...options }: ThroughputOptions): Promise<BothSides<Throughput>> {
  return withSides({ sandbox: { paceMs: 1 } }, async (sides) => {
    await Promise.all(sides.map((side) => warmUp(side)));
    const done = sides.map((): Throughput[] => []);
    // The first turn of each only warms up.
    for (let turn = 0; turn <= turns; turn += 1) {
      for (const [index, side] of sides.entries()) {
        const figures = await measureTurn(side, `turn-${turn}`, options);
        if (turn > 0) done[index]?.push(figures);
      }
    }
    return done.map(medians);
  });
}

type TurnOptions = Omit<ThroughputOptions, 'turns'>;

async function measureTurn(side: Side, name: string, options: TurnOptions): Promise<Throughput> {
  const before = side.cpu();
  const startedAtMs = performance.now();
  const sessions = await runTurn(side, name, options);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  await sleep(AFTERMATH_MS);
  const { temporalMs, workerMs } = cpuBetween(before, side.cpu());
  return {
    sessionsPerSecond: sessions / seconds,
    cpuMs: (temporalMs + workerMs) / sessions,
    temporalCpuMs: temporalMs / sessions,
    workerCpuMs: workerMs / sessions,
  };
}

function medians(turns: readonly Throughput[]): Throughput {
  const median = (figure: keyof Throughput) =>
    quantile(
      turns.map((turn) => turn[figure]),
      0.5,
    );
  return {
    sessionsPerSecond: median('sessionsPerSecond'),
    cpuMs: median('cpuMs'),
    temporalCpuMs: median('temporalCpuMs'),
    workerCpuMs: median('workerCpuMs'),
  };
}

/** Gives how many sessions it did; the last of them ends with the turn. */
async function runTurn(side: Side, name: string, { atOnce, turnMs }: TurnOptions): Promise<number> {
  const endsAtMs = performance.now() + turnMs;
  let started = 0;
  const oneAfterTheOther = async () => {
    while (performance.now() < endsAtMs) {
      started += 1;
      const key = `${name}-${started}`;
      await side.sessions.open(key, `sandbox-completes-${key}`);
      await side.sessions.ended(key);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, oneAfterTheOther));
  return started;
}
