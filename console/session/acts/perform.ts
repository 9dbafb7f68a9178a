import { isPaysessionError, PaysessionError } from '../../../src/errors';
import type { ResolveCreate } from '../../../src/protocol/decisions';
import type { Decision } from '../../../src/protocol/state/recorded';
import type { ConsoleOptions } from '../../options';
import type { ActName } from './acts';

export interface ActOrder {
  readonly act: Exclude<ActName, 'reveal'>;
  readonly by: string;
  readonly reason: string;
  /** The form's own id. It is part of the update's id, which the Temporal server accepts only once. */
  readonly requestId: string;
  /** The session to adopt; other actions ignore it. */
  readonly sessionId: string;
  /** The wait that the operator decides about. @default any wait */
  readonly park?: string | undefined;
  /** The claim of the payment whose return is handled. @default the only one that waits */
  readonly claim?: number | undefined;
}

export type ActResult = Decision['result'];

/** The places that carry out an action: the session, or the ledger. */
type Places = Pick<ConsoleOptions, 'sessions' | 'ledger'>;

/** Acts on a session. An error of the session, its worker, the ledger or the Temporal server is a result that the page explains. */
export async function perform(places: Places, key: string, order: ActOrder): Promise<ActResult> {
  try {
    return await resultOf(places, key, order);
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    return error.code;
  }
}

async function resultOf({ sessions, ledger }: Places, key: string, order: ActOrder): Promise<ActResult> {
  const session = sessions.get(key);
  const { act, requestId, sessionId, park, claim, by, reason } = order;
  const decided = { by, reason, requestId };
  /** Has the session carry out the decision. Returns the result. */
  const decide = async (answer: ResolveCreate): Promise<ActResult> => {
    const about = park !== undefined && { park };
    const { decisions, sessionId: adopted } = await session.resolveCreate({ ...answer, ...about }, decided);
    // Another refusal is an error. That of an adoption is in its result, which a full record does not have.
    if (act !== 'adopt' || adopted === sessionId) return 'applied';
    return decisions.findLast((known) => known.sessionId === sessionId)?.result ?? 'INVALID_INPUT';
  };
  switch (act) {
    case 'refresh':
      await session.refresh(decided);
      return 'applied';
    case 'cancel':
      return (await session.cancelAndWait(decided)).outcome;
    case 'adopt':
      return decide({ sessionId });
    case 'retry':
      return decide({ retry: true });
    case 'abandon':
      return decide({ abandon: true });
    case 'handle':
      if (ledger === undefined) throw new PaysessionError('INVALID_INPUT', 'This console has no ledger.');
      if (!(await ledger.handleReturn(key, { by, reason, claim })))
        throw new PaysessionError('INVALID_INPUT', 'The return was recorded as handled before.');
      return 'applied';
  }
}
