import { isDeepStrictEqual } from 'node:util';
import type { Ending, Violation } from './evidence';

/** A session that Temporal has dropped, with the end that its callers received. */
export interface Dropped {
  readonly key: string;
  readonly ending: Ending;
  /**
   * True if the workflow run was reset. It may then have ended twice in the same way. The ledger keeps the times of the first end, so times
   * are not compared.
   */
  readonly wasReset: boolean;
}

/** The answer to a second start of a dropped session's key. */
export interface StartAgain {
  /** True if the key was started with the same request. */
  readonly isSame: boolean;
  /** The error code of the answer. If there was no error, `result` is the session's result. */
  readonly error?: string | undefined;
  readonly result?: unknown;
  /** The number of create requests that were sent for this start. */
  readonly creates: number;
}

/**
 * Invariant (q), for a key whose session Temporal has dropped: a second start with the same request gets the recorded result. A start with
 * another request is a conflict. Both send no create request.
 */
export function checkDropped(dropped: Dropped, start: StartAgain): Violation[] {
  const { key, ending, wasReset } = dropped;
  const { isSame, error, result, creates } = start;
  const violation = (what: string): Violation => ({ invariant: 'q', where: key, what });
  const told = ending.how === 'failed' ? ending.code : undefined;
  const expected = isSame ? told : 'SESSION_CONFLICT';
  const which = isSame ? 'the same request' : 'another request';
  const isOther = error === undefined && ending.how === 'ended' && !isDeepStrictEqual(result, ending.result);
  return [
    ...(error === expected
      ? []
      : [violation(`${which} was answered with ${error ?? JSON.stringify(result)}`)]),
    ...(isOther && !wasReset
      ? [violation(`${which} received ${JSON.stringify(result)} instead of ${JSON.stringify(ending.result)}`)]
      : []),
    ...(creates === 0 ? [] : [violation(`${which} has sent a create`)]),
  ];
}
