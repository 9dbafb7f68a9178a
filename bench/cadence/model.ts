import { FOLLOWED_FOR_MS, REFRESH_DELAY_MS, type PayorKind } from './payors';

/**
 * A rule for polls: returns the wait until the next poll. Its argument is the time since the session was opened. Both
 * are in milliseconds.
 */
export type Cadence = (sinceChangeMs: number) => number;

/** The mean delay and the mean number of requests of a cadence. */
export interface Expected {
  /** The time from a payor's end to the poll or refresh that shows it. Absent for payors who never finish. */
  readonly delayMs?: number;
  /** Polls and refreshes from the session's opening to its end, including the polls that hints cause. */
  readonly requests: number;
}

/** Assumptions about hints: messages of the payment service, each of which causes a poll. */
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

/** Returns the times of all polls of a session that never ends, in milliseconds after its opening. */
export function pollTimes(cadence: Cadence): readonly number[] {
  const times: number[] = [];
  for (let atMs = cadence(0); atMs <= FOLLOWED_FOR_MS; atMs += cadence(atMs)) times.push(atMs);
  return times;
}

/** The model cuts the distribution of payors into slices. Four spreads to each side cover 9,999 of 10,000 payors. */
const WIDEST = 4;
const SLICE = 0.02;

/**
 * Returns the mean delay and requests for one kind of payor.
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
    // The poll or refresh that shows the end is one request. Each hint that arrives causes another one.
    requests += share * (before + 1 + arriving * hints.perSession);
  }
  return { delayMs: delayMs / density, requests: requests / density };
}

/** Returns the mean delay and requests of a cadence for all these payors. The delay includes only payors who finish. */
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

/**
 * Returns the fixed interval that has this mean delay for these payors, in milliseconds. It is exact to one per cent.
 */
export function equalFixedInterval(kinds: readonly PayorKind[], delayMs: number): number {
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
