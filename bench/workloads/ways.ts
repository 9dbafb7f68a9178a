import { setTimeout as sleep } from 'node:timers/promises';
import { startSide, type Side, type SideName, type SideOptions } from '../sides/side';
import { cpuBetween, idleUse, withoutIdle } from './cpu-window';
import { someAtOnce } from './some-at-once';
import { warmUp } from './warm-up';

/** The CPU time per poll, in milliseconds. */
export interface WayToWait {
  readonly pollTemporalMs: number;
  readonly pollWorkerMs: number;
}

export interface WaysOptions {
  readonly openSessions: number;
  readonly pollsEveryMs: number;
  readonly measuredMs: number;
}

const SETTLES_MS = 5_000;
const OPENED_AT_ONCE = 5;

/**
 * The ways to wait between two polls. `paysession`: the worker keeps the session in memory (holds it). `retries alone`:
 * each poll is an attempt of an activity, and the Temporal server waits before the next attempt. `baseline`: the
 * workflow has a timer.
 */
const WAYS: Readonly<Record<string, readonly [SideName, Pick<SideOptions, 'heldAtMost'>]>> = {
  paysession: ['paysession', {}],
  'retries alone': ['paysession', { heldAtMost: 0 }],
  baseline: ['baseline', {}],
};

/** Measures the CPU time per poll for each way. All ways run at the same time. */
export async function waysToWait(options: WaysOptions): Promise<Readonly<Record<string, WayToWait>>> {
  const { openSessions, pollsEveryMs, measuredMs } = options;
  const policy = { fastestPoll: pollsEveryMs, slowestPoll: pollsEveryMs };
  const sides: Side[] = [];
  try {
    for (const [name, more] of Object.values(WAYS)) {
      sides.push(await startSide(name, { policy, baselinePollsEveryMs: pollsEveryMs, ...more }));
    }
    await Promise.all(sides.map(warmUp));
    const idle = await Promise.all(sides.map(idleUse));
    const keys = Array.from({ length: openSessions }, (_, index) => `session-${index}`);
    for (const { sessions } of sides) {
      await someAtOnce(OPENED_AT_ONCE, keys, (key) => sessions.open(key, key));
    }
    await sleep(SETTLES_MS);
    const before = sides.map((side) => side.cpu());
    await sleep(measuredMs);
    const polls = (openSessions * measuredMs) / pollsEveryMs;
    const figures = Object.keys(WAYS).map((way, index): readonly [string, WayToWait] => {
      const [side, from, idleThen] = [sides[index], before[index], idle[index]];
      if (side === undefined || from === undefined || idleThen === undefined)
        throw new Error(`${way} is missing`);
      const use = withoutIdle(cpuBetween(from, side.cpu()), idleThen);
      return [way, { pollTemporalMs: use.temporalMs / polls, pollWorkerMs: use.workerMs / polls }];
    });
    return Object.fromEntries(figures);
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
  }
}
