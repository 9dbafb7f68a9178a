import { isDeepStrictEqual } from 'node:util';
import type { Ending, Violation } from './evidence';

/** A session that Temporal has dropped, in the state that its callers received. */
export interface Dropped {
  readonly key: string;
  readonly ending: Ending;
  /** A run that was reset may have ended twice in the same way: the ledger has the times of the first end. */
  readonly wasReset: boolean;
}

/** The result of starting its key once more. */
export interface StartAgain {
  /** True if that was the same request. */
  readonly isSame: boolean;
  /** The error code of the answer; its result if there is no error. */
  readonly error?: string | undefined;
  readonly result?: unknown;
  /** Create requests that were sent for it. */
  readonly creates: number;
}

/** (q) The same request gets the earlier answer, another one is a conflict, and nothing is created. */
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
