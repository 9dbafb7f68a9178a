import { MESSAGES } from '../../protocol/names';
import type { CancelReply } from '../../protocol/state/session';
import type { DecidedBy } from '../../protocol/messages/decided-by';
import { decidedByOf } from '../decided-by';
import { failed, isUntaken } from './engine-errors';
import type { SessionCalls } from './session-calls';

/** Options of `cancelAndWait`; who cancels and why is kept in the session's `decisions`. */
export interface CancelOptions extends DecidedBy {
  /** How long to wait for the answer, in milliseconds. @default `updateTimeoutMs` of `PaymentSessions` */
  readonly timeoutMs?: number;
  /** Your own id for this cancel. @default a new one */
  readonly requestId?: string;
}

/** Cancels and waits for what became of it; throws `CANCEL_PENDING` for want of an answer: the cancel goes on. */
export async function cancelAndWait(
  calls: SessionCalls,
  { requestId, timeoutMs, ...decidedBy }: CancelOptions,
): Promise<CancelReply> {
  let isHeld = false;
  const argument = decidedByOf(calls.client, decidedBy);
  const options = {
    argument,
    updateId: requestId,
    timeoutMs,
    onSentAway: () => {
      isHeld = true;
    },
  };
  try {
    return await calls.update<CancelReply>(MESSAGES.cancelAndWait, options, ({ state }) => {
      const outcome = isHeld ? state.cancel?.outcome : undefined;
      return { outcome: outcome ?? 'alreadyEnded', state };
    });
  } catch (error) {
    if (!isUntaken(error)) throw error;
    // A signal is not lost with its caller.
    await calls.signalCancel(argument);
    throw failed('CANCEL_PENDING', error);
  }
}
