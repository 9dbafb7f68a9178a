import { beatEveryMs, guardOf } from '../../src/protocol/cadence';
import { startSide, type Side } from '../sides/side';
import type { Memory } from '../sides/lab';
import { cpuDuring, idleUse, withoutIdle, type CpuUse } from './cpu-window';
import { someAtOnce } from './some-at-once';
import { warmUp } from './warm-up';

/** The cost of an open session, measured while one worker has this number of open sessions. */
export interface OpenLevel {
  readonly openSessions: number;
  /** CPU time of the Temporal server and the worker per open session and hour, without idle use. */
  readonly cpuMsPerHour: number;
  readonly temporalCpuMsPerHour: number;
  readonly workerCpuMsPerHour: number;
  /** Memory per open session. The memory of processes without open sessions is subtracted. */
  readonly temporalKib: number;
  readonly workerKib: number;
}

const OPENED_AT_ONCE = 40;

export interface OpenOptions {
  /**
   * The numbers of open sessions at which the bench measures, in ascending order. Sessions of one level stay open for
   * the next level.
   */
  readonly levels: readonly number[];
  readonly pollsEveryMs: number;
  /** True if the Temporal server's database is in memory. A file is too slow for the heartbeats of many sessions. */
  readonly inMemory?: true;
}

/** Measures sessions that stay open, on one worker of paysession. */
export async function openSessions({
  levels,
  pollsEveryMs,
  ...lab
}: OpenOptions): Promise<readonly OpenLevel[]> {
  const policy = { fastestPoll: pollsEveryMs, slowestPoll: pollsEveryMs };
  const side = await startSide('paysession', { sandbox: { idleExpiryMs: 86_400_000 }, policy, ...lab });
  // The measurement takes this long, because the worker then sends exactly one heartbeat for each session.
  const cadence = { fastestMs: pollsEveryMs, slowestMs: pollsEveryMs, steadyMs: 0 };
  const beatMs = beatEveryMs(guardOf(cadence, 0).heartbeatTimeoutMs);
  try {
    await warmUp(side);
    const idle = await idleUse(side);
    const emptyMemory = side.memory();
    const measured: OpenLevel[] = [];
    for (const level of levels) {
      const opened = measured.at(-1)?.openSessions ?? 0;
      await openMore(side, opened, level);
      const use = withoutIdle(await cpuDuring(side, beatMs), idle);
      measured.push(levelOf(level, use, memoryBeyond(emptyMemory, side.memory())));
    }
    return measured;
  } finally {
    await side.stop();
  }
}

async function openMore({ sessions }: Side, from: number, to: number): Promise<void> {
  const keys = Array.from({ length: to - from }, (_, index) => `open-${from + index}`);
  await someAtOnce(OPENED_AT_ONCE, keys, (key) => sessions.open(key, key));
}

function memoryBeyond(empty: Memory, now: Memory): Memory {
  return { temporalMib: now.temporalMib - empty.temporalMib, workerMib: now.workerMib - empty.workerMib };
}

function levelOf(openSessions: number, use: CpuUse, memory: Memory): OpenLevel {
  const perHour = (usedMs: number) => (usedMs / use.seconds) * (3_600 / openSessions);
  const kib = (mib: number) => (mib * 1_024) / openSessions;
  return {
    openSessions,
    cpuMsPerHour: perHour(use.temporalMs + use.workerMs),
    temporalCpuMsPerHour: perHour(use.temporalMs),
    workerCpuMsPerHour: perHour(use.workerMs),
    temporalKib: kib(memory.temporalMib),
    workerKib: kib(memory.workerMib),
  };
}
