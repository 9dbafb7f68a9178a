import type { ResolvedPolicy } from '../policy';

/** What the next poll depends on. */
export interface PollSituation {
  /** Milliseconds since the session was opened or its state last changed. */
  readonly sinceChangeMs: number;
  /** Whether only the PAD signature is awaited. */
  readonly awaitingSignature: boolean;
  /** Polls failed in a row. */
  readonly failures: number;
  /** What the service asked for with `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number;
  /** 0 to 1, for the jitter. */
  readonly random: number;
}

/** When to poll next: after `afterMs`, then each `everyMs` for `forMs` (0: once) in one activity execution. */
export interface PollPlan {
  readonly afterMs: number;
  readonly everyMs: number;
  readonly forMs: number;
}

/** How long one activity execution polls in a burst. */
const BURST_MS = 20_000;
/** Polls this close together are cheaper in a burst than as executions of their own. */
const BURST_BELOW_MS = 5_000;
/** The wait grows while nothing changes: 2 s after 40 s, 30 s after 10 min. */
const GROWTH = 0.05;
/** The signature may take days, so the first polls after the validation are at least this far apart. */
const FASTEST_FOR_SIGNATURE_MS = 30_000;
/**
 * Most payors who sign do so early, and one who never does must not cost a poll an hour. Polls are 8 min apart after an
 * hour and 3 h after a day: about a hundred in a month.
 */
const GROWTH_FOR_SIGNATURE = 0.125;
/** The longest wait after a failed poll, even if the next poll would be a day away. */
const LONGEST_FAILING_MS = 60 * 60_000;
const JITTER = 0.1;

/** The cadence: quick at first, slower with time, jittered, slower while polls fail, `Retry-After` obeyed. */
export function nextPoll(situation: PollSituation, policy: ResolvedPolicy): PollPlan {
  const { awaitingSignature, failures, retryAfterMs = 0, random, sinceChangeMs } = situation;
  const slowest = awaitingSignature ? policy.slowestSignaturePollMs : policy.slowestPollMs;
  const fastest = awaitingSignature
    ? Math.min(Math.max(FASTEST_FOR_SIGNATURE_MS, policy.fastestPollMs), slowest)
    : policy.fastestPollMs;
  const growth = awaitingSignature ? GROWTH_FOR_SIGNATURE : GROWTH;
  const steady = clamp(sinceChangeMs * growth, fastest, slowest);
  const failing = clamp(
    fastest * 2 ** Math.min(failures, 20),
    fastest,
    Math.min(slowest, LONGEST_FAILING_MS),
  );
  const again = awaitingSignature ? failing : Math.max(steady, failing);
  const jittered = (failures === 0 ? steady : again) * (1 + JITTER * (2 * random - 1));
  const everyMs = Math.round(jittered);
  const inBurst = failures === 0 && retryAfterMs === 0 && everyMs <= BURST_BELOW_MS;
  return { afterMs: Math.max(everyMs, retryAfterMs), everyMs, forMs: inBurst ? BURST_MS : 0 };
}

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 5 * 60_000;

/** The wait before a failed call is repeated: doubled up to five minutes, jittered, `Retry-After` obeyed. */
export function backoffMs(attempt: number, random: number, retryAfterMs = 0): number {
  const doubled = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_BACKOFF_MS);
  return Math.max(Math.round(doubled * (1 + JITTER * (2 * random - 1))), retryAfterMs);
}

const clamp = (value: number, low: number, high: number): number => Math.max(Math.min(value, high), low);
