import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { explain, isErrorCode } from '../errors';
import { endedWith } from '../protocol/state/ended';
import type { FailureDetails, PaymentSessionWorkflow } from '../protocol/state/session';
import { SessionFailedError } from './session-errors';

/** What an ended session still tells when no worker runs: read from the result or failure that the engine keeps. */
export type EndedSession = FailureDetails;

/** Reads an ended session; `undefined` while it runs. Throws `SessionFailedError` when it left nothing to read. */
export async function readEnded(
  key: string,
  handle: WorkflowHandle<PaymentSessionWorkflow>,
): Promise<EndedSession | undefined> {
  const { status } = await handle.describe();
  // One that continues as new just now goes on in its next run.
  if (status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW') return undefined;
  try {
    return endedWith(await handle.result());
  } catch (error) {
    const failed = toSessionFailed(key, error);
    if (failed?.state === undefined) throw failed ?? error;
    return { state: failed.state, stateHistory: failed.stateHistory };
  }
}

/** A workflow that failed, as the error that users catch; `undefined` for anything else. */
export function toSessionFailed(key: string, error: unknown): SessionFailedError | undefined {
  if (!(error instanceof WorkflowFailedError)) return undefined;
  const { cause } = error;
  if (!(cause instanceof ApplicationFailure) || cause.type == null || !isErrorCode(cause.type)) {
    const code = 'SESSION_TERMINATED';
    return new SessionFailedError(key, { code, message: explain(code) });
  }
  const details = cause.details?.[0] as FailureDetails | undefined;
  const failure = details?.state.failure ?? { code: cause.type, message: cause.message };
  return new SessionFailedError(key, failure, details?.state, details?.stateHistory);
}
