import { describe, expect, test } from '@jest/globals';
import { claimedLate, factsOfClaim, judgeClaim, ownClaim } from '../../../ledger/claims';
import { summariesOf } from '../../../ledger/sessions/summary';
import type { LedgerClaim, LedgerFact } from '../../../src/protocol/ledger/facts';
import { claimsOf, type ClaimFact } from '../../../src/protocol/ledger/known-claim';
import { CLAIM } from '../../support/ledger/claim';

/** A moment of a history: seconds of one minute. */
const at = (second: number): string => new Date(Date.parse(CLAIM.at) + second * 1_000).toISOString();
const opened = (
  sessionId: string,
  second: number,
  how: 'create' | 'adopt' | 'found' = 'create',
): LedgerFact => ({
  kind: 'opened',
  at: at(second),
  sessionId,
  how,
});
const state = (number: number, status: string, second: number): LedgerFact => ({
  kind: 'state',
  at: at(second),
  number,
  status,
  ...(status === 'Completed' && { code: 'EFT0301' }),
  source: 'poll',
});

/** What the ledger has of one key, as its methods add to it. */
class LedgerKey {
  readonly #entries: ClaimFact[] = [];

  get rows() {
    return summariesOf(claimsOf(this.#entries));
  }

  claim(firstRunId: string, own: Partial<LedgerClaim> = {}) {
    const { add, answer } = judgeClaim(claimsOf(this.#entries), { ...CLAIM, firstRunId, ...own });
    this.#entries.push(...add);
    return answer;
  }

  /** As `recordEnded`, which also makes a claim that the ledger lacks. */
  record(firstRunId: string, ...facts: readonly LedgerFact[]): void {
    const claims = claimsOf(this.#entries);
    const own = ownClaim(claims, firstRunId);
    const add =
      own === undefined
        ? claimedLate(claims, { ...CLAIM, firstRunId }, facts)
        : factsOfClaim(claims, own, facts);
    this.#entries.push(...add);
  }
}

describe('a workflow that was reset, and has created another session', () => {
  const key = () => {
    const known = new LedgerKey();
    known.claim('one');
    known.record('one', opened('session-2', 20), state(1, 'Initiated', 20));
    return known;
  };

  test('keeps that session when a sweep reads the run from before the reset', () => {
    const reset = key();
    reset.record('one', opened('session-1', 10), state(1, 'Initiated', 10), state(2, 'Completed', 15));
    expect(reset.rows).toMatchObject([{ sessionId: 'session-2', status: 'Initiated', paid: false }]);
  });

  test('keeps that session when a poll from before the reset reports late', () => {
    const reset = key();
    reset.record('one', opened('session-1', 30, 'found'), state(2, 'Completed', 30));
    expect(reset.rows).toMatchObject([{ sessionId: 'session-2', status: 'Initiated', paid: false }]);
  });

  test('gets that session when the run from before the reset was recorded first', () => {
    const reset = new LedgerKey();
    reset.claim('one');
    reset.record('one', opened('session-1', 10), state(1, 'Initiated', 10), state(2, 'Completed', 15));
    reset.record('one', opened('session-2', 20), state(1, 'Initiated', 20));
    expect(reset.rows).toMatchObject([{ sessionId: 'session-2', status: 'Initiated', paid: false }]);
  });

  test('gets the session that a person names', () => {
    const reset = key();
    reset.record('one', opened('session-1', 30, 'adopt'));
    reset.record('one', opened('session-3', 40));
    expect(reset.rows).toMatchObject([{ sessionId: 'session-1' }]);
  });
});
