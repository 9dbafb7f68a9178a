import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  defineSignal,
  executeChild,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  setHandler,
  startChild,
  type ChildWorkflowOptions,
  type ExternalWorkflowHandle,
} from '@temporalio/workflow';
import type { PaymentActivities } from '../src/protocol/activities';
import type { ErrorCode } from '../src/errors/codes';
import { cancelSignal } from './messages/definitions';
import type { DecidedBy } from '../src/protocol/decisions';
import {
  CHANGED_SIGNAL,
  DEFAULT_TASK_QUEUE,
  TELLS_PARENT,
  WORKFLOW_TASK_TIMEOUT,
  WORKFLOW_TYPE,
  workflowIdOf,
} from '../src/protocol/names';
import {
  inputFailures,
  keyFailures,
  requestShapeFailures,
  type PaymentSessionInput,
} from '../src/protocol/input';
import { startAttributes, startMemo, startSummary } from '../src/protocol/temporal/visibility';
import type { PaymentSessionWorkflow, SessionResult, SessionState } from '../src/protocol/state/session';
import { withRemedy } from '../src/errors/failures';
import { checkDecidedBy, refuseFailures } from './messages/arguments';
import { perRun } from './per-run';

/**
 * Functions with which your own workflows run payment sessions:
 * `import { runPaymentSession } from 'paysession/workflows'`.
 */

const SESSION_CONFLICT: ErrorCode = 'SESSION_CONFLICT';
const SESSION_NOT_FOUND: ErrorCode = 'SESSION_NOT_FOUND';

/** Options of the functions that start or read a session. */
export interface ChildSessionOptions {
  /** The task queue that the payment workers poll. @default 'payment-sessions' */
  readonly taskQueue?: string;
}

/** Called with a session's state after a change. */
export type OnChange = (state: SessionState) => void | Promise<void>;

/** Options of `runPaymentSession`. */
export interface RunSessionOptions extends ChildSessionOptions {
  /**
   * Called with the session's state after each change, one call at a time. Several changes in quick succession arrive as
   * one call. It is not called for the end of the session, which the result reports.
   *
   * The function may do everything that a signal handler may do, including activities. If it throws an
   * `ApplicationFailure`, your workflow fails. Each call costs one signal.
   */
  readonly onChange?: OnChange;
}

/** A session that `startPaymentSession` has started. It continues even if your workflow closes. */
export interface StartedPaymentSession {
  /** The session's key. */
  readonly key: string;
  /**
   * Waits for the session's end and returns its result.
   *
   * @throws `ChildWorkflowFailure` whose cause's type is an error code, if the session fails
   * @throws a cancellation (see `isCancellation`) at once if the scope that started the session is cancelled. The session
   * continues.
   */
  result(): Promise<SessionResult>;
}

/**
 * Runs a payment session as a child workflow and waits for the session's end.
 *
 * If the calling scope is cancelled, the session is cancelled. The call still returns the session's true end, such as
 * `Completed` if the payor was faster. Two kinds of session do not end at once:
 * - A session that waits only for the PAD signature cannot be cancelled. It usually ends with the signature or at its
 *   deadline.
 * - A parked session, whose create request has an unknown outcome, is cancelled after an operator's decision.
 *
 * If the calling workflow closes before the session ends, the session is cancelled too, because no workflow is left to
 * act on the session's result.
 *
 * @throws `ChildWorkflowFailure` whose cause's type is an error code, if the session fails. Most of these sessions could
 * not be created. The type is `SESSION_CONFLICT` if the key is taken and only the ledger still knows it.
 * @throws `ApplicationFailure` of type `SESSION_CONFLICT` if the key is taken
 * @throws `ApplicationFailure` of type `INVALID_INPUT` if the key is invalid
 *
 * @example
 * ```ts
 * export async function order(id: string, request: PaymentSessionInput['request']): Promise<boolean> {
 *   const { paid } = await runPaymentSession({ key: id, request });
 *   return paid;
 * }
 * ```
 */
export async function runPaymentSession(
  input: PaymentSessionInput,
  options: RunSessionOptions = {},
): Promise<SessionResult> {
  const run = {
    ...childOptions(input, options),
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
  };
  return withListener(input.key, options.onChange, () =>
    refusingTakenKeys(input.key, () => executeChild<PaymentSessionWorkflow>(WORKFLOW_TYPE, run)),
  );
}

/**
 * Starts a payment session as a child workflow, and returns once the session has started. The session continues if the
 * calling workflow closes or is cancelled. To cancel it, use {@link cancelPaymentSession}.
 *
 * @throws `ApplicationFailure` of type `SESSION_CONFLICT` if the key is taken
 * @throws `ApplicationFailure` of type `INVALID_INPUT` if the key is invalid
 *
 * @example
 * ```ts
 * const payment = await startPaymentSession({ key: 'order-1042', request });
 * // Other work of the workflow, then:
 * const { paid } = await payment.result();
 * ```
 */
export async function startPaymentSession(
  input: PaymentSessionInput,
  options: ChildSessionOptions = {},
): Promise<StartedPaymentSession> {
  const start = {
    ...childOptions(input, options),
    parentClosePolicy: ParentClosePolicy.ABANDON,
    cancellationType: ChildWorkflowCancellationType.ABANDON,
  };
  const child = await refusingTakenKeys(input.key, () =>
    startChild<PaymentSessionWorkflow>(WORKFLOW_TYPE, start),
  );
  return { key: input.key, result: () => child.result() };
}

/**
 * Cancels a session by its key, even if another caller started it. Returns once Temporal has accepted the cancellation.
 * The session records the name and the reason of `decidedBy` in its `decisions`. It cannot record them if its `decisions`
 * are full, or if its run has already received as many signals as Temporal accepts.
 *
 * @throws `ApplicationFailure` of type `SESSION_NOT_FOUND` if no running session has the key
 * @throws `ApplicationFailure` of type `INVALID_INPUT` if the key, the name or the reason is invalid
 *
 * @example
 * ```ts
 * await cancelPaymentSession('order-1042');
 * ```
 */
export async function cancelPaymentSession(key: string, decidedBy?: DecidedBy): Promise<void> {
  refuseFailures(keyFailures(key));
  checkDecidedBy(decidedBy);
  try {
    await cancelRunning(getExternalWorkflowHandle(workflowIdOf(key)), decidedBy);
  } catch (error) {
    if (isCancellation(error)) throw error;
    const message = withRemedy(SESSION_NOT_FOUND, `No running payment session has the key "${key}".`);
    throw ApplicationFailure.nonRetryable(message, SESSION_NOT_FOUND);
  }
}

/**
 * Cancels a running session by a signal. If the run accepts no more signals, cancels the workflow instead, which also
 * cancels the session.
 */
async function cancelRunning(session: ExternalWorkflowHandle, decidedBy?: DecidedBy): Promise<void> {
  try {
    await session.signal(cancelSignal, ...(decidedBy === undefined ? [] : [decidedBy]));
  } catch (error) {
    if (!isSignalLimit(error)) throw error;
    await session.cancel();
  }
}

/**
 * True if the Temporal server accepts no more signals for the run. The SDK has no type for this error, so the message is
 * compared.
 */
const isSignalLimit = (error: unknown): boolean =>
  error instanceof ApplicationFailure && /signal limit/i.test(error.message);

/**
 * Reads a session's state by its key, even if another caller started the session. Workflows cannot query each other, so
 * an activity of the payment worker reads the state. If that worker has a ledger, the activity also finds a session that
 * Temporal has dropped.
 *
 * @throws `ActivityFailure` whose cause's type is an error code, such as `SESSION_NOT_FOUND` if the key is unknown
 *
 * @example
 * ```ts
 * const { phase, paid } = await readPaymentSession('order-1042');
 * ```
 */
export function readPaymentSession(key: string, options: ChildSessionOptions = {}): Promise<SessionState> {
  const { readSession } = proxyActivities<Pick<PaymentActivities, 'readSession'>>({
    taskQueue: options.taskQueue ?? DEFAULT_TASK_QUEUE,
    startToCloseTimeout: '30s',
    retry: { maximumInterval: '10s' },
  });
  return readSession.executeWithOptions({ summary: 'read payment session' }, [{ key }]);
}

/**
 * Returns the options of a session's child workflow. With these options, the child starts only if its key is not taken.
 */
function childOptions(
  input: PaymentSessionInput,
  { taskQueue = DEFAULT_TASK_QUEUE, onChange }: RunSessionOptions,
) {
  // With an invalid key, such as a key that is too long for a workflow id, the workflow task would fail for ever.
  refuseFailures(keyFailures(input.key));
  const isValid = inputFailures(input, requestShapeFailures).length === 0;
  return {
    workflowId: workflowIdOf(input.key),
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    taskQueue,
    args: [input],
    // The session will refuse an invalid input, so search attributes and summary are left out.
    typedSearchAttributes: isValid ? startAttributes(input) : [],
    ...(isValid && { staticSummary: startSummary(input.request) }),
    memo: {
      ...(isValid && startMemo(input.request)),
      ...(onChange !== undefined && { [TELLS_PARENT]: true }),
    },
  } satisfies ChildWorkflowOptions & { args: [PaymentSessionInput] };
}

async function refusingTakenKeys<T>(key: string, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'WorkflowExecutionAlreadyStartedError') throw error;
    // Unlike a start by a client, a child never attaches to an existing session, even if the request is the same.
    const message = `The key "${key}" belongs to another payment session. Use a new key for a new payment.`;
    throw ApplicationFailure.nonRetryable(message, SESSION_CONFLICT);
  }
}

/** The `onChange` function for one session that this workflow has started. */
interface Listener {
  readonly key: string;
  readonly onChange: OnChange;
  /** Identifies the last state that the listener received. */
  last?: string;
  /** Settles once the listener has handled all received changes. */
  handled: Promise<void>;
}

const listenersOfRun = perRun(() => new Set<Listener>());

const changedSignal = defineSignal<[SessionState]>(CHANGED_SIGNAL);

/**
 * Calls `run`, which starts a session and waits for its end. Until then, calls `onChange` for each received change, one
 * at a time. Returns after `onChange` has handled all received changes.
 */
async function withListener<T>(
  key: string,
  onChange: OnChange | undefined,
  run: () => Promise<T>,
): Promise<T> {
  if (onChange === undefined) return run();
  const listeners = listenersOfRun();
  const listener: Listener = { key, onChange, handled: Promise.resolve() };
  listeners.add(listener);
  setHandler(changedSignal, receiveChange);
  try {
    return await run();
  } finally {
    await listener.handled;
    listeners.delete(listener);
  }
}

async function receiveChange(state: SessionState): Promise<void> {
  const { key, revision = 0, phase, parks } = state;
  // A session that continued as new sends its state again, which is ignored. A session that was reset counts its revisions
  // again from an earlier one, so the same revision may be another state: usually the wait for a decision about the reset.
  const sent = `${revision} ${phase} ${parks?.at(-1)?.id ?? ''}`;
  const receivers = [...listenersOfRun()].filter(({ key: own, last }) => own === key && last !== sent);
  await Promise.all(
    receivers.map((listener) => {
      listener.last = sent;
      // A cancel of the workflow must not stop this call. Otherwise, the error in the signal handler would end the
      // workflow before its session.
      listener.handled = listener.handled.then(() =>
        CancellationScope.nonCancellable(async () => listener.onChange(state)),
      );
      return listener.handled;
    }),
  );
}
