import {
  type Client,
  isGrpcCancelledError,
  isGrpcDeadlineError,
  QueryNotRegisteredError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, NamespaceNotFoundError, ValueError } from '@temporalio/common';
import {
  ERROR_CODES,
  type ErrorCode,
  isErrorCode,
  isPaysessionError,
  PaysessionError,
  type SessionFailure,
  SessionNotFoundError,
  withRemedy,
} from '../../errors';
import { GRPC, grpcAnswerOf, isAnswer } from '../../protocol/temporal/grpc';
import { SessionFailedError } from '../session-errors';
import { TemporalTimeout, withTimeout } from './deadlines';

/**
 * Runs a call to the Temporal server, and converts its error to a paysession error where possible.
 *
 * If no answer comes and no client was passed, throws `TEMPORAL_UNAVAILABLE`. Pass a client if the call needs a worker. If no answer comes
 * then, the client checks whether the Temporal server answers at all: if it does, the error is `WORKER_UNAVAILABLE`, otherwise
 * `TEMPORAL_UNAVAILABLE`.
 */
export async function callTemporal<T>(key: string, call: () => Promise<T>, client?: Client): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const isUnanswered = isTimeout(error) && !isPaysessionError(error);
    if (isUnanswered && (client === undefined || !(await isTemporalThere(client))))
      throw failed('TEMPORAL_UNAVAILABLE', error);
    throw toPaysessionError(key, error);
  }
}

/** The time limit of a check whether the Temporal server answers. */
export const PROBE_MS = 1_000;

/** True if the Temporal server answers a call that needs no worker, even with an error. */
async function isTemporalThere(client: Client): Promise<boolean> {
  try {
    await withTimeout(client, PROBE_MS, () => client.workflowService.getSystemInfo({}));
    return true;
  } catch (error) {
    return !isTimeout(error) && !isAnswer(error, GRPC.UNAVAILABLE);
  }
}

/**
 * True if the Temporal server answered that it has no workflow with this id. Its index may still list the workflow, for instance after a
 * restore from a backup.
 */
export const isGone = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError || isAnswer(error, GRPC.NOT_FOUND);

/** Converts an error of Temporal's client to a paysession error. Returns an error without a counterpart unchanged. */
export function toPaysessionError(key: string, error: unknown): unknown {
  if (isPaysessionError(error)) return error;
  if (error instanceof WorkflowNotFoundError) return new SessionNotFoundError(key);
  if (error instanceof WorkflowUpdateFailedError) return fromUpdate(key, error);
  if (isTimeout(error)) return late(error);
  if (error instanceof NamespaceNotFoundError) return failed('TEMPORAL_REFUSED', error);
  if (error instanceof QueryNotRegisteredError) return unanswered(error);
  if (error instanceof ValueError) return failed('ENCRYPTION_KEY_MISSING', error);
  const answer = grpcAnswerOf(error);
  return answer === undefined ? error : fromGrpc(key, answer.code, error);
}

/**
 * True if a call to the Temporal server passed its deadline, or if its connection broke. If the server notices the deadline first, it
 * answers "cancelled".
 */
export function isTimeout(error: unknown): boolean {
  const isTimedOut =
    error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || error instanceof TemporalTimeout;
  return isTimedOut || isGrpcDeadlineError(error) || isGrpcCancelledError(error);
}

/** True if the Temporal server currently cannot accept a call, because the server or the workflow has too much to do. */
export const isTemporalBusy = (error: unknown): boolean => isAnswer(error, GRPC.RESOURCE_EXHAUSTED);

/**
 * True if the Temporal server has dropped an update that the session has not seen. Its workflow task failed, or ended without an answer to
 * the update. For instance, a worker that takes a session over may miss an update.
 */
export function isLostUpdate(error: unknown): boolean {
  const isDropped = isAnswer(error, GRPC.FAILED_PRECONDITION, 'workflow task failure');
  return isDropped || typeOfFailedUpdate(error) === 'UnprocessedUpdate';
}

/** True if a run accepted an update, but ended or was reset before it answered. */
export function isCutOffUpdate(error: unknown): boolean {
  return typeOfFailedUpdate(error) === 'AcceptedUpdateCompletedWorkflow';
}

/**
 * True if a run has already received as many updates as the Temporal server allows. This is rare: the server suggests earlier that the
 * session continues as new.
 */
const isUpdateLimit = (error: unknown): boolean =>
  isAnswer(error, GRPC.FAILED_PRECONDITION, 'total number of distinct updates');

/**
 * True if the Temporal server refused an update. The server limits the number of running updates, and the total number of a run's updates.
 */
export const isRefusedUpdate = (error: unknown): boolean =>
  [GRPC.INVALID_ARGUMENT, GRPC.RESOURCE_EXHAUSTED, GRPC.FAILED_PRECONDITION].some((code) =>
    isAnswer(error, code),
  );

/** True if an update may never be carried out: the Temporal server refused it, or no worker answered it in time. */
export function isUntaken(error: unknown): boolean {
  return isTimeout(error) || isRefusedUpdate(error) || error instanceof NoWorkerError;
}

/** True if the Temporal server accepts no more signals for a workflow's run, because the number of a run's signals is limited. */
export const isSignalLimit = (error: unknown): boolean =>
  isAnswer(error, GRPC.INVALID_ARGUMENT, 'limit for signal');

/** Returns the error code with which the session refused an update; `undefined` for any other error. */
export function refusalCode(error: unknown): ErrorCode | undefined {
  const code = typeOfFailedUpdate(error);
  return code !== undefined && isErrorCode(code) ? code : undefined;
}

/**
 * Returns the failure type of a failed update. If the session refused the update, the type is an error code. Otherwise, it is a type of
 * the Temporal server.
 */
function typeOfFailedUpdate(error: unknown): string | undefined {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? (cause.type ?? undefined) : undefined;
}

/** Returns the error for a failed update. If the session refused the update, the failure's type is an error code. */
function fromUpdate(key: string, error: WorkflowUpdateFailedError): unknown {
  const code = refusalCode(error);
  const { cause } = error;
  if (code === undefined || !(cause instanceof ApplicationFailure)) return error;
  const failure = cause.details?.[0] as SessionFailure | undefined;
  return new SessionFailedError(key, failure ?? { code, message: cause.message });
}

function fromGrpc(key: string, code: number, error: unknown): PaysessionError {
  switch (code) {
    case GRPC.UNAVAILABLE:
      return failed('TEMPORAL_UNAVAILABLE', error);
    case GRPC.NOT_FOUND:
      return new SessionNotFoundError(key);
    case GRPC.FAILED_PRECONDITION:
      return failed(isUpdateLimit(error) ? 'SESSION_UPDATE_LIMIT' : 'WORKER_UNAVAILABLE', error);
    case GRPC.RESOURCE_EXHAUSTED:
      return failed('TEMPORAL_BUSY', error);
    default:
      return failed('TEMPORAL_REFUSED', error);
  }
}

/** Returns the error for a failed query. Temporal's client reports every failed query as `QueryNotRegisteredError`. */
function unanswered(cause: QueryNotRegisteredError): PaysessionError {
  const message = `A worker could not answer for the session (${cause.message}). The worker’s log says why.`;
  return new PaysessionError('WORKER_UNAVAILABLE', message, { cause });
}

/** Returns the error for a call that a worker did not answer in time. A worker may still be carrying the call out. */
function late(cause: unknown): PaysessionError {
  const { meaning, remedy } = ERROR_CODES.WORKER_UNAVAILABLE;
  const busy = 'If one is running, it is busy or waits for the payment service: try again later.';
  return new PaysessionError('WORKER_UNAVAILABLE', `${meaning} ${busy} If none is running: ${remedy}`, {
    cause,
  });
}

/** Returns an error whose message says what the code means and what to do next. */
export function failed(code: ErrorCode, cause: unknown): PaysessionError {
  const { meaning } = ERROR_CODES[code];
  // The message of `NoWorkerError` describes the workers, which helps more than the general remedy.
  if (cause instanceof NoWorkerError)
    return new PaysessionError(code, `${meaning} ${cause.message}`, { cause });
  const details = code === 'TEMPORAL_REFUSED' && cause instanceof Error ? ` (${cause.message})` : '';
  return new PaysessionError(code, withRemedy(code, `${meaning}${details}`), { cause });
}

/** A task queue whose sessions are not sent to any worker. */
export interface UnservedQueue {
  readonly taskQueue: string;
  readonly namespace: string;
  /** The reason why the queue's workers get no sessions, and the fix. `undefined` if no worker has polled the queue recently. */
  readonly why: IdleReason | undefined;
}

/** The reason why workers get no sessions, and the fix. `found` is the middle of a message, and `fix` is its end. */
export interface IdleReason {
  readonly found: string;
  readonly fix: string;
}

/** `WORKER_UNAVAILABLE`: no worker gets the session's tasks, so the session cannot answer. */
export class NoWorkerError extends PaysessionError {
  constructor({ taskQueue, namespace, why }: UnservedQueue) {
    const code = 'WORKER_UNAVAILABLE';
    const name = `the task queue "${taskQueue}" of the namespace "${namespace}"`;
    super(
      code,
      why === undefined
        ? withRemedy(code, `No worker polls ${name}: the session waits.`)
        : `The workers of ${name} get no sessions: ${why.found}. The session waits. ${why.fix}`,
    );
  }
}
