/** Starts under a key that may already have a session: reads that session's request and its end. */
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowFailedError } from '@temporalio/client';
import {
  InternalWorkflowStartOptionsSymbol,
  type InternalWorkflowStartOptions,
} from '@temporalio/client/lib/internal';
import { ApplicationFailure } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { ReportedCode, ReportedStatus } from '../../contract/statuses';
import { isErrorCode, SessionConflictError, type ErrorCode } from '../../errors';
import { WORKFLOW_TYPE } from '../../protocol/names';
import type { FailureDetails, PaymentSessionWorkflow } from '../../protocol/state/session';
import { GRPC, grpcAnswerOf, isAnswer } from '../../protocol/temporal/grpc';
import { leftUntil, withTimeout, type Deadline } from '../calls/deadlines';
import { failed } from '../calls/temporal-errors';
import type { SessionOutcome } from '../list/list-sessions';
import { differingPaths } from '../../protocol/input';
import { readStoredInput, startOf } from '../stored-start';
import {
  FINGERPRINT,
  fingerprintOf,
  type PreparedStart,
  type SessionStartOptions,
  STARTED_BY,
} from './prepare-start';
import { leftNothing, type Closed } from '../../protocol/state/ended';

/** Says whether a start attached to a session that the key already had, and how that session had ended. */
export interface StartAnswer {
  /**
   * True if the key already had a session with the same request. False if the start created a session, even in place of one that had ended
   * and was certainly never created at the payment service.
   */
  readonly attached: boolean;
  /** The end of that session; absent if it was running, or if the start created a session. */
  readonly end?: SessionEnd;
}

/** The end of a session that `start` found under its key. */
export interface SessionEnd {
  /** The way in which its workflow closed, as in lists. */
  readonly outcome: SessionOutcome;
  /** True if the payor has done all that the payment needs, as `paid` of {@link SessionState}. A regular EFT can still come back. */
  readonly paid: boolean;
  /** The last status; only with the outcome `ended`. */
  readonly status?: ReportedStatus;
  /** The last code; only with the outcome `ended`, if the session has one. */
  readonly code?: ReportedCode;
  /** The error code of the workflow's failure; only with the outcome `failed`, if the failure has one. */
  readonly failure?: ErrorCode;
}

/** The answer of the call that started the session, or the outcome of the start if the key was taken. */
type Begun<T> = { readonly answer: T } | { readonly found: StartAnswer };

/**
 * Runs a call that starts a session, and passes it the options of the start. If the key is taken, attaches to the key's session if both
 * have the same request. But if that session has ended and was certainly never created at the payment service, starts another one in its
 * place, with the same or another request. Throws `SessionConflictError` if the key belongs to another request, and `PaysessionError`
 * `TEMPORAL_BUSY` if other starts keep replacing the session. The deadline limits only the work after the call.
 */
export async function startUnlessTaken<T>(
  client: Client,
  start: PreparedStart,
  call: (options: SessionStartOptions) => Promise<T>,
  deadline: Pick<Deadline, 'endsAtMs'> = { endsAtMs: Infinity },
): Promise<Begun<T>> {
  try {
    return { answer: await withAttributes(start.options, call) };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return { found: await attachOrBeginAnew(client, start, { deadline, taken: error }) };
  }
}

/**
 * Starts a session with the search attributes of its input. If the namespace refuses them, starts the session without them, and its
 * workflow adds them. A namespace lacks them until a worker has registered them, and may refuse them for a minute more.
 */
export async function withAttributes<T, Options extends Pick<SessionStartOptions, 'typedSearchAttributes'>>(
  options: Options,
  start: (options: Options) => Promise<T>,
): Promise<T> {
  try {
    return await start(options);
  } catch (error) {
    if (!lacksAttributes(error)) throw error;
    return await start({ ...options, typedSearchAttributes: [] });
  }
}

function lacksAttributes(error: unknown): boolean {
  const answer = grpcAnswerOf(error);
  return answer?.code === GRPC.INVALID_ARGUMENT && /search attribute/i.test(answer.message);
}

/** The maximum number of times that one start reads a key. Between two reads, another start may replace the session. */
const MAX_READS = 6;
/** The time within which a start must read a key's session and attach to it or replace it. */
const READ_AND_START_WITHIN_MS = 5_000;

async function attachOrBeginAnew(
  client: Client,
  start: PreparedStart,
  { deadline, taken }: { readonly deadline: Pick<Deadline, 'endsAtMs'>; readonly taken: unknown },
): Promise<StartAnswer> {
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const withinMs = Math.min(READ_AND_START_WITHIN_MS, leftUntil(deadline));
    const found = await withTimeout(client, withinMs, async () => {
      const holder = await readHolder(client, start.options.workflowId);
      if (!holder.leftNothing || isOwn(holder, start)) return attach(client, start, { holder, deadline });
      await beginAnew(client, start, holder);
      return undefined;
    });
    if (found !== undefined) return found;
  }
  throw failed('TEMPORAL_BUSY', taken);
}

/** Throws `SessionConflictError` if the session that has the key is for another request, and the errors of the Temporal server. */
export async function refuseAnotherRequest(client: Client, start: PreparedStart): Promise<void> {
  const deadline = { endsAtMs: performance.now() + READ_AND_START_WITHIN_MS };
  await withTimeout(client, READ_AND_START_WITHIN_MS, async () => {
    const holder = await readHolder(client, start.options.workflowId);
    await attach(client, start, { holder, deadline });
  });
}

const isOwn = ({ memo }: KeyHolder, { mark }: PreparedStart): boolean => memo[STARTED_BY] === mark;

async function attach(
  client: Client,
  start: PreparedStart,
  { holder, deadline }: { readonly holder: KeyHolder; readonly deadline: Pick<Deadline, 'endsAtMs'> },
): Promise<StartAnswer> {
  if (isOwn(holder, start)) return { attached: false };
  if (holder.fingerprint !== start.fingerprint) throw await conflictOf(client, start, deadline);
  const { end } = holder;
  return { attached: true, ...(end !== undefined && { end }) };
}

/** The longest time for reading the earlier request, which only the error's message needs. Half of the time left is also a limit. */
const READ_WITHIN_MS = 2_000;

async function conflictOf(
  client: Client,
  { key, options: { workflowId, args } }: PreparedStart,
  deadline: Pick<Deadline, 'endsAtMs'>,
): Promise<SessionConflictError> {
  try {
    const withinMs = Math.min(READ_WITHIN_MS, leftUntil(deadline) / 2);
    const stored = await withTimeout(client, withinMs, () => readStoredInput(client, workflowId));
    return new SessionConflictError(key, stored && differingPaths(args[0], stored));
  } catch {
    // The other request may be encrypted with a key that this client lacks.
    return new SessionConflictError(key);
  }
}

/**
 * Starts a session in place of one that was never created at the payment service. All callers that replace the same run send the same
 * request id, so the Temporal server carries out only one of their calls. A new session that has started and ended meanwhile is therefore
 * not started again.
 */
async function beginAnew(client: Client, start: PreparedStart, { runId, end }: KeyHolder): Promise<void> {
  const reuse = end?.outcome === 'failed' ? 'ALLOW_DUPLICATE_FAILED_ONLY' : 'ALLOW_DUPLICATE';
  const once: Pick<InternalWorkflowStartOptions, typeof InternalWorkflowStartOptionsSymbol> = {
    [InternalWorkflowStartOptionsSymbol]: { requestId: `paysession-after-${runId}` },
  };
  try {
    await withAttributes(start.options, (options) =>
      client.workflow.start<PaymentSessionWorkflow>(WORKFLOW_TYPE, {
        ...options,
        ...once,
        workflowIdReusePolicy: reuse,
      }),
    );
  } catch (error) {
    // Another session has taken the key meanwhile.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** The newest run of the session that has a key. */
interface KeyHolder {
  readonly runId: string;
  /** Distinguishes the session's request from another for the same key; absent if the workflow's input is not a session's. */
  readonly fingerprint: string | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
  /** Absent while it runs. */
  readonly end?: SessionEnd;
  /** True if it has ended and was certainly never created at the payment service, and never will be. */
  readonly leftNothing: boolean;
}

/** Reads the session that has a key. Throws the errors of the Temporal server and the codecs. */
async function readHolder(client: Client, workflowId: string): Promise<KeyHolder> {
  const { runId, status, memo = {}, raw } = await client.workflow.getHandle(workflowId).describe();
  const firstRunId = raw.workflowExecutionInfo?.firstRunId;
  const known = memo[FINGERPRINT];
  const fingerprint = typeof known === 'string' ? known : await fingerprintOfInput(client, workflowId);
  const holder = { runId, fingerprint, memo };
  switch (status.name) {
    case 'RUNNING':
    case 'PAUSED':
    case 'CONTINUED_AS_NEW':
      return { ...holder, leftNothing: false };
    case 'COMPLETED':
    case 'FAILED': {
      const closed = await readClosed(client, workflowId, runId);
      const neverCreated =
        leftNothing(closed) && (await hasWholeRecord(client, { workflowId, runId, firstRunId }));
      return { ...holder, end: endOf(closed), leftNothing: neverCreated };
    }
    default:
      return { ...holder, end: { outcome: 'terminated', paid: false }, leftNothing: false };
  }
}

interface Run {
  readonly workflowId: string;
  readonly runId: string;
  /** The id of the workflow's first run. It is this run's id, unless a continue-as-new or a reset began this run. */
  readonly firstRunId: string | null | undefined;
}

/** The initiator of a run that the workflow itself began, by a continue-as-new. */
const BY_WORKFLOW = temporal.api.enums.v1.ContinueAsNewInitiator.CONTINUE_AS_NEW_INITIATOR_WORKFLOW;

/** A session rarely continues as new more often than this before it is created. */
const MOST_RUNS = 20;

/**
 * True if a run's record includes the records of all earlier runs. A run that a continue-as-new began takes the record over. A run that a
 * reset began lacks what the earlier run did after the reset point. A run that a retry policy or a cron schedule began has no record.
 */
async function hasWholeRecord(client: Client, { workflowId, runId, firstRunId }: Run): Promise<boolean> {
  let run: string | null | undefined = runId;
  for (let count = 0; run && run !== firstRunId && count < MOST_RUNS; count += 1) {
    const started = await startUnlessDropped(client, { workflowId, runId: run });
    if (started?.originalExecutionRunId !== run || started.initiator !== BY_WORKFLOW) return false;
    run = started.continuedExecutionRunId;
  }
  return run != null && run === firstRunId;
}

/** Returns how a run started; `undefined` if the Temporal server has dropped it. */
async function startUnlessDropped(client: Client, run: Parameters<typeof startOf>[1]) {
  try {
    return await startOf(client, run);
  } catch (error) {
    if (isAnswer(error, GRPC.NOT_FOUND)) return undefined;
    throw error;
  }
}

/** Computes the fingerprint from the stored input. The memo has none if a workflow or another SDK started the session. */
async function fingerprintOfInput(client: Client, workflowId: string): Promise<string | undefined> {
  const input = await readStoredInput(client, workflowId);
  return input && fingerprintOf(input);
}

/**
 * Reads the outcome of a closed run. A terminated run has a failure without a code. Throws the errors of the Temporal server and
 * the codecs.
 */
export async function readClosed(client: Client, workflowId: string, runId: string): Promise<Closed> {
  const run = client.workflow.getHandle<PaymentSessionWorkflow>(workflowId, runId, { followRuns: false });
  try {
    return { result: await run.result() };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    const type = cause instanceof ApplicationFailure ? cause.type : undefined;
    const failure = type != null && isErrorCode(type) ? type : undefined;
    const details = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
    return { failure, ...(details != null && { details: details as FailureDetails }) };
  }
}

function endOf(closed: Closed): SessionEnd {
  if ('result' in closed) {
    const { paid, status, code } = closed.result;
    return { outcome: 'ended', paid, status, ...(code !== undefined && { code }) };
  }
  const { failure } = closed;
  return { outcome: 'failed', paid: false, ...(failure !== undefined && { failure }) };
}
