import { setTimeout as sleep } from 'node:timers/promises';
import { historyFigures } from '../figures/histories';
import { quantile } from '../figures/quantiles';
import { withSides, withSidesNamed, type BothSides } from '../sides/both-sides';
import { startMeasuredCluster } from '../sides/measured-cluster';
import type { Side } from '../sides/side';
import { cpuBetween, idleUse, withoutIdle, type CpuUse } from './cpu-window';
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
  /** The number of sessions that are open at once. */
  readonly atOnce: number;
  /** The time for which a turn starts sessions. The turn lasts until its last session has ended. */
  readonly turnMs: number;
  /** The number of turns of each side. During a single turn, the machine might be quieter or busier than usual. */
  readonly turns: number;
}

/** The Temporal server's work after a session has ended belongs to the session. */
const AFTERMATH_MS = 2_000;

/** The service completes a session at once, and each side polls it for the first time after the same wait. */
const POLLS_EVERY_MS = 1_000;
const AT_ONCE = {
  sandbox: { paceMs: 1 },
  policy: { fastestPoll: POLLS_EVERY_MS },
  baselinePollsEveryMs: POLLS_EVERY_MS,
};

/** Runs as many sessions as each side can, while the service completes each session at once. */
export function throughput(options: ThroughputOptions): Promise<BothSides<Throughput>> {
  return withSides(AT_ONCE, (sides) => inTurns(sides, options));
}

/**
 * Does the same with paysession and a program that only makes the calls of a session, with the savings of paysession's
 * worker. Throws an `Error` if the numbers of events or billable actions in their histories differ.
 */
export function aboveFloor(
  options: ThroughputOptions,
): Promise<Readonly<Record<'paysession' | 'floor', Throughput>>> {
  return withSidesNamed(['paysession', 'floor'], AT_ONCE, async (sides) => {
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
 * Does the same as `throughput` on a cluster that both sides share. The CPU time of the cluster is that of its nodes and
 * PostgreSQL, without its idle use.
 */
export async function onCluster(options: ThroughputOptions): Promise<BothSides<Throughput>> {
  const cluster = await startMeasuredCluster();
  try {
    return await withSides({ ...AT_ONCE, server: cluster }, (sides) => inTurns(sides, options, idleUse));
  } finally {
    await cluster.stop();
  }
}

/**
 * Starts work on one side at a time, in turns, while all sides are running.
 *
 * @param idleOf measures the idle use, which is not counted. @default idle use is counted
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

/** Runs sessions until the turn is over and its last session has ended. Returns the number of sessions. */
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
