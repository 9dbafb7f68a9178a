import { setTimeout as sleep } from 'node:timers/promises';
import { spread, type Spread } from '../figures/quantiles';
import { withSides, type BothSides } from '../sides/both-sides';
import type { Side } from '../sides/side';
import { someAtOnce } from './some-at-once';

export interface Cancels {
  readonly openSessions: number;
  /** From the client's call to the end of the workflow, in milliseconds. */
  readonly cancelMs: Spread;
}

export interface CancelOptions {
  /** Sessions whose polls hang. */
  readonly openSessions: number;
  /** How many of them are cancelled, one after the other. */
  readonly cancels: number;
}

/** The most that the sandbox takes at once. */
const HANGS_AT_ONCE = 1_000;
const HANGS = 4_000;
/** By then each session has begun a poll that hangs, or waits to. */
const HANGING_AFTER_MS = 5_000;
const OPENED_AT_ONCE = 25;

/** Cancels while the service answers no question about details: how long does a merchant wait? */
export function cancels(options: CancelOptions): Promise<BothSides<Cancels>> {
  return withSides({}, async (sides) => {
    const figures: Cancels[] = [];
    for (const side of sides) figures.push(await cancelsOf(side, options));
    return figures;
  });
}

async function cancelsOf({ service, sessions }: Side, options: CancelOptions): Promise<Cancels> {
  const keys = Array.from({ length: options.openSessions }, (_, index) => `session-${index}`);
  await someAtOnce(OPENED_AT_ONCE, keys, (key) => sessions.open(key, key));
  for (let armed = 0; armed < HANGS; armed += HANGS_AT_ONCE) {
    await service.fail('details', { kind: 'hang', phase: 'before' }, HANGS_AT_ONCE);
  }
  await sleep(HANGING_AFTER_MS);
  const cancelMs: number[] = [];
  for (const key of keys.slice(-options.cancels)) {
    const startedAtMs = performance.now();
    await sessions.cancel(key);
    await sessions.ended(key);
    cancelMs.push(performance.now() - startedAtMs);
  }
  return { openSessions: keys.length, cancelMs: spread(cancelMs) };
}
