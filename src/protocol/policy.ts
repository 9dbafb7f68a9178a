import type { SessionRequest } from '../contract/session-request';
import { toMilliseconds, type Duration } from './duration';

/**
 * Rules for one session: how often it is polled, when it is given up, and how lists can find it. Every field has a default.
 *
 * The time between two polls varies at random by up to a tenth. In addition, a worker may move a poll by up to a sixteenth of that time
 * (125 ms at most) to send several polls together.
 */
export interface SessionPolicy {
  /**
   * The action if the outcome of a create request is unknown, for instance because the response was lost:
   * - `park`: the session waits for `resolveCreate`.
   * - `retry`: the session records a possible orphan, which is a session that may exist at the service without being followed. Then it
   *   sends another create request, three times at most. After that, it waits for `resolveCreate`.
   *
   * In two cases, the session always waits for `resolveCreate`:
   * - The response names a session, but contradicts the request, is malformed, or names a session that the ledger knows under another key.
   *   The next response would probably be the same.
   * - A reset of the workflow may have undone a create request, and no ledger knows the request's session. The payor may already have
   *   paid.
   * @default `'park'` if the service itself mails the payor (`sendNetworkLink`), else `'retry'`
   */
  readonly onUnknownCreate?: 'park' | 'retry';
  /**
   * The shortest time between two polls. A value below 50 milliseconds counts as 50 milliseconds. Refreshes cause additional polls.
   * @default '3s'
   */
  readonly fastestPoll?: Duration;
  /**
   * The longest time between two polls while the payor is in the hosted flow. Must not be shorter than `fastestPoll`.
   *
   * For the first five minutes after a change, polls are `fastestPoll` apart. After that, the time between two polls grows: it is a sixth
   * of the time since these five minutes, but at least `fastestPoll`.
   * @default '30m'
   */
  readonly slowestPoll?: Duration;
  /**
   * The longest time between two polls while the PAD signature is missing. Must not be shorter than `fastestPoll`.
   *
   * The time between two polls grows: it is a sixth of the time that the session has already waited for the signature, but at least 30
   * seconds, and at least `fastestPoll`. If `slowestUnsignedPoll` is below 30 seconds, it is always the time between two polls.
   * @default '1d'
   */
  readonly slowestUnsignedPoll?: Duration;
  /**
   * The shortest time between two polls for refreshes. A value below 50 milliseconds counts as 50 milliseconds. Refreshes that come sooner
   * share the next poll.
   * @default '1s'
   */
  readonly refreshSpacing?: Duration;
  /**
   * The time after which the session is given up. It counts from the session's start, or from the decision about a parked create request.
   * After the deadline:
   * - A session that is not created yet fails. A parked session keeps waiting.
   * - If a poll still shows the session open, the workflow cancels it at the service.
   * - A `Completed` session ends, even if no code says whether it is paid.
   *
   * As soon as the bank account is validated, `padSignatureDeadline` applies instead.
   * @default '25h'
   */
  readonly deadline?: Duration;
  /**
   * The longest wait for the PAD signature, counted from the validation of the bank account. If a poll after this time still shows no
   * signature, the session ends unsigned.
   * @default '30d'
   */
  readonly padSignatureDeadline?: Duration;
  /**
   * The longest time by which a deadline is postponed while the payment service cannot be polled. After that, a session that was ever
   * `Completed` ends as `unverified`. Any other session is cancelled.
   * @default '7d'
   */
  readonly unverifiedAfter?: Duration;
  /**
   * True if lists can find the session by its `referenceId`. Temporal and the ledger then store the reference in plain text.
   * @default true
   */
  readonly indexReference?: boolean;
  /**
   * The names of the metadata by which lists can find the session, such as `['customer']`. At most five names. Temporal's index and the
   * ledger's lists store these metadata in plain text, so make only ids searchable.
   *
   * A searchable value must have 1 to 100 printable ASCII characters. Quotation marks, apostrophes, backslashes and question marks are not
   * allowed, and neither are spaces at the beginning or the end.
   * @default `[]`
   */
  readonly searchableMetadata?: readonly string[];
}

type DurationField = Exclude<
  keyof SessionPolicy,
  'onUnknownCreate' | 'indexReference' | 'searchableMetadata'
>;

/** The rules for following a session, with all defaults filled in. Durations are milliseconds. */
export type ResolvedPolicy = Required<Pick<SessionPolicy, 'onUnknownCreate'>> & {
  readonly [Field in DurationField as `${Field}Ms`]: number;
};

/** The minimum of `fastestPoll` and `refreshSpacing`. A shorter value counts as this minimum. */
const MIN_POLL_MS = 50;

/** Fills in the defaults of a policy. The policy must be valid by the rules of `src/protocol/input.ts`. */
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
