import { allHandlersFinished, CancellationScope, condition } from '@temporalio/workflow';
import { createAtService } from './create/create';
import { follow } from './follow/follow';
import { cancelWithWorkflow, registerHandlers } from './messages/handlers';
import type { SessionResult } from '../src/protocol/state/session';
import { tellFailure, tellParent, tellResult } from './notify';
import { publishingFailure } from './record/published';
import type { SessionRecord } from './record/session-record';
import { Session } from './session';
import type { PaymentSessionInput } from '../src/protocol/input';
import { checkInput, isContinued } from './messages/arguments';

/**
 * Runs one payment session: creates it at the payment service and follows it until it has ended. The workflow accepts
 * cancels until then, and answers queries for the session's state and the history of its states.
 *
 * Returns a `SessionResult` when the session has ended. If the session could not be created, fails with an application
 * failure whose type is an error code, for instance because the service rejected the request, the create was abandoned
 * or its deadline passed. Fails in the same way if the service denies a session that is being cancelled for an hour.
 */
export async function paymentSession(
  input: PaymentSessionInput,
  carried?: SessionRecord,
): Promise<SessionResult> {
  return publishingFailure(() => {
    checkInput(input);
    const session = new Session(input, isContinued() ? carried : undefined);
    session.announce();
    registerHandlers(session);
    cancelWithWorkflow(session);
    return CancellationScope.nonCancellable(() => run(session));
  });
}

async function run(session: Session): Promise<SessionResult> {
  void tellParent(session);
  try {
    await createAtService(session);
    await follow(session);
    const result = session.result();
    tellResult(session, result);
    return result;
  } catch (error) {
    tellFailure(session);
    throw error;
  } finally {
    if (session.closing()) await condition(allHandlersFinished);
  }
}
