import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
} from '@temporalio/workflow';
import type { CallFailure, SessionFailure } from '../src/errors/failures';
import { continueSuggested } from './per-run';
import type { Session } from './session';
import type { SessionResult } from '../src/protocol/state/session';
import type { SessionRecord } from './record/session-record';
import { isGivenBack } from '../src/protocol/activities';
import type { PaymentSessionInput } from '../src/protocol/input';
import { callFailureOf } from './activities';
import { givenBackMs, RELEASES_BEFORE_ERROR } from './back-off';

/**
 * Returns the end of the wait that the previous run had begun before it continued as new, in epoch milliseconds. It may be
 * past. Returns `undefined` if there is no such wait, or if only a worker without the account's credentials had asked for it.
 */
export const carriedWaitEndMs = ({ record: { trouble } }: Session): number | undefined =>
  trouble?.until === undefined || isGivenBack(trouble.code) ? undefined : Date.parse(trouble.until);

/** Waits on a durable timer. Ends early once `woken` returns true. Temporal's UI shows `summary` with the timer. */
export async function wait(milliseconds: number, woken: () => boolean, summary: string): Promise<void> {
  if (milliseconds > 0 && !woken()) await condition(woken, milliseconds, { summary });
}

/** Records a failed call, and waits before the next call. Ends the wait early once `woken` returns true. */
export async function waitAfter(
  session: Session,
  { failure, milliseconds }: { readonly failure: SessionFailure; readonly milliseconds: number },
  woken: () => boolean,
): Promise<void> {
  session.apply({ type: 'callFailed', failure });
  session.apply({ type: 'waits', untilMs: Date.now() + milliseconds });
  await wait(milliseconds, woken, `again after ${failure.code}`);
}

/** A call whose activity failed. */
export interface LostCall {
  readonly outcome: 'failed';
  readonly failure: CallFailure;
}

const lost = (error: unknown): LostCall => ({ outcome: 'failed', failure: callFailureOf(error) });

/**
 * Makes a call for which a caller waits. If a worker releases the call unsent, soon makes the call again, up to
 * `RELEASES_BEFORE_ERROR` times. Returns the last result. Stops early if the scope is cancelled or the session is closing.
 */
export async function untilTaken<T extends { readonly outcome: string; readonly failure?: CallFailure }>(
  session: Session,
  call: () => Promise<T>,
): Promise<T | LostCall> {
  for (let times = 1; ; times += 1) {
    const result: T | LostCall = await call().catch(lost);
    const code = result.failure?.code;
    if (!isGivenBack(code) || times === RELEASES_BEFORE_ERROR) return result;
    session.noteGivenBack();
    const waited = wait(givenBackMs(times, Math.random()), () => session.closing(), `again after ${code}`);
    const isCancelled = await waited.then(
      () => false,
      () => true,
    );
    if (isCancelled || session.closing()) return result;
  }
}

/** Work that has ended, or was interrupted. */
type Interruptible<T extends object> =
  | { readonly interrupted: false; readonly value: T }
  /** `late` resolves once the work has ended: with its result, or with `undefined` if it has none. */
  | { readonly interrupted: true; readonly late: Promise<T | undefined> };

/** The end of interruptible work: its result or its error. */
type WorkEnd<T> = { readonly value: T } | { readonly error: unknown };

/** Returns the result of ended work, or `undefined` if the work was cancelled. Throws the work's error. */
function valueOf<T>(end: WorkEnd<T>): T | undefined {
  if ('value' in end) return end.value;
  if (isCancellation(end.error)) return undefined;
  throw end.error;
}

/**
 * Waits for the end of `work`. Once `interrupted` returns true, cancels the work and returns without waiting for its
 * end.
 */
export async function interruptible<T extends object>(
  interrupted: () => boolean,
  work: () => Promise<T>,
): Promise<Interruptible<T>> {
  const scope = new CancellationScope();
  const progress: { end?: WorkEnd<T> } = {};
  const ended = scope.run(work).then(
    (value) => (progress.end = { value }),
    (error: unknown) => (progress.end = { error }),
  );
  await condition(() => progress.end !== undefined || interrupted());
  if (progress.end === undefined) {
    scope.cancel();
    return { interrupted: true, late: ended.then(valueOf) };
  }
  const value = valueOf(progress.end);
  return value === undefined
    ? { interrupted: true, late: Promise.resolve(undefined) }
    : { interrupted: false, value };
}

/**
 * Waits for the end of `work`. Once `interrupted` returns true, cancels the work, and still waits for its end. Returns
 * the work's result, or `undefined` if the work stopped without a result.
 */
export async function unlessInterrupted<T extends object>(
  interrupted: () => boolean,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const outcome = await interruptible(interrupted, work);
  return outcome.interrupted ? await outcome.late : outcome.value;
}

/** The workflow function as a continue-as-new calls it. The second argument is the previous run's record. */
type ContinuedWorkflow = (input: PaymentSessionInput, carried: SessionRecord) => Promise<SessionResult>;

/** True if the session should continue as new: the Temporal server suggests it, and the session is not about to end. */
export const shouldContinueAsNew = (session: Session): boolean => continueSuggested() && !session.closing();

/**
 * Continues as new. The new run gets the whole record, including a pending cancel. Before that, waiting callers get an
 * error that makes them ask the new run.
 */
export async function continueSession(session: Session): Promise<void> {
  session.continuing = true;
  await condition(allHandlersFinished);
  // The workflow takes its arguments undecoded. The empty `typeInfo` makes the SDK encode them as usual.
  await makeContinueAsNewFunc<ContinuedWorkflow>({ typeInfo: {} })(session.input, session.carriedRecord);
}
