import { isPaysessionError, type ErrorCode } from '../../../src/errors';
import type { Decision } from '../../../src/protocol/state/recorded';
import type { PaymentSessionHandle } from '../../../src/sessions';
import type { ActName } from './acts';

/** The result of an action. */
export interface ActResult {
  readonly act: ActName;
  readonly result: Decision['result'];
}

export interface ActOrder {
  readonly act: Exclude<ActName, 'reveal'>;
  readonly by: string;
  readonly reason: string;
  /** The form's own id. The Temporal server, too, does nothing twice for the same id. */
  readonly requestId: string;
  /** The session to adopt. */
  readonly sessionId: string;
}

/** Acts on a session. An error of the session, its worker or the Temporal server is a result that the page explains. */
export async function perform(session: PaymentSessionHandle, order: ActOrder): Promise<ActResult> {
  const { act } = order;
  try {
    return { act, result: await resultOf(session, order) };
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    return { act, result: error.code };
  }
}

async function resultOf(session: PaymentSessionHandle, order: ActOrder): Promise<Decision['result']> {
  const { act, requestId, sessionId, by, reason } = order;
  const decided = { by, reason, requestId };
  switch (act) {
    case 'refresh':
      await session.refresh(decided);
      return 'applied';
    case 'cancel':
      return (await session.cancelAndWait(decided)).outcome;
    case 'adopt':
      return lastDecision(await session.resolveCreate({ sessionId }, decided), order);
    case 'retry':
      return lastDecision(await session.resolveCreate({ retry: true }, decided), order);
    case 'abandon':
      return lastDecision(await session.resolveCreate({ abandon: true }, decided), order);
  }
}

/** The session carries out the decision, or says why not. */
function lastDecision(
  { decisions }: { readonly decisions: readonly Decision[] },
  { act }: Pick<ActOrder, 'act'>,
): 'applied' | ErrorCode {
  const result = decisions.findLast(({ decision }) => decision === act)?.result ?? 'applied';
  return result as 'applied' | ErrorCode;
}
