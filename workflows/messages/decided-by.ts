/** Who sends a message and why: its argument, from this or any other SDK. */
import { ApplicationFailure, type RawValue } from '@temporalio/common';
import { isRecord } from '../../src/contract/values/json';
import { decidedByFailures, namedIn, type DecidedBy } from '../../src/protocol/decisions';
import { checkDecidedBy } from './input';
import { warnOfUnreadCancel } from '../telling/warnings';
import { decodeArguments, decodeOrRefuse, takeNoArguments } from './raw-arguments';

/** Throws when an update's arguments are something else. */
export function validateDecidedBy([first, ...others]: readonly RawValue[]): void {
  takeNoArguments(others);
  if (first !== undefined) checkDecidedBy(decodeOrRefuse([first])[0]);
}

/** The argument of an update that `validateDecidedBy` has checked. */
export function decidedByOf([first]: readonly RawValue[]): DecidedBy | undefined {
  // It may be null.
  const argument = first && (decodeArguments([first])[0] as DecidedBy | null);
  return argument == null ? undefined : namedIn(argument);
}

/** The argument of a signal, which cannot be refused: what cannot be read, which is logged, or breaks the rules is left out. */
export function usableDecidedBy([first]: readonly RawValue[]): DecidedBy | undefined {
  const argument = readable(first);
  if (!isRecord(argument)) return undefined;
  const { by, reason } = argument;
  const isUsable = (field: object) => decidedByFailures(field).length === 0;
  // They are text, or null, where the rules hold.
  return namedIn({ ...(isUsable({ by }) && { by }), ...(isUsable({ reason }) && { reason }) } as DecidedBy);
}

function readable(argument: RawValue | undefined): unknown {
  try {
    return argument && decodeOrRefuse([argument])[0];
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    warnOfUnreadCancel(error.type);
    return undefined;
  }
}
