import { intervalMs } from '../../src/protocol/cadence';
import type { PaymentSessionInput } from '../../src/protocol/input';
import { cadenceOf, resolvePolicy } from '../../src/protocol/resolved-policy';
import type { KnownSession } from './view';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
/** As fine as a reader needs: a page that changed with each second would be replaced with each second. */
const STEPS_MS = [
  ...[1, 2, 3, 5, 10, 15, 20, 30, 45].map((seconds) => seconds * SECOND),
  ...[1, 2, 3, 5, 10, 15, 20, 30, 45].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 4, 6, 8, 12, 18, 24].map((hours) => hours * HOUR),
];

/** About how far apart the polls of a session are now, in milliseconds; `undefined` where none are made. */
export function pollEveryMs(
  { state, stateHistory }: KnownSession,
  { policy = {}, request }: PaymentSessionInput,
  nowMs: number,
): number | undefined {
  if (state.phase !== 'open' && state.phase !== 'cancelling') return undefined;
  const changedAtMs = Date.parse(stateHistory.at(-1)?.firstSeenAt ?? '') || nowMs;
  const exactMs = intervalMs(cadenceOf(state, resolvePolicy(policy, request)), nowMs - changedAtMs);
  return STEPS_MS.findLast((stepMs) => stepMs <= exactMs) ?? SECOND;
}
