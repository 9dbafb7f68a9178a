import { WorkflowFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { ReportedCode, ReportedStatus } from '../../contract/statuses';
import { isErrorCode, type ErrorCode } from '../../errors';
import type { FailureDetails, PaymentSessionWorkflow } from '../../protocol/state/session';
import { readStoredInput, startOf } from '../stored-input';
import type { SessionOutcome } from '../list/list-sessions';
import { FINGERPRINT, fingerprintOf } from './prepare-start';
import { leftNothing, type Closed } from '../../protocol/state/ended';

/** How a session had ended that `start` found under its key. */
export interface SessionEnd {
  /** How its workflow closed, as in lists. `failed`: no session could be created. */
  readonly outcome: SessionOutcome;
  /** Whether the transaction is scheduled, as `paid` of a session's state. A regular EFT can come back afterwards. */
  readonly paid: boolean;
  /** The last status; absent where the session was never created. */
  readonly status?: ReportedStatus;
  /** The last code; absent where there is none. */
  readonly code?: ReportedCode;
  /** Why the workflow failed; only with the outcome `failed`. */
  readonly failure?: ErrorCode;
}

/** The newest run of the session that has a key. */
export interface KeyHolder {
  readonly runId: string;
  /** Tells its request from another for the same key; absent where its input is none. */
  readonly fingerprint: string | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
  /** Absent while it runs. */
  readonly end?: SessionEnd;
  /** Whether it has ended and certainly never was at the payment service, nor ever will be. */
  readonly leftNothing: boolean;
}

/** Looks at the session that has a key. Throws what the engine and the codecs answer. */
export async function lookAtHolder(client: Client, workflowId: string): Promise<KeyHolder> {
  const { runId, status, memo = {}, raw } = await client.workflow.getHandle(workflowId).describe();
  const firstRunId = raw.workflowExecutionInfo?.firstRunId;
  const known = memo[FINGERPRINT];
  const fingerprint = typeof known === 'string' ? known : await fingerprintOfInput(client, workflowId);
  const holder = { runId, fingerprint, memo };
  switch (status.name) {
    case 'RUNNING':
    case 'CONTINUED_AS_NEW':
      return { ...holder, leftNothing: false };
    case 'COMPLETED':
    case 'FAILED': {
      const closed = await readClosed(client, workflowId, runId);
      const isFree = leftNothing(closed) && (await tellsAll(client, { workflowId, runId, firstRunId }));
      return { ...holder, end: endOf(closed), leftNothing: isFree };
    }
    default:
      return { ...holder, end: { outcome: 'terminated', paid: false }, leftNothing: false };
  }
}

interface Run {
  readonly workflowId: string;
  readonly runId: string;
  /** The first run of all those that continued as new, or were reset. */
  readonly firstRunId: string | null | undefined;
}

/** A session continues as new a few times before it is created, at most. */
const MOST_RUNS = 20;

/**
 * Whether a run tells all that those before it have done: one that continued as new carries the record on, and one that was reset does
 * not know what the other has done after that point.
 */
async function tellsAll(client: Client, { workflowId, runId, firstRunId }: Run): Promise<boolean> {
  let run: string | null | undefined = runId;
  for (let count = 0; run && run !== firstRunId && count < MOST_RUNS; count += 1) {
    const started = await startOf(client, { workflowId, runId: run });
    if (started?.originalExecutionRunId !== run) return false;
    run = started.continuedExecutionRunId;
  }
  return run != null && run === firstRunId;
}

/** A session that another workflow or another SDK started has no fingerprint: its input tells as much. */
async function fingerprintOfInput(client: Client, workflowId: string): Promise<string | undefined> {
  const input = await readStoredInput(client, workflowId);
  return input && fingerprintOf(input);
}

/** Reads what a closed run has left; a terminated one has left a failure without a code. Throws what the engine and the codecs answer. */
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
