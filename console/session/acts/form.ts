import { isSessionId } from '../../../src/contract';
import { MAX_REASON_LENGTH } from '../../../src/protocol/decisions';
import { textFailures } from '../../../src/protocol/input';
import type { ActName } from './acts';

/** What an operator has filled in. */
export interface ActForm {
  readonly reason: string;
  readonly sessionId: string;
  /** The form's own id. */
  readonly once: string;
}

/** The fields that have to be filled in again. */
export interface FormFaults {
  readonly reason?: true;
  readonly sessionId?: true;
}

export function readActForm(fields: URLSearchParams): ActForm {
  const text = (name: string) => (fields.get(name) ?? '').trim();
  return { reason: text('reason'), sessionId: text('sessionId'), once: text('once') };
}

/** Whether the id is one that a form of this console may have: it becomes an id at the engine. */
export const isFormId = (once: string): boolean => isSessionId(once);

/** What is wrong with a form; empty if nothing is. */
export function faultsOf(act: ActName, { reason, sessionId }: ActForm): FormFaults {
  return {
    ...(textFailures('reason', reason, MAX_REASON_LENGTH).length > 0 && { reason: true as const }),
    ...(act === 'adopt' && !isSessionId(sessionId) && { sessionId: true as const }),
  };
}
