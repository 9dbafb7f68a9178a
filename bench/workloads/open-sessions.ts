import { startSide, type Side } from '../sides/side';
import type { Memory } from '../sides/lab';
import { cpuDuring, withoutIdle, type CpuUse } from './cpu-window';
import { someAtOnce } from './some-at-once';
import { warmUp } from './warm-up';

/** What open sessions cost one worker and its engine, at one number of them. */
export interface OpenLevel {
  readonly openSessions: number;
  /** CPU time for an open session in an hour, without the idle use, in milliseconds. */
  readonly engineCpuMsPerHour: number;
  readonly workerCpuMsPerHour: number;
  /** Memory for an open session beyond that of none, in KiB. */
  readonly engineKib: number;
  readonly workerKib: number;
}

const IDLE_MS = 10_000;
const OPENED_AT_ONCE = 40;

/** All are polled once in the time that is measured, whenever they were opened; two cores carry the most of them. */
const POLLS_EVERY_MS = 60_000;
const POLICY = { fastestPoll: POLLS_EVERY_MS, slowestPoll: POLLS_EVERY_MS };
/** Polls vary by a tenth. */
const MEASURED_MS = POLLS_EVERY_MS * 1.1;

/** Sessions that stay open, on one worker of paysession: each level on top of the one before. */
export async function openSessions(levels: readonly number[]): Promise<readonly OpenLevel[]> {
  const side = await startSide('paysession', { sandbox: { idleExpiryMs: 86_400_000 }, policy: POLICY });
  try {
    await warmUp(side);
    const idle = await cpuDuring(side, IDLE_MS);
    const emptyMemory = side.memory();
    const measured: OpenLevel[] = [];
    for (const level of levels) {
      const opened = measured.at(-1)?.openSessions ?? 0;
      await openMore(side, opened, level);
      measured.push(await measure(side, level, { idle, emptyMemory }));
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

async function measure(
  side: Side,
  openSessions: number,
  { idle, emptyMemory }: { readonly idle: CpuUse; readonly emptyMemory: Memory },
): Promise<OpenLevel> {
  const use = withoutIdle(await cpuDuring(side, MEASURED_MS), idle);
  const perHour = (usedMs: number) => (usedMs / use.seconds) * (3_600 / openSessions);
  const { engineMib, workerMib } = side.memory();
  const perSession = (mib: number) => (mib * 1_024) / openSessions;
  return {
    openSessions,
    engineCpuMsPerHour: perHour(use.engineMs),
    workerCpuMsPerHour: perHour(use.workerMs),
    engineKib: perSession(engineMib - emptyMemory.engineMib),
    workerKib: perSession(workerMib - emptyMemory.workerMib),
  };
}
