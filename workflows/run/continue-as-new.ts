import { allHandlersFinished, condition, makeContinueAsNewFunc, workflowInfo } from '@temporalio/workflow';
import type { SessionResult } from '../../src/protocol/state/session';
import type { SessionRecord } from '../record/session-record';
import type { Session } from '../session';
import type { PaymentSessionInput } from '../../src/protocol/input';

/** The workflow function as it continues itself: its second argument is the record of the run before. */
export type ContinuedWorkflow = (
  input: PaymentSessionInput,
  carried: SessionRecord,
) => Promise<SessionResult>;

/** Whether to break off a long wait, to continue as new. */
export const shouldContinue = (): boolean => workflowInfo().continueAsNewSuggested;

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
