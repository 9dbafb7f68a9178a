import { allHandlersFinished, CancellationScope, condition } from '@temporalio/workflow';
import { createAtService } from './create/create';
import { follow } from './follow/follow';
import { cancelWithWorkflow, registerHandlers } from './messages/handlers';
import type { SessionResult } from '../src/protocol/state/session';
import { isFollowedByParent, recordFailure, recordResult, signalParent } from './notify';
import { publishingFailure } from './record/published';
import type { SessionRecord } from './record/session-record';
import { Session } from './session';
import type { PaymentSessionInput } from '../src/protocol/input';
import { checkInput, isContinued } from './messages/arguments';

/**
 * The workflow of one payment session: creates the session at the payment service, and follows it until it has ended.
 * Until then, the workflow accepts cancels. It answers queries for the session's state and for the history of its
 * states.
 *
 * Returns a `SessionResult` when the session has ended. If the session could not be created, the workflow fails with
 * an application failure whose type is an error code. For instance, the service rejected the request, a person
 * abandoned the create request, or the deadline has passed. The workflow also fails in this way if, during a
 * cancellation, the service says for an hour that it does not know the session.
 */
export function paymentSession(input: PaymentSessionInput, carried?: SessionRecord): Promise<SessionResult> {
  return publishingFailure(() => runSession(input, carried));
}

/** Runs a session as `paymentSession` does. The caller publishes the workflow's failure. */
export function runSession(
  input: PaymentSessionInput,
  carried: SessionRecord | undefined,
): Promise<SessionResult> {
  checkInput(input);
  const session = new Session(input, isContinued() ? carried : undefined);
  session.announce();
  registerHandlers(session);
  cancelWithWorkflow(session);
  return CancellationScope.nonCancellable(() => run(session));
}

async function run(session: Session): Promise<SessionResult> {
  if (isFollowedByParent()) void signalParent(session);
  try {
    await createAtService(session);
    await follow(session);
    const result = session.result();
    recordResult(session, result);
    return result;
  } catch (error) {
    recordFailure(session);
    throw error;
  } finally {
    if (session.closing() && !allHandlersFinished()) await condition(allHandlersFinished);
  }
}
