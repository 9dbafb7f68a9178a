import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { isPaysessionError, ServiceError, type ErrorCode } from '../src/errors';
import type { PacedService } from '../src/service';
import { createSession } from './create-session';
import { followSession, pollSession, toEndOfAttempt } from './follow-session';
import {
  askedAt,
  checkWorkflowId,
  claimKeyOrThrow,
  recording,
  stateRecorders,
  withoutLedger,
} from './ledger';
import type { ActivitiesOptions, CancelResumer } from './dependencies';
import {
  type CancelResult,
  type FindResult,
  type LookedUpCreate,
  type LookUpCreateInput,
  type PaymentActivities,
  type SessionInput,
  isFree,
  isGivenBack,
  type ClaimInput,
  type ClaimResult,
} from '../src/protocol/activities';
import { toApplicationFailure, withHeartbeats } from './activity-attempt';

/** Long enough that most calls end before their first heartbeat, which saves the Temporal server a write. */
const HEARTBEAT_EVERY_MS = 3_000;

/** Creates the activities of payment sessions. */
export function createActivities(options: ActivitiesOptions): PaymentActivities {
  const { serviceOf, readState, resumeCancel, held, now, onChange, tracePoll } = options;
  const recorderOf = stateRecorders(options);
  return {
    authenticate: translating(
      alive(async ({ account }) => {
        await serviceOf(account).authenticate({ signal: Context.current().cancellationSignal });
      }),
    ),
    createSession: translating((input) => createSession(options, input)),
    lookUpCreate: translating((input) => lookUpCreate(options, input), toRepeated),
    pollSession: translating(
      alive((input) => {
        const signal = Context.current().cancellationSignal;
        return recording(recorderOf(input, 'poll'), pollSession(serviceOf(input.account), input, { signal }));
      }),
    ),
    followSession: translating(async (input) => {
      const beforeReport = recorderOf(input, 'poll');
      return followSession(serviceOf(input.account), input, { held, now, onChange, tracePoll, beforeReport });
    }, toEndOfAttempt),
    cancelSession: translating(
      alive((input) => {
        held?.release(input);
        return recording(
          recorderOf(input, 'cancel'),
          cancelSession(serviceOf(input.account), input, resumeCancel),
        );
      }),
    ),
    findSession: translating(
      alive((input) => recording(recorderOf(input, 'poll'), findSession(serviceOf(input.account), input))),
    ),
    claimSession: translating((input) => claimSession(options, input)),
    readSession: translating(({ key }) => readState(key)),
  };
}

/** Wraps an activity so that its errors reach the Temporal server with their codes. */
function translating<I, O>(
  activity: (input: I) => Promise<O>,
  translate = toApplicationFailure,
): (input: I) => Promise<O> {
  return async (input) => {
    try {
      return await activity(input);
    } catch (error) {
      throw translate(error);
    }
  };
}

/**
 * Converts the error of a look-up. If this worker cannot call the service for the account, the activity is repeated, because
 * another worker may be able to.
 */
function toRepeated(error: unknown): unknown {
  if (!isPaysessionError(error) || !isGivenBack(error.code)) return toApplicationFailure(error);
  return ApplicationFailure.retryable(error.message, error.code);
}

/** Adds heartbeats to an activity, so that the Temporal server detects a lost worker while the activity runs. */
function alive<I, O>(activity: (input: I) => Promise<O>): (input: I) => Promise<O> {
  return (input) => withHeartbeats(HEARTBEAT_EVERY_MS, async () => activity(input));
}

async function lookUpCreate(
  { ledger, serviceOf }: ActivitiesOptions,
  { account, request, claim, isClaimed }: LookUpCreateInput,
): Promise<LookedUpCreate> {
  if (ledger === undefined) {
    // A retry may reach a worker that has the ledger.
    if (isClaimed === true) throw withoutLedger();
    return {};
  }
  const { info } = Context.current();
  checkWorkflowId(info, claim.key);
  const input = { account, request, claim };
  const known = await claimKeyOrThrow(ledger, { input, serviceOf, at: askedAt(info) });
  return known === undefined ? { onLedger: true } : { known, ...(known.onLedger && { onLedger: true }) };
}

/**
 * Cancels a session. Does not throw if the call fails, but returns the outcome `refused`. The workflow then reads the
 * details, and decides when to cancel again.
 */
async function cancelSession(
  service: PacedService,
  input: SessionInput,
  resume?: CancelResumer,
): Promise<CancelResult> {
  const workflowId = Context.current().info.workflowExecution?.workflowId;
  const onServiceBack = workflowId === undefined ? undefined : () => resume?.(workflowId);
  try {
    const options = { expected: input.expected, onServiceBack };
    return { outcome: 'answered', snapshot: await service.cancelSession(input.sessionId, options) };
  } catch (error) {
    if (error instanceof ServiceError) return { outcome: 'refused', failure: error.failure };
    throw error;
  }
}

async function findSession(service: PacedService, input: SessionInput): Promise<FindResult> {
  try {
    const found = await service.identifySession(input.sessionId, { expected: input.expected });
    return { outcome: 'found', checkoutUrl: service.checkoutUrl(input.sessionId), ...found };
  } catch (error) {
    if (error instanceof ServiceError) return { outcome: 'failed', failure: error.failure };
    throw error;
  }
}

/**
 * Claims a session of the payment service for a key, or only checks whether the key could claim it. If the worker has a
 * ledger, the ledger records a successful claim before the activity returns.
 *
 * If the ledger's answer is lost, it may have recorded the claim. The Temporal server then repeats the activity. Otherwise,
 * the workflow would continue without the session, and no other key could ever claim it.
 */
async function claimSession(
  { claims, ledger }: ActivitiesOptions,
  { sessionId, key, firstRunId, onlyLook = false, isClaimed }: ClaimInput,
): Promise<ClaimResult> {
  // A retry may reach a worker that has the ledger.
  if (ledger === undefined && isClaimed === true) throw withoutLedger();
  const { info } = Context.current();
  const asked = ledger?.followerOf(sessionId);
  // An earlier attempt may have recorded the claim.
  const mayBeRecorded = info.attempt > 1 && !onlyLook;
  const known = await (mayBeRecorded ? asked : answered(asked));
  if (known !== undefined && known !== key) return { followedBy: known };
  if (mayBeRecorded && known === key) return { onLedger: true };
  if (onlyLook) return (await claims?.preview(sessionId, key)) ?? {};
  const answer = (await claims?.claim(sessionId, key)) ?? {};
  if (ledger === undefined || !isFree(answer)) return answer;
  const adopting = ledger.adopt({ key, firstRunId }, { sessionId, at: askedAt(info) });
  const followedBy = await answered(adopting, { repeats: 'LEDGER_UNAVAILABLE' });
  return followedBy === undefined ? { ...answer, onLedger: true } : { followedBy };
}

/**
 * Returns the ledger's answer. If the ledger fails, throws an error after which the Temporal server does not repeat the
 * activity, because a person is waiting. Only after an error with the code `repeats`, the server repeats the activity.
 */
async function answered<T>(
  asked: Promise<T> | undefined,
  { repeats }: { readonly repeats?: ErrorCode } = {},
): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isPaysessionError(error) && error.code !== repeats)
      throw ApplicationFailure.nonRetryable(error.message, error.code);
    throw error;
  }
}
