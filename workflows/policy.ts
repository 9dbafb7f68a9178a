import type { SessionRequest } from '../src/contract/session-request';
import { toMilliseconds, type Duration } from '../src/protocol/duration';

/** How a session is followed and when it is given up. Every field has a default; times between polls vary by a tenth. */
export interface SessionPolicy {
  /**
   * What to do when a create was sent and its answer was lost: `park` waits for `resolveCreate`, `retry` creates again
   * and records the possible orphan; after the third it parks.
   * @default 'park' when the service itself mails the payor (`sendNetworkLink`), else 'retry'
   */
  readonly onUnknownCreate?: 'park' | 'retry';
  /** The shortest time between two polls. @default '2s' */
  readonly fastestPoll?: Duration;
  /** The longest time between two polls while the payor may act. @default '5m' */
  readonly slowestPoll?: Duration;
  /**
   * The longest time between two polls while the PAD signature is awaited: they are an eighth of the time waited so far
   * apart, 30 seconds at least. @default '1d'
   */
  readonly slowestUnsignedPoll?: Duration;
  /** The shortest time between two polls that refreshes ask for; those that come sooner share the next. @default '1s' */
  readonly refreshSpacing?: Duration;
  /**
   * When an unfinished session is cancelled at the service, from its start. One that is `Completed` without a detail code
   * that says whether it is paid ends then. @default '25h'
   */
  readonly deadline?: Duration;
  /**
   * How long the PAD signature is awaited after the bank account was validated. Where the service cannot be asked then, an
   * hour more. @default '30d'
   */
  readonly padSignatureDeadline?: Duration;
  /** Whether `referenceId` becomes a search attribute, which the engine stores in plain text. @default true */
  readonly indexReference?: boolean;
}

/** A policy with every default filled in and every duration in milliseconds. */
export interface ResolvedPolicy {
  readonly onUnknownCreate: 'park' | 'retry';
  readonly fastestPollMs: number;
  readonly slowestPollMs: number;
  readonly slowestUnsignedPollMs: number;
  readonly refreshSpacingMs: number;
  readonly deadlineMs: number;
  readonly padSignatureDeadlineMs: number;
  readonly indexReference: boolean;
}

/** No policy polls more often than this. */
export const MIN_POLL_MS = 50;

/** Fills in the defaults of a policy that keeps to `src/protocol/policy-rules.ts`. */
export function resolvePolicy(policy: SessionPolicy, request: SessionRequest): ResolvedPolicy {
  const mailsPayor = request.options.notificationPreferences?.sendNetworkLink === true;
  const fastestPollMs = atLeast(MIN_POLL_MS, milliseconds(policy, 'fastestPoll', '2s'));
  const slowestPollMs = atLeast(fastestPollMs, milliseconds(policy, 'slowestPoll', '5m'));
  return {
    onUnknownCreate: policy.onUnknownCreate ?? (mailsPayor ? 'park' : 'retry'),
    fastestPollMs,
    slowestPollMs,
    slowestUnsignedPollMs: atLeast(fastestPollMs, milliseconds(policy, 'slowestUnsignedPoll', '1d')),
    refreshSpacingMs: atLeast(MIN_POLL_MS, milliseconds(policy, 'refreshSpacing', '1s')),
    deadlineMs: milliseconds(policy, 'deadline', '25h'),
    padSignatureDeadlineMs: milliseconds(policy, 'padSignatureDeadline', '30d'),
    indexReference: policy.indexReference !== false,
  };
}

type DurationField = Exclude<keyof SessionPolicy, 'onUnknownCreate' | 'indexReference'>;

function milliseconds(policy: SessionPolicy, field: DurationField, fallback: Duration): number {
  return toMilliseconds(policy[field] ?? fallback) ?? 0;
}

const atLeast = (minimum: number, value: number): number => Math.max(minimum, value);
