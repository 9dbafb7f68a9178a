import { listFailures, PaysessionError } from '../src/errors';
import { MAX_DECIDER_LENGTH, MAX_REASON_LENGTH } from '../src/protocol/decisions';
import { textFailures } from '../src/protocol/input';
import { standingClaim, type ClaimFact, type KnownClaim } from '../src/protocol/ledger/known-claim';
import { unknownKey } from './unknown-key';

/** A person's word on money that came back. Both texts are encrypted as personal data. */
export interface HandledReturn {
  /** Who says so; 1 to 200 characters. */
  readonly by: string;
  /** What was done; 1 to 500 characters. */
  readonly reason: string;
}

/**
 * Returns the facts that record what was done about the returns of a key's sessions, one for each that waits. Throws `PaysessionError`
 * `SESSION_NOT_FOUND`, or `INVALID_INPUT` if no money has come back.
 */
export function handledFacts(
  key: string,
  claims: readonly KnownClaim[],
  { by, reason }: HandledReturn,
  at: string,
): readonly ClaimFact[] {
  if (standingClaim(claims) === undefined) throw unknownKey(key);
  const returned = claims.filter((claim) => claim.returned !== undefined);
  if (returned.length === 0)
    throw new PaysessionError('INVALID_INPUT', `Nothing was recorded: no money of "${key}" has come back.`);
  return returned
    .filter((claim) => claim.handled === undefined)
    .map(({ number }) => ({ claim: number, fact: { kind: 'handled', at, by, reason } }));
}

/** Throws `PaysessionError` `INVALID_INPUT` if a text is missing or too long. */
export function checkHandled({ by, reason }: HandledReturn): void {
  const failures = [
    ...textFailures('by', by, MAX_DECIDER_LENGTH),
    ...textFailures('reason', reason, MAX_REASON_LENGTH),
  ];
  if (failures.length > 0)
    throw new PaysessionError('INVALID_INPUT', `Nothing was recorded: ${listFailures(failures)}.`);
}
