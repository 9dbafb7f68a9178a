import type { Exchange } from '../service/exchange';
import type { SessionEvidence, Violation } from './evidence';

/** The shortest time between two polls that the campaign's policy allows, in milliseconds. */
const FASTEST_POLL_MS = 500;
/** The tolerance for the clocks of two processes, and the time that a call needs to arrive. */
const SLACK_MS = 60;
/** With jitter, a poll may come after this share of its interval. */
const JITTER = 0.85;

/** (g) A session's calls heed `Retry-After`, and its polls keep to the cadence. */
export function checkPace(evidence: SessionEvidence): Violation[] {
  return [...heedsRetryAfter(evidence), ...keepsToCadence(evidence)];
}

/** Skips sessions with cancels, which may always be sent, and with strikes: a worker may have been lost with the answer. */
function heedsRetryAfter({ key: where, exchanges, strikes, acts }: SessionEvidence): Violation[] {
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

/** Calls, strikes and spoiled answers add polls, up to two each. A storm or a cancel may add sixty more. */
function keepsToCadence({ key: where, exchanges, strikes, acts }: SessionEvidence): Violation[] {
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

/** Contract A3. */
const TOKEN_LIFETIME_MS = 599_000;

/** (g) A process requests one token for all its calls: at the start, after a refusal or a lost answer, and before it expires. */
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
