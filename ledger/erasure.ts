import { listFailures, PaysessionError } from '../src/errors';
import { textFailures } from '../src/protocol/input';
import type { LedgerFact } from '../src/protocol/ledger/facts';
import { MAX_DECIDER_LENGTH, MAX_REASON_LENGTH } from '../src/protocol/decisions';

/** Who has a session's personal data erased, and why. Both stay readable in the ledger: they must not name the payor. */
export interface Erasure {
  /** 1 to 200 characters. */
  readonly by: string;
  /** 1 to 500 characters. */
  readonly reason: string;
}

/** What is recorded of an erasure. Throws `PaysessionError` `INVALID_INPUT` where nobody is named, or no reason. */
export function erasedFact({ by, reason }: Erasure, at: string): LedgerFact {
  const failures = [
    ...textFailures('by', by, MAX_DECIDER_LENGTH),
    ...textFailures('reason', reason, MAX_REASON_LENGTH),
  ];
  if (failures.length > 0)
    throw new PaysessionError('INVALID_INPUT', `Nothing was erased: ${listFailures(failures)}.`);
  return { kind: 'erased', at, by, reason };
}
