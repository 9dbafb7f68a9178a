import type { Exchange } from '../service/exchange';
import type { SessionEvidence, Violation } from './evidence';

/** The shortest time between two polls that the campaign's policy allows, in milliseconds. */
const FASTEST_POLL_MS = 500;
/** The tolerance, in milliseconds, for the clocks of two processes and for the time in which a call arrives. */
const SLACK_MS = 60;
/** Because of jitter, a poll may come when this share of its interval has passed. */
const JITTER = 0.85;

/** Invariant (g): a session's calls respect `Retry-After`, and its polls are not faster than the policy's cadence. */
export function checkPace(evidence: SessionEvidence): Violation[] {
  return [...checkRetryAfter(evidence), ...checkCadence(evidence)];
}

/**
 * Checks `Retry-After`. Skips sessions with cancellations, because a cancellation may be sent at any time. Also skips sessions with
 * strikes, because a worker may have been lost together with the answer.
 */
function checkRetryAfter({ key: where, exchanges, strikes, acts }: SessionEvidence): Violation[] {
  if (strikes > 0 || acts.some(({ isCancel }) => isCancel)) return [];
  return exchanges.flatMap((limited, index) => {
    const { retryAfterMs = 0, httpStatus, endedAtMs, worker } = limited;
    if (httpStatus !== 429 || endedAtMs === undefined) return [];
    const next = exchanges
      .slice(index + 1)
      .find((later) => later.worker === worker && later.call === limited.call);
    if (next === undefined) return [];
    const waitedMs = next.atMs - endedAtMs;
    return waitedMs + SLACK_MS < retryAfterMs
      ? [
          {
            invariant: 'g',
            where,
            what: `${next.call} after ${waitedMs} ms, instead of ${retryAfterMs} ms`,
          },
        ]
      : [];
  });
}

/**
 * Checks the number of polls. Each call, strike and spoiled answer may add up to two polls. A storm of refreshes or a cancellation may add
 * sixty more.
 */
function checkCadence({ key: where, exchanges, strikes, acts }: SessionEvidence): Violation[] {
  const polls = exchanges.filter(({ call }) => call === 'details');
  const [first, last] = [polls[0], polls.at(-1)];
  if (first === undefined || last === undefined) return [];
  const byCadence = (last.atMs - first.atMs) / (FASTEST_POLL_MS * JITTER);
  const asked =
    2 * acts.length +
    2 * strikes +
    60 * acts.filter(({ act }) => act.endsWith('Storm') || act.startsWith('cancel')).length;
  const spoiled = exchanges.filter(({ isClean, isLate }) => !isClean || isLate).length;
  const most = Math.ceil(byCadence) + asked + 2 * spoiled + 6;
  return polls.length > most
    ? [{ invariant: 'g', where, what: `${polls.length} polls where ${most} were due` }]
    : [];
}

/** Contract rule A3 (docs/contract.md). */
const TOKEN_LIFETIME_MS = 599_000;

/**
 * Invariant (g), for tokens: a process uses one token for all its calls. It requests a token only at its start, after a refusal or a lost
 * answer, and before the old token expires.
 */
export function checkTokens(exchanges: readonly Exchange[], lifetimesOfToken: number): Violation[] {
  const workers = new Set(exchanges.map(({ worker }) => worker));
  const spanMs = (exchanges.at(-1)?.atMs ?? 0) - (exchanges.at(0)?.atMs ?? 0);
  return [...workers].flatMap((worker) => {
    const own = exchanges.filter((exchange) => exchange.worker === worker);
    const authorizes = own.filter(({ call }) => call === 'authorize');
    const refused = own.filter(({ httpStatus }) => httpStatus === 401).length;
    const lost = authorizes.filter(({ isClean, isLate }) => !isClean || isLate).length;
    const most = 1 + lifetimesOfToken + Math.floor(spanMs / TOKEN_LIFETIME_MS) + refused + lost;
    return authorizes.length > most
      ? [
          {
            invariant: 'g',
            where: worker,
            what: `${authorizes.length} token requests where ${most} were due`,
          },
        ]
      : [];
  });
}
