import { intervalMs, type Cadence } from '../../src/protocol/cadence';
import { actionsOf, following } from '../figures/following';
import { expectedForAll, type Hints } from './model';
import { FOLLOWED_FOR_MS, type PayorKind } from './payors';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * Assumptions about hints, which are messages of the payment service that make a worker poll at once. One hint in a
 * hundred is lost. Each of the others causes a poll one second after the change. A session has two hints: when its bank
 * account is validated, and when it ends.
 */
const HINTS: Hints = { lostShare: 0.01, perSession: 2, delayMs: 1_000 };

interface Choice {
  readonly name: string;
  readonly fastestMs: number;
  readonly slowestMs: number;
  readonly hints?: Hints;
}

const seconds = (milliseconds: number): string =>
  (milliseconds / SECOND_MS).toFixed(milliseconds < 10 * SECOND_MS ? 1 : 0);

/**
 * Returns the rows of a table that compares policies with and without hints: the delay, requests and billable
 * actions.
 */
export function hinted(payors: readonly PayorKind[], cadence: Cadence): readonly (readonly string[])[] {
  const { fastestMs, slowestMs } = cadence;
  const choices: readonly Choice[] = [
    { name: 'default', fastestMs, slowestMs },
    { name: 'default, with hints', fastestMs, slowestMs, hints: HINTS },
    { name: "'30s', '30m', with hints", fastestMs: 30 * SECOND_MS, slowestMs, hints: HINTS },
    { name: "'5m', '2h', with hints", fastestMs: 5 * MINUTE_MS, slowestMs: 120 * MINUTE_MS, hints: HINTS },
    { name: "'5m', '2h', without", fastestMs: 5 * MINUTE_MS, slowestMs: 120 * MINUTE_MS },
  ];
  const header = [
    'fastestPoll, slowestPoll',
    'delay (s)',
    'delay if the hint is lost (s)',
    'requests',
    'actions to follow a session that no payor finishes',
  ];
  const rows = choices.map(({ name, hints, ...intervals }) => {
    const chosen: Cadence = { ...cadence, ...intervals };
    const everyMs = (sinceMs: number) => intervalMs(chosen, sinceMs);
    const all = expectedForAll(payors, everyMs, hints);
    const lost = expectedForAll(payors, everyMs);
    return [
      name,
      seconds(all.delayMs),
      hints === undefined ? '' : seconds(lost.delayMs),
      all.requests.toFixed(0),
      String(actionsOf(following(chosen, FOLLOWED_FOR_MS))),
    ];
  });
  return [header, ...rows];
}
