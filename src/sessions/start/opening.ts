/** Starting a session and waiting until it is opened. */
import { WithStartWorkflowOperation, type Client } from '@temporalio/client';
import { sharedUpdateId } from '../../protocol/messages/shared-update';
import { MESSAGES, WORKFLOW_TYPE } from '../../protocol/names';
import type { OpenedSession, PaymentSessionWorkflow } from '../../protocol/state/session';
import { isCutOffUpdate, isLostUpdate, refusalCode } from '../calls/engine-errors';
import type { SessionCalls } from '../calls/session-calls';
import { isOfBefore, leftUntil, openedBefore, untilOpened } from '../calls/waiting';
import type { PreparedStart } from './prepare-start';
import { foundBy, marked, type StartAnswer, startUnlessTaken } from './taken-key';

/** An opened session, and what the start found under its key, where that is known. */
interface Opening {
  readonly opened: OpenedSession;
  readonly started: StartAnswer | undefined;
}

/** Starts a session, or attaches to the one that has the key, and waits until it is opened. */
export async function startAndOpen(calls: SessionCalls, start: PreparedStart): Promise<Opening> {
  const endsAtMs = performance.now() + calls.timeouts.openTimeoutMs;
  const own = marked(start);
  const asked = await untilOpened(calls, calls.timeouts.openTimeoutMs, (timeoutMs) =>
    openAtOnce(calls, own, timeoutMs),
  );
  const opened = asked.opened ?? (await openedBefore(calls, endsAtMs));
  return { opened, started: asked.started ?? (await foundBy(calls.client, own)) };
}

/** Lacks `opened` where the session is to be asked once more. */
async function openAtOnce(
  calls: SessionCalls,
  start: PreparedStart,
  timeoutMs: number,
): Promise<Partial<Opening>> {
  const askedAtMs = performance.now();
  const endsAtMs = askedAtMs + timeoutMs;
  try {
    const begun = await startUnlessTaken(calls.client, start, (options) =>
      calls.whileWorkerPolls(leftUntil(endsAtMs), () =>
        startAndAwaitOpened(calls.client, { ...start, options }),
      ),
    );
    return 'answer' in begun ? { opened: begun.answer } : { started: begun.found };
  } catch (error) {
    if (!isUnsettled(error) && !isOfBefore(error, askedAtMs)) throw error;
    return {};
  }
}

/**
 * Starts the session and waits until it is opened, in one round trip. The engine joins updates of one id, also those of
 * callers with another request for the key: the request's fingerprint in the id keeps those apart, who learn of the
 * conflict.
 */
function startAndAwaitOpened(
  client: Client,
  { options, fingerprint }: PreparedStart,
): Promise<OpenedSession> {
  const startWorkflowOperation = new WithStartWorkflowOperation<PaymentSessionWorkflow>(
    WORKFLOW_TYPE,
    options,
  );
  return client.workflow.executeUpdateWithStart<PaymentSessionWorkflow, OpenedSession, []>(
    MESSAGES.awaitOpened,
    { startWorkflowOperation, updateId: sharedUpdateId(fingerprint) },
  );
}

/** Whether an update that many share tells nothing of the session now: it was dropped, cut off, or settled before. */
function isUnsettled(error: unknown): boolean {
  const code = refusalCode(error);
  const isDropped = isLostUpdate(error) || isCutOffUpdate(error);
  return isDropped || code === 'CREATE_OUTCOME_UNKNOWN' || code === 'SESSION_CONTINUED';
}
