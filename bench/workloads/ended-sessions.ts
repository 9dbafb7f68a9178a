import { setTimeout as sleep } from 'node:timers/promises';
import type { ThreadCpu } from '../figures/thread-cpu';
import { historyFigures } from '../figures/histories';
import { quantile, spread, type Spread } from '../figures/quantiles';
import { withSides, type BothSides } from '../sides/both-sides';
import type { Ending, Side } from '../sides/side';
import { cpuBetween, idleUse, withoutIdle } from './cpu-window';
import { warmUp } from './warm-up';

/** The cost of a session on one side. */
export interface SessionFigures {
  readonly sessions: number;
  /** CPU time of the Temporal server and the worker for a session, without idle use, in milliseconds; the mean. */
  readonly cpuMs: number;
  /** The Temporal server's part. */
  readonly temporalCpuMs: number;
  /** The worker's part. */
  readonly workerCpuMs: number;
  /** The worker's part by thread, including idle use. */
  readonly threads: ThreadCpu;
  /** History events; the median. */
  readonly events: number;
  /** Bytes of the encoded history; the median. */
  readonly bytes: number;
  /** Billable actions: the median of those in histories, plus the mean of heartbeats. */
  readonly actions: number;
  /** Heartbeats that reached the Temporal server; the mean. */
  readonly heartbeats: number;
  /** Requests for the service's details; the mean. */
  readonly detailsCalls: number;
  /**
   * The requests that polling at a fixed interval would make for the same mean delay. With a fixed interval, the mean
   * delay is half the interval.
   */
  readonly fixedIntervalCalls: number;
  /** From the service's completion until the workflow knows of it, in milliseconds. */
  readonly delayMs: Spread;
}

export interface EndedSessions {
  /** Sessions on each side. */
  readonly sessions: number;
  /** When the service completes a session, in milliseconds after its creation. */
  readonly completedAfterMs: number;
  /** Sessions opened a second on each side, by turns. */
  readonly perSecond: number;
  /** Sessions on each side before the measured ones, so that no code is cold. @default none */
  readonly before?: number;
}

/** The scenario completes a session two paces after its creation, without CPU for payors' pages. */
const SCENARIO = 'sandbox-completes';
const PACES = 2;

/** Returns the sandbox's pace with which it completes sessions after `completedAfterMs`, in milliseconds. */
export const paceOf = ({ completedAfterMs }: EndedSessions): number => completedAfterMs / PACES;

/** The Temporal server's work after a session has ended belongs to the session. */
const AFTERMATH_MS = 3_000;

/** Runs sessions that the service completes after a while, on both sides at the same time. */
export function endedSessions(workload: EndedSessions): Promise<BothSides<SessionFigures>> {
  const paceMs = paceOf(workload);
  return withSides({ sandbox: { paceMs } }, (sides) => endedOn(sides, workload));
}

/** Does the same on running sides, whose sandboxes have the pace of `paceOf`. */
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
 *
 * @param turn delays this side's opens by this share of the time between two opens, from 0 to 1
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
