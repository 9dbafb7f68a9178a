import { isPaysessionError, PaysessionError, type ErrorCode } from '../../../src/errors';
import type { Decision } from '../../../src/protocol/state/recorded';
import type { ConsoleOptions } from '../../options';
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
  /** The wait that the operator decides about. Absent: any wait. */
  readonly park?: string | undefined;
}

/** Where acts are carried out: by the session, or in the ledger. */
type Places = Pick<ConsoleOptions, 'sessions' | 'ledger'>;

/** Acts on a session. An error of the session, its worker, the ledger or the Temporal server is a result that the page explains. */
export async function perform(places: Places, key: string, order: ActOrder): Promise<ActResult> {
  const { act } = order;
  try {
    return { act, result: await resultOf(places, key, order) };
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    return { act, result: error.code };
  }
}

async function resultOf(
  { sessions, ledger }: Places,
  key: string,
  order: ActOrder,
): Promise<Decision['result']> {
  const session = sessions.get(key);
  const { act, requestId, sessionId, park, by, reason } = order;
  const decided = { by, reason, requestId };
  const about = park !== undefined && { park };
  switch (act) {
    case 'refresh':
      await session.refresh(decided);
      return 'applied';
    case 'cancel':
      return (await session.cancelAndWait(decided)).outcome;
    case 'adopt':
      return lastDecision(await session.resolveCreate({ sessionId, ...about }, decided), order);
    case 'retry':
      return lastDecision(await session.resolveCreate({ retry: true, ...about }, decided), order);
    case 'handle':
      if (ledger === undefined) throw new PaysessionError('INVALID_INPUT', 'This console has no ledger.');
      await ledger.handleReturn(key, { by, reason });
      return 'applied';
    case 'abandon':
      return lastDecision(await session.resolveCreate({ abandon: true, ...about }, decided), order);
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
