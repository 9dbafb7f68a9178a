import type { SessionRequest } from '../contract/session-request';
import { toMilliseconds, type Duration } from './duration';

/**
 * Rules for following a session and for giving it up. Every field has a default. Times between polls vary at random by a tenth, and
 * by up to an eighth more if a worker makes several polls at once.
 */
export interface SessionPolicy {
  /**
   * The action if a create request was sent and its response was lost. `park` waits for `resolveCreate`. `retry` creates again and
   * records the possible orphan, three times at most, and then parks. It parks at once if an answer names a session but contradicts
   * the request or cannot be read, because the next answer would be the same.
   * @default 'park' if the service itself mails the payor (`sendNetworkLink`), else 'retry'
   */
  readonly onUnknownCreate?: 'park' | 'retry';
  /** The shortest time between two polls. @default '3s' */
  readonly fastestPoll?: Duration;
  /**
   * The longest time between two polls while the payor may act. Polls are `fastestPoll` apart for the first five minutes after
   * a change, and then a sixth of the time since. @default '30m'
   */
  readonly slowestPoll?: Duration;
  /**
   * The longest time between two polls while the PAD signature is missing. The next poll comes after a sixth of the time
   * waited so far, 30 seconds at least. @default '1d'
   */
  readonly slowestUnsignedPoll?: Duration;
  /** The shortest time between two polls for refreshes; refreshes that come sooner share the next poll. @default '1s' */
  readonly refreshSpacing?: Duration;
  /**
   * Time after its start at which an unfinished session is cancelled at the service, after a last poll. A session that is
   * `Completed` without a detail code that says whether it is paid ends then. @default '25h'
   */
  readonly deadline?: Duration;
  /** The wait for the PAD signature after the bank account was validated. @default '30d' */
  readonly padSignatureDeadline?: Duration;
  /**
   * The time by which a deadline is postponed while the payment service cannot be polled. Then a completed session ends as
   * `unverified`, and any other is cancelled. @default '7d'
   */
  readonly unverifiedAfter?: Duration;
  /** True if `referenceId` becomes a search attribute, which Temporal stores in plain text. @default true */
  readonly indexReference?: boolean;
  /**
   * The names of metadata that lists can be searched by, five at most, such as `['customer']`. Temporal and the ledger store them in plain
   * text, so their values should be ids: 1 to 100 characters of ASCII without quotation marks, apostrophes, backslashes and question
   * marks, and without spaces at their ends. @default `[]`
   */
  readonly searchableMetadata?: readonly string[];
}

type DurationField = Exclude<
  keyof SessionPolicy,
  'onUnknownCreate' | 'indexReference' | 'searchableMetadata'
>;

/** A policy with every default filled in and every duration in milliseconds. */
export type ResolvedPolicy = Required<Pick<SessionPolicy, 'onUnknownCreate'>> & {
  readonly [Field in DurationField as `${Field}Ms`]: number;
};

/** No policy polls more often than this. */
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
