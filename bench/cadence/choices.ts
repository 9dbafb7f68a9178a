import { intervalMs, type Cadence } from '../../src/protocol/cadence';
import { actionsOf, following } from '../figures/following';
import { equalFixedInterval, expectedForAll, fixed } from './model';
import { FOLLOWED_FOR_MS, type PayorKind } from './payors';

const MINUTE_MS = 60_000;
const SLOWEST_MINUTES = [5, 10, 30, 120];

/**
 * Returns the rows of a table that compares values of `slowestPoll`, the longest interval between two polls of a
 * session. For each value, the table has the delay until a change is noticed, the requests and the billable actions.
 */
export function choices(payors: readonly PayorKind[], cadence: Cadence): readonly (readonly string[])[] {
  const header = [
    'slowestPoll',
    'delay (s)',
    'requests',
    'requests, fixed interval with this delay',
    'actions to follow a session that no payor finishes',
  ];
  const rows = SLOWEST_MINUTES.map((minutes) => {
    const chosen: Cadence = { ...cadence, slowestMs: minutes * MINUTE_MS };
    const all = expectedForAll(payors, (sinceMs) => intervalMs(chosen, sinceMs));
    const equal = expectedForAll(payors, fixed(equalFixedInterval(payors, all.delayMs)));
    return [
      `${minutes} min`,
      (all.delayMs / 1_000).toFixed(0),
      all.requests.toFixed(0),
      equal.requests.toFixed(0),
      String(actionsOf(following(chosen, FOLLOWED_FOR_MS))),
    ];
  });
  return [header, ...rows];
}
