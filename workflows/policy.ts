import type { SessionRequest } from '../src/contract/session-request';
import { toMilliseconds, type Duration } from '../src/protocol/duration';
import type { SessionPolicy } from '../src/protocol/policy';

/** A policy with every default filled in and every duration in milliseconds. */
export interface ResolvedPolicy {
  readonly onUnknownCreate: 'park' | 'retry';
  readonly fastestPollMs: number;
  readonly slowestPollMs: number;
  readonly slowestSignaturePollMs: number;
  readonly refreshSpacingMs: number;
  readonly deadlineMs: number;
  readonly padSignatureDeadlineMs: number;
}

/** No policy polls more often than this. */
const MIN_POLL_MS = 50;

/** Fills in the defaults of a policy that follows the rules of `src/protocol/policy.ts`. */
export function resolvePolicy(policy: SessionPolicy, request: SessionRequest): ResolvedPolicy {
  const mailsPayor = request.options.notificationPreferences?.sendNetworkLink === true;
  const fastestPollMs = atLeast(MIN_POLL_MS, milliseconds(policy, 'fastestPoll', '3s'));
  const slowestPollMs = atLeast(fastestPollMs, milliseconds(policy, 'slowestPoll', '30m'));
  return {
    onUnknownCreate: policy.onUnknownCreate ?? (mailsPayor ? 'park' : 'retry'),
    fastestPollMs,
    slowestPollMs,
    slowestSignaturePollMs: atLeast(fastestPollMs, milliseconds(policy, 'slowestUnsignedPoll', '1d')),
    refreshSpacingMs: atLeast(MIN_POLL_MS, milliseconds(policy, 'refreshSpacing', '1s')),
    deadlineMs: milliseconds(policy, 'deadline', '25h'),
    padSignatureDeadlineMs: milliseconds(policy, 'padSignatureDeadline', '30d'),
  };
}

type DurationField = Exclude<keyof SessionPolicy, 'onUnknownCreate' | 'indexReference'>;

function milliseconds(policy: SessionPolicy, field: DurationField, fallback: Duration): number {
  return toMilliseconds(policy[field] ?? fallback) ?? 0;
}

const atLeast = (minimum: number, value: number): number => Math.max(minimum, value);
