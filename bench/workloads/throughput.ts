import { setTimeout as sleep } from 'node:timers/promises';
import { historyFigures } from '../figures/histories';
import { quantile } from '../figures/quantiles';
import { withSides, withSidesNamed, type BothSides } from '../sides/both-sides';
import { startMeasuredCluster } from '../sides/measured-cluster';
import type { Side } from '../sides/side';
import { cpuBetween, idleUse, withoutIdle, type CpuUse } from './cpu-window';
import { warmUp } from './warm-up';

/**
 * The figures of one side, such as paysession or the baseline. The sides are measured in turns. Each figure is the
 * median of the side's turns.
 */
export interface Throughput {
  readonly sessionsPerSecond: number;
  /** CPU time of the Temporal server and the worker per session, in milliseconds. */
  readonly cpuMs: number;
  /** The part of `cpuMs` that the Temporal server uses. */
  readonly temporalCpuMs: number;
  /** The part of `cpuMs` that the worker uses. */
  readonly workerCpuMs: number;
}

export interface ThroughputOptions {
  /** The number of sessions that are open at the same time. */
  readonly atOnce: number;
  /** The time for which a turn starts sessions. The turn lasts until its last session has ended. */
  readonly turnMs: number;
  /**
   * The number of turns of each side. One turn is not enough, because the machine may be quieter or busier than usual.
   */
  readonly turns: number;
}

/** The wait after a turn. The Temporal server still works on sessions after they have ended, and this work counts. */
const AFTERMATH_MS = 2_000;

/** The wait before the first poll of a session. The sandbox has then completed the session. */
const FIRST_POLL_AFTER_MS = 1_000;
/** Options with which the sandbox completes each session immediately. */
const COMPLETED_IMMEDIATELY = {
  sandbox: { paceMs: 1 },
  policy: { fastestPoll: FIRST_POLL_AFTER_MS },
  baselinePollsEveryMs: FIRST_POLL_AFTER_MS,
};

/**
 * Compares how many sessions per second paysession and the baseline can run. The sandbox completes each session
 * immediately.
 */
export function throughput(options: ThroughputOptions): Promise<BothSides<Throughput>> {
  return withSides(COMPLETED_IMMEDIATELY, (sides) => inTurns(sides, options));
}

/**
 * Compares paysession with the floor, a program that makes only the calls to Temporal and to the payment service that a
 * session makes. Throws an `Error` if the histories of the two have different numbers of events or of billable
 * actions.
 */
export function aboveFloor(
  options: ThroughputOptions,
): Promise<Readonly<Record<'paysession' | 'floor', Throughput>>> {
  return withSidesNamed(['paysession', 'floor'], COMPLETED_IMMEDIATELY, async (sides) => {
    const figures = await inTurns(sides, options);
    const [ours, theirs] = await Promise.all(sides.map(historyOfOne));
    if (ours?.events !== theirs?.events || ours?.actions !== theirs?.actions)
      throw new Error('A session and the floor make different calls: change bench/sides/floor-workflow.ts.');
    return figures;
  });
}

const historyOfOne = ({ client, sessions }: Side) =>
  historyFigures(client, sessions.workflowIdOf(keyOf('turn-1', 1)));

/**
 * Like `throughput`, but both sides share a Temporal cluster. The CPU time of the server is the sum of the CPU times of
 * the cluster's nodes and of PostgreSQL, without idle use.
 */
export async function onCluster(options: ThroughputOptions): Promise<BothSides<Throughput>> {
  const cluster = await startMeasuredCluster();
  try {
    return await withSides({ ...COMPLETED_IMMEDIATELY, server: cluster }, (sides) =>
      inTurns(sides, options, idleUse),
    );
  } finally {
    await cluster.stop();
  }
}

/**
 * Measures running sides in turns. Only one side has work at a time.
 * @param idleOf measures a side's idle use, which is then subtracted. @default idle use is not subtracted
 */
async function inTurns(
  sides: readonly Side[],
  { turns, ...options }: ThroughputOptions,
  idleOf: (side: Side) => Promise<CpuUse> = () => Promise.resolve(NO_USE),
): Promise<readonly Throughput[]> {
  await Promise.all(sides.map(warmUp));
  const idle = await Promise.all(sides.map(idleOf));
  const done = sides.map((): Throughput[] => []);
  // The first turn of each side is only a warm-up.
  for (let turn = 0; turn <= turns; turn += 1) {
    for (const [index, side] of sides.entries()) {
      const figures = await measureTurn(side, `turn-${turn}`, { ...options, idle: idle[index] ?? NO_USE });
      if (turn > 0) done[index]?.push(figures);
    }
  }
  return done.map(medians);
}

type TurnOptions = Omit<ThroughputOptions, 'turns'> & { readonly idle: CpuUse };

/** An idle use of zero. Its time is not zero, because `withoutIdle` divides by it. */
const NO_USE: CpuUse = { seconds: 1, temporalMs: 0, workerMs: 0 };

async function measureTurn(side: Side, name: string, options: TurnOptions): Promise<Throughput> {
  const before = side.cpu();
  const startedAtMs = performance.now();
  const sessions = await runTurn(side, name, options);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  await sleep(AFTERMATH_MS);
  const { temporalMs, workerMs } = withoutIdle(cpuBetween(before, side.cpu()), options.idle);
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

const keyOf = (turn: string, number: number): string => `${turn}-${number}`;

/**
 * Starts sessions until the turn is over, and waits until the last session has ended. Returns the number of sessions.
 */
async function runTurn(side: Side, name: string, { atOnce, turnMs }: TurnOptions): Promise<number> {
  const endsAtMs = performance.now() + turnMs;
  let started = 0;
  const oneAfterTheOther = async () => {
    while (performance.now() < endsAtMs) {
      started += 1;
      const key = keyOf(name, started);
      await side.sessions.open(key, `sandbox-completes-${key}`);
      await side.sessions.ended(key);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, oneAfterTheOther));
  return started;
}
