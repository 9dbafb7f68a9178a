import type { SessionRequest } from '../../contract/session-request';
import type { Cadence } from './cadence';
import { toMilliseconds, type Duration } from './duration';
import type { SessionPolicy } from './policy';
import { awaitsSignature, type KnownStateOfKind } from '../../contract/statuses';

/** A policy with every default filled in and every duration in milliseconds. */
export interface ResolvedPolicy {
  readonly onUnknownCreate: 'park' | 'retry';
  readonly fastestPollMs: number;
  readonly slowestPollMs: number;
  readonly slowestUnsignedPollMs: number;
  readonly refreshSpacingMs: number;
  readonly deadlineMs: number;
  readonly padSignatureDeadlineMs: number;
  readonly unverifiedAfterMs: number;
}

/** No policy polls more often than this. */
const MIN_POLL_MS = 50;

/** Fills in the defaults of a policy that follows the rules of `src/protocol/input/policy.ts`. */
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

type DurationField = Exclude<keyof SessionPolicy, 'onUnknownCreate' | 'indexReference'>;

function milliseconds(policy: SessionPolicy, field: DurationField, fallback: Duration): number {
  return toMilliseconds(policy[field] ?? fallback) ?? 0;
}

const atLeast = (minimum: number, value: number): number => Math.max(minimum, value);

/** A payor in the flow mostly ends within this time. */
const STEADY_MS = 5 * 60_000;
/** The signature may take days: polls for it are this far apart at least. */
const FASTEST_FOR_SIGNATURE_MS = 30_000;

/** How far apart the polls of a session are: by what it waits for, the payor in the flow or the PAD signature. */
export function cadenceOf(state: KnownStateOfKind, policy: ResolvedPolicy): Cadence {
  const { fastestPollMs, slowestPollMs, slowestUnsignedPollMs: slowestMs } = policy;
  if (!awaitsSignature(state))
    return { fastestMs: fastestPollMs, slowestMs: slowestPollMs, steadyMs: STEADY_MS };
  const fastestMs = Math.min(Math.max(FASTEST_FOR_SIGNATURE_MS, fastestPollMs), slowestMs);
  return { fastestMs, slowestMs, steadyMs: 0 };
}
