import { isDeepStrictEqual } from 'node:util';
import type { Ending, Violation } from './evidence';

/** A session that Temporal has dropped, with the end that its callers received. */
export interface Dropped {
  readonly key: string;
  readonly ending: Ending;
  /** True if the run was reset. It may then have ended twice in the same way, and the ledger has the times of the first end. */
  readonly wasReset: boolean;
}

/** The result of starting the key of a dropped session once more. */
export interface StartAgain {
  /** True if the key was started with the same request. */
  readonly isSame: boolean;
  /** The error code of the answer. Without an error, `result` is the session's result. */
  readonly error?: string | undefined;
  readonly result?: unknown;
  /** The number of create requests that were sent for this start. */
  readonly creates: number;
}

/** (q) The same request gets the earlier answer, another request is a conflict, and neither creates a session. */
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
