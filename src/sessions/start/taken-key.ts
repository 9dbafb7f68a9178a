/**
 * Starts a session under a key that may already have a session. Then reads the existing session, and attaches to it, replaces it or
 * refuses the start.
 */
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
import { wasNeverCreated, type Closed } from '../../protocol/state/ended';

/** Says whether a start attached to a session that the key already had, and how that session had ended. */
export interface StartAnswer {
  /**
   * True if the key already had a session with the same request. False if the start created a session. A session that has ended and was
   * certainly never created at the payment service is replaced, so `attached` is then false.
   */
  readonly attached: boolean;
  /** The end of the existing session. Absent if that session was running, or if the start created a session. */
  readonly end?: SessionEnd;
}

/** The end of a session that a `start` found under its key. */
export interface SessionEnd {
  /** The way in which the session's workflow closed, as in `SessionSummary`. */
  readonly outcome: SessionOutcome;
  /** True if the payor has done all that the payment needs; see `paid` of {@link SessionState}. A regular EFT can still come back. */
  readonly paid: boolean;
  /** The last status. Present only with the outcome `ended`. */
  readonly status?: ReportedStatus;
  /** The last code, if the session has one. Present only with the outcome `ended`. */
  readonly code?: ReportedCode;
  /** The error code of the workflow's failure, if the failure has one. Present only with the outcome `failed`. */
  readonly failure?: ErrorCode;
}

/** The answer of the call that started the session, or the outcome of the start if the key was taken. */
type Begun<T> = { readonly answer: T } | { readonly found: StartAnswer };

/**
 * Runs a call that starts a session, with the options of the start. If the key is taken, reads the key's session and decides:
 * - A session that has ended and was certainly never created at the payment service is replaced, even if the requests differ.
 * - To any other session with the same request, the start attaches.
 * - Any other session with another request is a conflict: throws `SessionConflictError`.
 *
 * Throws `PaysessionError` `TEMPORAL_BUSY` if other starts keep replacing the session. The deadline limits only the work after the call.
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
    return { found: await attachOrReplace(client, start, { deadline, taken: error }) };
  }
}

/**
 * Starts a session with search attributes, by which Temporal lists sessions. If the namespace refuses these attributes, starts the
 * session without them, and the session's workflow adds them later. A namespace refuses the attributes until about a minute after a
 * worker has registered them.
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

/** The maximum number of times that one start reads the key's session. Between two reads, another start may replace the session. */
const MAX_READS = 6;
/** The time limit for reading a key's session once, and then attaching to it or replacing it. */
const READ_AND_START_WITHIN_MS = 5_000;

async function attachOrReplace(
  client: Client,
  start: PreparedStart,
  { deadline, taken }: { readonly deadline: Pick<Deadline, 'endsAtMs'>; readonly taken: unknown },
): Promise<StartAnswer> {
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const withinMs = Math.min(READ_AND_START_WITHIN_MS, leftUntil(deadline));
    const found = await withTimeout(client, withinMs, async () => {
      const holder = await readHolder(client, start.options.workflowId);
      if (!holder.wasNeverCreated || isOwn(holder, start)) return attach(client, start, { holder, deadline });
      await replaceSession(client, start, holder);
      return undefined;
    });
    if (found !== undefined) return found;
  }
  throw failed('TEMPORAL_BUSY', taken);
}

/** Throws `SessionConflictError` if the session that has the key is for another request. Throws the errors of the Temporal server. */
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

/**
 * The longest time for reading the request of the key's session, which only the error's message needs. At most half of the caller's
 * remaining time is used.
 */
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
 * Starts a session in place of a session that was never created at the payment service. Several callers may try to replace the same run.
 * All of them send the same request id, so the Temporal server carries out only one of their calls. This holds even if the new session
 * has already ended when the last of these calls arrives.
 */
async function replaceSession(
  client: Client,
  start: PreparedStart,
  { runId, end }: KeyHolder,
): Promise<void> {
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
  /** The digest of the session's request and account. Absent if the workflow's input is not the input of a session. */
  readonly fingerprint: string | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
  /** Absent while the session runs. */
  readonly end?: SessionEnd;
  /** True if the session has ended, was certainly never created at the payment service, and never will be. */
  readonly wasNeverCreated: boolean;
}

/** Reads the session that has the key. Throws the errors of the Temporal server and the codecs. */
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
      return { ...holder, wasNeverCreated: false };
    case 'COMPLETED':
    case 'FAILED': {
      const closed = await readClosed(client, workflowId, runId);
      const neverCreated =
        wasNeverCreated(closed) && (await hasWholeRecord(client, { workflowId, runId, firstRunId }));
      return { ...holder, end: endOf(closed), wasNeverCreated: neverCreated };
    }
    default:
      return { ...holder, end: { outcome: 'terminated', paid: false }, wasNeverCreated: false };
  }
}

interface Run {
  readonly workflowId: string;
  readonly runId: string;
  /** The id of the workflow's first run. Equals `runId` if this run is the first. A continue-as-new or a reset begins a later run. */
  readonly firstRunId: string | null | undefined;
}

/** Temporal's mark on a run that the workflow itself began by a continue-as-new. */
const BY_WORKFLOW = temporal.api.enums.v1.ContinueAsNewInitiator.CONTINUE_AS_NEW_INITIATOR_WORKFLOW;

/** The maximum number of runs to check. A session rarely continues as new this often before it is created. */
const MOST_RUNS = 20;

/**
 * True if a run's record includes the records of all earlier runs. A continue-as-new passes the whole record to the next run. After a
 * reset, the record lacks everything that the earlier run did after the reset point. A run that a retry policy or a cron schedule began
 * has no earlier record.
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

/** Returns the start event of a run; `undefined` if the Temporal server has dropped the run. */
async function startUnlessDropped(client: Client, run: Parameters<typeof startOf>[1]) {
  try {
    return await startOf(client, run);
  } catch (error) {
    if (isAnswer(error, GRPC.NOT_FOUND)) return undefined;
    throw error;
  }
}

/** Computes the fingerprint from the stored input. The memo has no fingerprint if a workflow or another SDK started the session. */
async function fingerprintOfInput(client: Client, workflowId: string): Promise<string | undefined> {
  const input = await readStoredInput(client, workflowId);
  return input && fingerprintOf(input);
}

/**
 * Reads the outcome of a closed run: its result or its failure. The failure of a terminated run has no code. Throws the errors of the
 * Temporal server and the codecs.
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
