import type { SessionRequest } from '../contract/session-request';
import { toMilliseconds, type Duration } from './duration';

/**
 * Rules for following a session, for giving it up, and for finding it in lists. Every field has a default. The time between two polls
 * varies at random by up to a tenth. A worker may move a poll by up to a further sixteenth of that time (125 ms at most), so that several
 * polls begin at once.
 */
export interface SessionPolicy {
  /**
   * The action if the outcome of a create request is unknown, for instance because the response was lost. `park`: the session waits
   * for `resolveCreate`. `retry`: the session records a possible orphan and sends the request again, three times at most. After that,
   * it waits for `resolveCreate`, too. If a response names a session but contradicts the request or is malformed, or if a
   * ledger knows the named session as that of another key, the session waits at once, because the next response would be the same.
   * It also waits at once after a reset of its workflow that may have undone a create request, unless a ledger has the session: the
   * payor may have paid.
   * @default `'park'` if the service itself mails the payor (`sendNetworkLink`), else `'retry'`
   */
  readonly onUnknownCreate?: 'park' | 'retry';
  /** The shortest time between two polls, 50 milliseconds at least. Refreshes cause further polls in between. @default '3s' */
  readonly fastestPoll?: Duration;
  /**
   * The longest time between two polls while the payor may act; not shorter than `fastestPoll`. Polls are `fastestPoll` apart for
   * the first five minutes after a change. Then the time between two polls is a sixth of the time since those five minutes ended,
   * but not less than `fastestPoll`.
   * @default '30m'
   */
  readonly slowestPoll?: Duration;
  /**
   * The longest time between two polls while the PAD signature is missing; not shorter than `fastestPoll`. The next poll comes
   * after a sixth of the time waited so far, but not before 30 seconds or `fastestPoll`, whichever is longer. A
   * `slowestUnsignedPoll` below 30 seconds applies from the start.
   * @default '1d'
   */
  readonly slowestUnsignedPoll?: Duration;
  /**
   * The shortest time between two polls for refreshes, 50 milliseconds at least. Refreshes that come sooner share the next poll.
   * @default '1s'
   */
  readonly refreshSpacing?: Duration;
  /**
   * The time after which the session is given up, counted from its start, or from the decision about a parked create request. A session
   * that is not created by then fails, unless it is parked. A session that a later poll still shows open is cancelled at the service. A
   * session that is `Completed` without a detail code, or with one that does not say whether it is paid, ends. As soon as the bank account
   * is validated, `padSignatureDeadline` applies instead.
   * @default '25h'
   */
  readonly deadline?: Duration;
  /**
   * The longest wait for the PAD signature after the bank account was validated. If a later poll still shows no signature, the session
   * ends unsigned.
   * @default '30d'
   */
  readonly padSignatureDeadline?: Duration;
  /**
   * The longest time by which a deadline is postponed while the payment service cannot be polled. Then a session that is or was
   * `Completed` ends as `unverified`, and any other is cancelled.
   * @default '7d'
   */
  readonly unverifiedAfter?: Duration;
  /** True if `referenceId` becomes a search attribute. Temporal and the ledger then store it in plain text. @default true */
  readonly indexReference?: boolean;
  /**
   * The names of metadata by which lists can be searched, five at most, such as `['customer']`. Temporal's index and the ledger's
   * lists store these metadata in plain text, so make only ids searchable. Their values must be 1 to 100 printable characters of
   * ASCII, without quotation marks, apostrophes, backslashes and question marks, and without spaces at either end.
   * @default `[]`
   */
  readonly searchableMetadata?: readonly string[];
}

type DurationField = Exclude<
  keyof SessionPolicy,
  'onUnknownCreate' | 'indexReference' | 'searchableMetadata'
>;

/** A policy's rules for following a session, with every default filled in and every duration in milliseconds. */
export type ResolvedPolicy = Required<Pick<SessionPolicy, 'onUnknownCreate'>> & {
  readonly [Field in DurationField as `${Field}Ms`]: number;
};

/** The minimum of `fastestPoll` and `refreshSpacing`. A shorter value counts as this one. */
const MIN_POLL_MS = 50;

/** Fills in the defaults of a policy that follows the rules of `src/protocol/input.ts`. */
export function resolvePolicy(policy: SessionPolicy, request: SessionRequest): ResolvedPolicy {
  const mailsPayor = request.options.notificationPreferences?.sendNetworkLink === true;
  const fastestPollMs = atLeast(MIN_POLL_MS, milliseconds(policy, 'fastestPoll', '3s'));
  const slowestPollMs = atLeast(fastestPollMs, milliseconds(policy, 'slowestPoll', '30m'));
  return {
    onUnknownCreate: policy.onUnknownCreate ?? (mailsPayor ? 'park' : 'retry'),
    fastestPollMs,
    slowestPollMs,
    slowestUnsignedPollMs: atLeast(fastestPollMs, milliseconds(policy, 'slowestUnsignedPoll', '1d')),
    refreshSpacingMs: atLeast(MIN_POLL_MS, milliseconds(policy, 'refreshSpacing', '1s')),
    deadlineMs: milliseconds(policy, 'deadline', '25h'),
    padSignatureDeadlineMs: milliseconds(policy, 'padSignatureDeadline', '30d'),
    unverifiedAfterMs: milliseconds(policy, 'unverifiedAfter', '7d'),
  };
}

function milliseconds(policy: SessionPolicy, field: DurationField, fallback: Duration): number {
  return toMilliseconds(policy[field] ?? fallback) ?? 0;
}

const atLeast = (minimum: number, value: number): number => Math.max(minimum, value);
