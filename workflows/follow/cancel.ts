import { defined } from '../../src/contract/values/json';
import { type CallFailure, withRemedy } from '../../src/errors/failures';
import type { Session } from '../session';
import { isGivenBack, type CancelResult, type FindResult } from '../../src/protocol/activities';
import { callFailureOf, cancelSession, findSession } from '../activities';
import { askedMs, backoffMs, givenBackMs } from '../back-off';
import { continueAsNewIfSuggested, interruptible, wait } from '../timers';

/** If every read of the details denies the session for this long, the service will not find the session any more. */
const UNKNOWN_FOR_MS = 60 * 60_000;
/** The longest wait between two cancels, whatever the service asks for. */
const LONGEST_WAIT_MS = 60_000;
/** The longest time between two denials that counts fully. A longer gap may only mean that no worker was running. */
const COUNTED_MS = 2 * LONGEST_WAIT_MS;

/**
 * Cancels an open session at the service, and repeats the request until the cancel is settled. If a request is refused
 * or fails, the session's details show the outcome. If they deny the session for an hour, throws the workflow's failure,
 * `SERVICE_SESSION_UNKNOWN`.
 */
export async function cancelAtService(session: Session): Promise<void> {
  let denied: Denials | undefined;
  for (let attempt = 1; session.cancelPending(); attempt += 1) {
    const answerRefresh = session.refreshes.pending ? session.beginRefresh() : undefined;
    const { failure, unread } = await askToCancel(session);
    if (!session.cancelPending()) return;
    answerRefresh?.(unread);
    const nowMs = Date.now();
    // Only the details say whether the service knows the session. The answer to the cancel does not.
    denied = isDenial(unread) ? denialsUntil(nowMs, denied) : undefined;
    if (denied !== undefined && denied.forMs >= UNKNOWN_FOR_MS) throw session.fail('SERVICE_SESSION_UNKNOWN');
    await waitFor(session, nextCancel(failure, { attempt, nowMs, random: Math.random() }));
    await continueAsNewIfSuggested(session);
  }
}

/** Reads of the details that have denied the session, without another answer between them. */
interface Denials {
  /** The time for which they count, in milliseconds. */
  readonly forMs: number;
  /** The time of the last one. */
  readonly atMs: number;
}

/** Adds a denial to those before it. Pure. */
export const denialsUntil = (
  nowMs: number,
  { forMs, atMs }: Denials = { forMs: 0, atMs: nowMs },
): Denials => ({
  forMs: forMs + Math.min(nowMs - atMs, COUNTED_MS),
  atMs: nowMs,
});

const isDenial = (failure: CallFailure | undefined): boolean => failure?.code === 'SERVICE_SESSION_UNKNOWN';

/** The failures of a cancel: `failure` is that of its last failed call, and `unread` that of reading the details. */
interface Unsettled {
  readonly failure?: CallFailure | undefined;
  readonly unread?: CallFailure | undefined;
}

/**
 * Cancels once, and reads the details if the request was refused or failed. Stops waiting once the cancel is settled: a
 * poll under way may have seen the session's end.
 */
async function askToCancel(session: Session): Promise<Unsettled> {
  const refusal = await called(session, 'cancel');
  if (refusal === undefined || !session.cancelPending()) return {};
  const unread = await called(session, 'poll');
  const isShown = unread === undefined && isDenial(refusal);
  const failure = isShown ? deniedThoughShown(refusal) : (unread ?? refusal);
  session.apply({ type: 'callFailed', failure });
  return { failure: unread ?? refusal, unread };
}

/**
 * Cancels or reads the details. Returns the failure of the call; `undefined` if the call succeeded, or if the cancel was
 * settled meanwhile.
 */
async function called(session: Session, source: 'cancel' | 'poll'): Promise<CallFailure | undefined> {
  const outcome = await interruptible(
    () => !session.cancelPending(),
    async () => ({ failure: await applyAnswer(session, source) }),
  );
  return outcome.interrupted ? undefined : outcome.value.failure;
}

async function applyAnswer(session: Session, source: 'cancel' | 'poll'): Promise<CallFailure | undefined> {
  const lookedAtMs = Date.now();
  try {
    const answer = await (source === 'cancel' ? callCancel(session) : readDetails(session));
    if ('failure' in answer) return answer.failure;
    session.apply({ type: 'seen', snapshot: answer.snapshot, source, lookedAtMs });
    return undefined;
  } catch (error) {
    return callFailureOf(error);
  }
}

function callCancel(session: Session): Promise<CancelResult> {
  const summary = `cancel, asked by ${session.record.cancel?.by ?? 'caller'}`;
  const options = { summary, ...session.dispatch };
  return cancelSession.executeWithOptions(options, [session.serviceSession()]);
}

function readDetails(session: Session): Promise<FindResult> {
  const options = { summary: 'details after a cancellation that was not accepted', ...session.dispatch };
  return findSession.executeWithOptions(options, [session.serviceSession()]);
}

/** Returns the failure if the service denies a session on cancel but shows it in the details. */
function deniedThoughShown({ status, problem }: CallFailure): CallFailure {
  const code = 'SERVICE_FAILED';
  const happened =
    'The payment service shows the session but answers its cancellation with 404: a gateway may lack that path.';
  return { code, message: withRemedy(code, happened), ...defined({ status, problem }) };
}

/** The time of the next cancel, and the earliest time to which a refresh may bring it forward. Epoch milliseconds. */
interface NextCancel {
  readonly atMs: number;
  readonly allowedAtMs: number;
}

/** Inputs for the time of the next cancel. */
interface CancelAttempt {
  /** The number of the attempt that has just been made, from 1. */
  readonly attempt: number;
  readonly nowMs: number;
  /** 0 to 1, for the jitter. */
  readonly random: number;
}

/** Returns when to cancel again after a request that did not settle the cancel. Pure. */
export function nextCancel(
  failure: Partial<CallFailure> = {},
  { attempt, nowMs, random }: CancelAttempt,
): NextCancel {
  const { code } = failure;
  const retryAfterMs = askedMs(failure);
  const waitMs = isGivenBack(code) ? givenBackMs(attempt, random) : backoffMs(attempt, random, retryAfterMs);
  return {
    atMs: nowMs + Math.min(waitMs, LONGEST_WAIT_MS),
    // While the account's calls are paused, the worker decides when a call may go, so the workflow adds no wait here.
    allowedAtMs: nowMs + (code === 'SERVICE_PAUSED' ? 0 : retryAfterMs),
  };
}

/** Waits for the time of the next cancel. A refresh brings it forward, as far as the service and the policy allow. */
async function waitFor(session: Session, { atMs, allowedAtMs }: NextCancel): Promise<void> {
  const { refreshes, policy } = session;
  const settled = () => !session.cancelPending();
  session.apply({ type: 'waits', untilMs: atMs });
  await wait(atMs - Date.now(), () => settled() || refreshes.pending, 'cancel again');
  if (settled() || !refreshes.pending) return;
  const refreshAtMs = Math.max(refreshes.notBeforeMs(policy.refreshSpacingMs), allowedAtMs);
  await wait(Math.min(refreshAtMs, atMs) - Date.now(), settled, 'cancel again, for a refresh');
}
