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
 * Runs one payment session. Creates it at the payment service and follows it with durable timers until it has really
 * ended. It can be cancelled at any moment, and answers at any time with the history of its states.
 *
 * Ends with a `SessionResult` when the session ended (`Completed`, `Failed`, `Cancelled`, `Expired`). Fails with an
 * application failure whose type is an error code if no session was created, for instance because the service rejected
 * the request, the create was abandoned or its deadline passed. Also fails if the service denies the session for an hour
 * while it is being cancelled.
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
