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

/** Payment sessions from your own workflows: `import { runPaymentSession } from 'paysession/workflows'`. */

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
   * Called with the session's state after each change, one call at a time. Changes that come close together arrive as
   * one. The result, not this function, reports the end. The function may do whatever a signal handler may, including
   * activities. An `ApplicationFailure` that it throws fails your workflow. Each call costs a signal.
   */
  readonly onChange?: OnChange;
}

/** A session that continues on its own. */
export interface StartedPaymentSession {
  /** The session's key. */
  readonly key: string;
  /**
   * Waits for the session's end and returns its result.
   *
   * @throws `ChildWorkflowFailure` whose cause's type is an error code, if the session fails
   * @throws a cancellation (`isCancellation`) at once if the scope that started the session is cancelled; the session
   * continues
   */
  result(): Promise<SessionResult>;
}

/**
 * Runs a payment session as a child and waits for its end. Cancelling the calling scope cancels the session. The call
 * still returns the session's true end, such as `Completed` if the payor was faster. A session that waits only for the
 * PAD signature can no longer be cancelled: it usually ends with the signature or at its deadline. A parked session is
 * cancelled after the decision; until then, the call waits. If the calling workflow closes before the session ends, the
 * session is cancelled too, because no workflow is left to act on its result.
 *
 * @throws `ChildWorkflowFailure` whose cause's type is an error code, if the session fails, usually because it could
 * not be created; the type is `SESSION_CONFLICT` if only the ledger still knows the key
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
 * Starts a payment session as a child and returns once it has started. The session continues when the calling workflow
 * closes or is cancelled. {@link cancelPaymentSession} cancels it.
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
 * Cancels a session by its key, even if another caller started it. Returns once Temporal has accepted the
 * cancellation. The session records the name and the reason of `decidedBy` in its `decisions`, unless they are full or
 * the run has already received as many signals as Temporal accepts.
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
 * Cancels a running session by a signal. A run that accepts no more signals still accepts a cancel of its workflow,
 * which cancels the session.
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
 * True if the Temporal server accepts no more signals for the run. Only the message shows that, since the SDK has no type
 * for this error.
 */
const isSignalLimit = (error: unknown): boolean =>
  error instanceof ApplicationFailure && /signal limit/i.test(error.message);

/**
 * Reads a session's state by its key, even if another caller started it. Workflows cannot query each other, so an
 * activity of the payment worker reads it. With a ledger, that worker also reports sessions that Temporal has
 * dropped.
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

/** Returns the options of a child workflow, which starts only if its key is not taken. */
function childOptions(
  input: PaymentSessionInput,
  { taskQueue = DEFAULT_TASK_QUEUE, onChange }: RunSessionOptions,
) {
  // With some keys, such as one that is too long for a workflow id, the workflow task would fail for ever.
  refuseFailures(keyFailures(input.key));
  const isValid = inputFailures(input, requestShapeFailures).length === 0;
  return {
    workflowId: workflowIdOf(input.key),
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    taskQueue,
    args: [input],
    // The session refuses an invalid input, so the input adds nothing to Temporal's search.
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
    // A child never attaches, not even with the same request.
    const message = `The key "${key}" belongs to another payment session. Use a new key for a new payment.`;
    throw ApplicationFailure.nonRetryable(message, SESSION_CONFLICT);
  }
}

/** The listener for changes of a session that this workflow has started. */
interface Listener {
  readonly key: string;
  readonly onChange: OnChange;
  /** The last revision that the listener received. */
  revision: number;
  /** Settles once the listener has handled all changes that it received. */
  handled: Promise<void>;
}

const listenersOfRun = perRun(() => new Set<Listener>());

const changedSignal = defineSignal<[SessionState]>(CHANGED_SIGNAL);

/**
 * Runs the function that starts a session and waits for its end. Meanwhile, calls `onChange` for one change at a time.
 * Returns after `onChange` has handled all changes that were received.
 */
async function withListener<T>(
  key: string,
  onChange: OnChange | undefined,
  run: () => Promise<T>,
): Promise<T> {
  if (onChange === undefined) return run();
  const listeners = listenersOfRun();
  const listener: Listener = { key, onChange, revision: 0, handled: Promise.resolve() };
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
  const { key, revision = 0 } = state;
  // A session that continued as new sends its state again: an equal revision is ignored. A session that was reset counts
  // from an earlier revision: a lower revision is a change.
  const receivers = [...listenersOfRun()].filter(
    (listener) => listener.key === key && listener.revision !== revision,
  );
  await Promise.all(
    receivers.map((listener) => {
      listener.revision = revision;
      // A cancel of the workflow does not stop this call: an error in a signal handler would end the workflow before
      // its session.
      listener.handled = listener.handled.then(() =>
        CancellationScope.nonCancellable(async () => listener.onChange(state)),
      );
      return listener.handled;
    }),
  );
}
