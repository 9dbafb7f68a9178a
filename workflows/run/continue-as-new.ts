import {
  allHandlersFinished,
  condition,
  makeContinueAsNewFunc,
  patched,
  workflowInfo,
} from '@temporalio/workflow';
import type { PaymentSessionInput } from '../../src/protocol/input/input';
import type { SessionResult } from '../../src/protocol/state/session';
import type { SessionRecord } from '../record/session-record';
import type { Session } from '../session';

/** The workflow function as it continues itself: its second argument is the record of the run before. */
export type ContinuedWorkflow = (
  input: PaymentSessionInput,
  carried: SessionRecord,
) => Promise<SessionResult>;

/** Since 0.1.1: a session that is followed continues as new at once. Before, it did when the activity had ended. */
const CONTINUE_AT_ONCE = 'continue-while-following';

/** Whether to break off a long wait, to continue as new. */
export const shouldContinue = (): boolean =>
  workflowInfo().continueAsNewSuggested && patched(CONTINUE_AT_ONCE);

/**
 * Continues as new when the engine suggests it; the record goes along whole, a pending cancel with it. Callers that wait are
 * sent away first, to ask the new run.
 */
export async function continueAsNewIfSuggested(session: Session): Promise<void> {
  if (!workflowInfo().continueAsNewSuggested || session.closing()) return;
  session.leave();
  await condition(allHandlersFinished);
  // Encoded as usual, although the run's own arguments are taken raw.
  await makeContinueAsNewFunc<ContinuedWorkflow>({ typeInfo: {} })(session.input, session.record);
}
