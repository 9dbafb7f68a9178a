import { setTimeout as sleep } from 'node:timers/promises';
import { spread, type Spread } from '../figures/quantiles';
import { withSides, type BothSides } from '../sides/both-sides';
import type { Side } from '../sides/side';
import { someAtOnce } from './some-at-once';

export interface Cancels {
  readonly openSessions: number;
  /**
   * The time from the client's call until the service has cancelled the session, in milliseconds. A cancel that takes
   * longer than 20 s counts as 20 s.
   */
  readonly cancelMs: Spread;
  /** The share of cancels that took less than 20 s. */
  readonly inTime: number;
}

export interface CancelOptions {
  /** The number of open sessions. The polls of all of them hang. */
  readonly openSessions: number;
  /** The number of these sessions that the bench cancels. */
  readonly cancels: number;
}

/** The sandbox accepts at most this many hanging calls in one request. */
const HANGS_AT_ONCE = 1_000;
const HANGS = 4_000;
/**
 * The interval between polls. It is so long that polls do not disturb the opening of sessions. Both sides also give up
 * a hanging call after this time.
 */
const POLLS_EVERY_MS = 10_000;
const OPENED_AT_ONCE = 25;
const CANCEL_EVERY_MS = 200;
const CHECK_EVERY_MS = 20;
const LIMIT_MS = 20_000;

/** Measures how long a cancel takes while the service does not answer requests for details. */
export function cancels(options: CancelOptions): Promise<BothSides<Cancels>> {
  const policy = { fastestPoll: POLLS_EVERY_MS, slowestPoll: POLLS_EVERY_MS };
  return withSides({ policy, baselinePollsEveryMs: POLLS_EVERY_MS }, async (sides) => {
    const figures: Cancels[] = [];
    for (const side of sides) figures.push(await cancelsOf(side, options));
    return figures;
  });
}

async function cancelsOf(side: Side, options: CancelOptions): Promise<Cancels> {
  const keys = Array.from({ length: options.openSessions }, (_, index) => `session-${index}`);
  const ids = new Map<string, string>();
  await someAtOnce(OPENED_AT_ONCE, keys, async (key) => ids.set(key, await side.sessions.open(key, key)));
  for (let armed = 0; armed < HANGS; armed += HANGS_AT_ONCE) {
    await side.service.fail('details', { kind: 'hang', phase: 'before' }, HANGS_AT_ONCE);
  }
  // After this time, each session has begun a poll that hangs, or is waiting to begin it.
  await sleep(POLLS_EVERY_MS);
  const cancelled = [...ids].slice(-options.cancels).map(async ([key, sessionId], index) => {
    await sleep(index * CANCEL_EVERY_MS);
    return timeToCancel(side, key, sessionId);
  });
  const times = await Promise.all(cancelled);
  const inTime = times.filter((cancelMs) => cancelMs < LIMIT_MS).length / times.length;
  return { openSessions: keys.length, cancelMs: spread(times), inTime };
}

async function timeToCancel({ sessions, service }: Side, key: string, sessionId: string): Promise<number> {
  const startedAtMs = performance.now();
  const sinceStart = () => performance.now() - startedAtMs;
  await sessions.cancel(key);
  while (sinceStart() < LIMIT_MS) {
    if ((await service.session(sessionId)).status === 'Cancelled') return sinceStart();
    await sleep(CHECK_EVERY_MS);
  }
  return LIMIT_MS;
}
