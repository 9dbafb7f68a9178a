import { FOLLOWED_FOR_MS, REFRESH_DELAY_MS, type PayorKind } from './payors';

/** Returns the wait until the next poll, from the time since the session was opened, both in milliseconds. */
export type Cadence = (sinceChangeMs: number) => number;

/** The mean outcome of a cadence for some payors. */
export interface Expected {
  /** From the time when a payor finishes to the poll or refresh that shows it; absent for payors who never finish. */
  readonly delayMs?: number;
  /** Polls and refreshes from the opening to the end, including polls that hints cause. */
  readonly requests: number;
}

/** Hints of the payment service, each of which causes a poll. */
export interface Hints {
  /** The share of hints that are lost. */
  readonly lostShare: number;
  /** The number of hints for a session that a payor finishes. */
  readonly perSession: number;
  /** The time from a change to the poll that its hint causes. */
  readonly delayMs: number;
}

const NO_HINTS: Hints = { lostShare: 1, perSession: 0, delayMs: 0 };

export const fixed =
  (intervalMs: number): Cadence =>
  () =>
    intervalMs;

/** Returns the times of all polls, in milliseconds after the opening. */
export function pollTimes(cadence: Cadence): readonly number[] {
  const times: number[] = [];
  for (let atMs = cadence(0); atMs <= FOLLOWED_FOR_MS; atMs += cadence(atMs)) times.push(atMs);
  return times;
}

/** The model cuts the distribution into slices. Four spreads to either side cover all but one payor in ten thousand. */
const WIDEST = 4;
const SLICE = 0.02;

/**
 * Returns the mean outcome for one kind of payor.
 *
 * @param polls the times of all polls, from `pollTimes`
 */
export function expectedFor(
  kind: PayorKind,
  polls: readonly number[],
  hints: Hints = NO_HINTS,
): Required<Expected> | Expected {
  const { medianMs, spread = 0, refreshShare } = kind;
  const arriving = 1 - hints.lostShare;
  if (medianMs === undefined) return { requests: polls.length };
  let [density, delayMs, requests] = [0, 0, 0];
  for (let z = -WIDEST; z <= WIDEST; z += SLICE) {
    const endsAtMs = Math.min(medianMs * Math.exp(spread * z), FOLLOWED_FOR_MS);
    const before = countBefore(polls, endsAtMs);
    const seenAtMs = polls[before] ?? FOLLOWED_FOR_MS;
    const polled = seenAtMs - endsAtMs;
    const share = Math.exp(-(z * z) / 2);
    density += share;
    const hintedMs = arriving * Math.min(hints.delayMs, polled) + (1 - arriving) * polled;
    delayMs += share * (refreshShare * Math.min(REFRESH_DELAY_MS, polled) + (1 - refreshShare) * hintedMs);
    // A refresh is a request, too, and so is a hint that arrives.
    requests += share * (before + 1 + arriving * hints.perSession);
  }
  return { delayMs: delayMs / density, requests: requests / density };
}

/** Returns the mean outcome of a cadence for these payors. The delay is that of payors who finish. */
export function expectedForAll(
  kinds: readonly PayorKind[],
  cadence: Cadence,
  hints?: Hints,
): Required<Expected> {
  const polls = pollTimes(cadence);
  let [finishing, delayMs, requests, weights] = [0, 0, 0, 0];
  for (const kind of kinds) {
    const expected = expectedFor(kind, polls, hints);
    weights += kind.weight;
    requests += kind.weight * expected.requests;
    if (expected.delayMs === undefined) continue;
    finishing += kind.weight;
    delayMs += kind.weight * expected.delayMs;
  }
  return { delayMs: delayMs / finishing, requests: requests / weights };
}

/** Returns the fixed interval with this mean delay for these payors, in milliseconds, to within a hundredth. */
export function equalFixed(kinds: readonly PayorKind[], delayMs: number): number {
  let [low, high] = [REFRESH_DELAY_MS, FOLLOWED_FOR_MS];
  while (high / low > 1.01) {
    const middle = Math.sqrt(low * high);
    if (expectedForAll(kinds, fixed(middle)).delayMs < delayMs) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}

/** Returns the number of polls before a time. */
function countBefore(polls: readonly number[], atMs: number): number {
  let [low, high] = [0, polls.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((polls[middle] ?? Infinity) < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
