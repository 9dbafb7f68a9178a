import { setTimeout as sleep } from 'node:timers/promises';
import type { ThreadCpu } from '../figures/thread-cpu';
import { historyFigures } from '../figures/histories';
import { quantile, spread, type Spread } from '../figures/quantiles';
import { withSides, type BothSides } from '../sides/both-sides';
import type { Ending, Side } from '../sides/side';
import { cpuBetween, idleUse, withoutIdle } from './cpu-window';
import { warmUp } from './warm-up';

/** The cost of one session on one side. */
export interface SessionFigures {
  readonly sessions: number;
  /** The mean CPU time of the Temporal server and the worker per session, without idle use, in milliseconds. */
  readonly cpuMs: number;
  /** The part of `cpuMs` that the Temporal server uses. */
  readonly temporalCpuMs: number;
  /** The part of `cpuMs` that the worker uses. */
  readonly workerCpuMs: number;
  /** The worker's CPU time per session by thread, including idle use. */
  readonly threads: ThreadCpu;
  /** The median number of history events. */
  readonly events: number;
  /** The median size of the encoded history, in bytes. */
  readonly bytes: number;
  /** Billable actions: the median number of actions in histories, plus the mean number of heartbeats. */
  readonly actions: number;
  /** The mean number of heartbeats that reached the Temporal server. */
  readonly heartbeats: number;
  /** The mean number of polls: calls that read the session's details at the service. */
  readonly detailsCalls: number;
  /**
   * The number of polls with which a fixed interval reaches the measured mean delay. With a fixed interval, the mean
   * delay is half the interval.
   */
  readonly fixedIntervalCalls: number;
  /**
   * The time from the session's completion at the service until the workflow knows that it is completed, in
   * milliseconds.
   */
  readonly delayMs: Spread;
}

export interface EndedSessions {
  /** The number of sessions on each side. */
  readonly sessions: number;
  /** The service completes a session this many milliseconds after the session's creation. */
  readonly completedAfterMs: number;
  /** The number of sessions that each side opens per second. The sides take turns. */
  readonly perSecond: number;
  /** The number of whole sessions that each side runs as a warm-up before the measurement. @default 0 */
  readonly before?: number;
}

/**
 * With this scenario, the sandbox completes a session two paces after the session's creation. No payor loads pages,
 * which would cost CPU.
 */
const SCENARIO = 'sandbox-completes';
const PACES = 2;

/**
 * Returns the sandbox's pace, in milliseconds: with this pace, the sandbox completes sessions after `completedAfterMs`.
 */
export const paceOf = ({ completedAfterMs }: EndedSessions): number => completedAfterMs / PACES;

/**
 * The wait after the last session. The Temporal server still works on sessions after they have ended, and this work
 * counts.
 */
const AFTERMATH_MS = 3_000;

/** Runs sessions that the service completes after a while, on both sides at the same time. */
export function endedSessions(workload: EndedSessions): Promise<BothSides<SessionFigures>> {
  const paceMs = paceOf(workload);
  return withSides({ sandbox: { paceMs } }, (sides) => endedOn(sides, workload));
}

/**
 * Runs such sessions on sides that are already running. The sandboxes of these sides must have the pace of `paceOf`.
 */
export async function endedOn(
  sides: readonly Side[],
  workload: EndedSessions,
): Promise<readonly SessionFigures[]> {
  await Promise.all(
    sides.map(async (side) => {
      await warmUp(side);
      await openAndAwaitAll(side, keysOf('before', workload.before ?? 0), workload);
    }),
  );
  return Promise.all(sides.map((side, turn) => measure(side, workload, turn / sides.length)));
}

/**
 * Measures the sessions of one side.
 * @param turn a number from 0 to 1. This side opens its sessions later by this share of the time between two sessions,
 * so that the sides do not open sessions at the same moment
 */
async function measure(side: Side, workload: EndedSessions, turn: number): Promise<SessionFigures> {
  const idle = await idleUse(side);
  const before = {
    cpu: side.cpu(),
    threads: side.workerThreads(),
    calls: await side.service.callsOf('details'),
    beats: await side.heartbeats(),
  };
  await sleep(turn * everyMs(workload));
  const keys = keysOf('session', workload.sessions);
  const endings = await openAndAwaitAll(side, keys, workload);
  await sleep(AFTERMATH_MS);
  const cpu = withoutIdle(cpuBetween(before.cpu, side.cpu()), idle);
  const threads = side.workerThreads();
  const heartbeats = ((await side.heartbeats()) - before.beats) / keys.length;
  const calls = (await side.service.callsOf('details')) - before.calls;
  const histories = await Promise.all(
    keys.map((key) => historyFigures(side.client, side.sessions.workflowIdOf(key))),
  );
  const median = (pick: (figures: (typeof histories)[number]) => number) =>
    quantile(histories.map(pick), 0.5);
  const delays = await Promise.all(
    endings.map(async ({ sessionId, knownAtMs }) => {
      const { createdAtMs } = await side.service.session(sessionId);
      return knownAtMs - (createdAtMs + workload.completedAfterMs);
    }),
  );
  const delayMs = spread(delays);
  return {
    sessions: keys.length,
    cpuMs: (cpu.temporalMs + cpu.workerMs) / keys.length,
    temporalCpuMs: cpu.temporalMs / keys.length,
    workerCpuMs: cpu.workerMs / keys.length,
    threads: threadsBetween(before.threads, threads, keys.length),
    events: median(({ events }) => events),
    bytes: median(({ bytes }) => bytes),
    actions: median(({ actions }) => actions) + heartbeats,
    heartbeats,
    detailsCalls: calls / keys.length,
    fixedIntervalCalls: workload.completedAfterMs / (2 * delayMs.mean) + 1,
    delayMs,
  };
}

function threadsBetween(before: ThreadCpu, after: ThreadCpu, sessions: number): ThreadCpu {
  const each = (kind: keyof ThreadCpu) => (after[kind] - before[kind]) / sessions;
  return {
    mainMs: each('mainMs'),
    workflowMs: each('workflowMs'),
    v8Ms: each('v8Ms'),
    coreMs: each('coreMs'),
  };
}

const keysOf = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`);

const everyMs = ({ perSecond }: EndedSessions): number => 1_000 / perSecond;

function openAndAwaitAll(
  side: Side,
  keys: readonly string[],
  workload: EndedSessions,
): Promise<readonly Ending[]> {
  return Promise.all(
    keys.map(async (key, index) => {
      await sleep(index * everyMs(workload));
      return openAndAwait(side, key);
    }),
  );
}

async function openAndAwait(side: Side, key: string): Promise<Ending> {
  await side.sessions.open(key, `${SCENARIO}-${key}`);
  const ending = await side.sessions.ended(key);
  if (ending.status !== 'Completed') throw new Error(`${side.name}: ${key} ended as ${ending.status}`);
  return ending;
}
