import { isPaysessionError, PaysessionError } from '../../../src/errors';
import { adoptionResult, type ResolveCreate } from '../../../src/protocol/decisions';
import type { Decision } from '../../../src/protocol/state/recorded';
import type { SessionState } from '../../../src/protocol/state/session';
import type { ConsoleOptions } from '../../options';
import type { ActName } from './acts';

export interface ActOrder {
  readonly act: Exclude<ActName, 'reveal'>;
  readonly by: string;
  readonly reason: string;
  /** The form's own id. It becomes part of the id of the workflow update. The Temporal server accepts an update's id only once. */
  readonly requestId: string;
  /** The session to adopt; other actions ignore it. */
  readonly sessionId: string;
  /** The id of the session's wait that the operator decides about. @default any wait */
  readonly park?: string | undefined;
  /** The number of the key's claim in the ledger whose payment came back. @default the only claim with a return that waits */
  readonly claim?: number | undefined;
}

export type ActResult = Decision['result'];

/** The places that carry out an action: the session, or the ledger. */
type Places = Pick<ConsoleOptions, 'sessions' | 'ledger'>;

/**
 * Acts on a session. If the session, its worker, the ledger or the Temporal server fails, returns the error code as the result, and the
 * page explains it.
 */
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
  /** Sends the decision to the session, which carries it out. Returns the result. */
  const decide = async (answer: ResolveCreate): Promise<ActResult> => {
    const about = park !== undefined && { park };
    const state = await session.resolveCreate({ ...answer, ...about }, decided);
    return act === 'adopt' ? adoptionResult(state, sessionId) : 'applied';
  };
  switch (act) {
    case 'refresh':
      return refreshResult(await session.refresh(decided), order);
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

/**
 * Returns the result that the session has recorded for a refresh. If the record is full, returns the code of the session's present trouble.
 */
function refreshResult({ decisions, anomalies, trouble }: SessionState, { by, reason }: ActOrder): ActResult {
  const isFull = anomalies.some(({ kind }) => kind === 'recordFull');
  const isThis = (known: Decision) =>
    known.decision === 'refresh' && known.by === by && known.reason === reason;
  const recorded = isFull ? undefined : decisions.findLast(isThis);
  return recorded?.result ?? trouble?.code ?? 'applied';
}
