import { describe, expect, test } from '@jest/globals';
import { claimedLate, factsOfClaim, judgeClaim, ownClaim } from '../../../ledger/judge-claim';
import { summariesOf } from '../../../ledger/sessions/summary';
import type { LedgerClaim, LedgerFact } from '../../../src/protocol/ledger/facts';
import { claimsOf, type ClaimFact } from '../../../src/protocol/ledger/fold';
import { CLAIM } from '../../support/ledger/claim';

/** Returns the time that is this many seconds after the claim. */
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

/** The facts about one key in a ledger, such as claims (a workflow gets the key) and opened sessions. */
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

  /** Records facts as the ledger's `recordEnded` does: if the workflow has no claim, first makes a claim. */
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

// An operator resets a workflow. The run from before the reset had created session-1, and the run after it created session-2.
// The ledger can record the facts of both runs in any order. A sweep copies a workflow's facts from Temporal to the ledger.
describe('in the ledger, a workflow that was reset and has created another session', () => {
  const key = () => {
    const known = new LedgerKey();
    known.claim('one');
    known.record('one', opened('session-2', 20), state(1, 'Initiated', 20));
    return known;
  };

  test('keeps the new session when a sweep then records the run from before the reset', () => {
    const reset = key();
    reset.record('one', opened('session-1', 10), state(1, 'Initiated', 10), state(2, 'Completed', 15));
    expect(reset.rows).toMatchObject([{ sessionId: 'session-2', status: 'Initiated', paid: false }]);
  });

  test('keeps the new session when a poll of the earlier session is recorded late', () => {
    const reset = key();
    reset.record('one', opened('session-1', 30, 'found'), state(2, 'Completed', 30));
    expect(reset.rows).toMatchObject([{ sessionId: 'session-2', status: 'Initiated', paid: false }]);
  });

  test('gets the new session even if the run from before the reset was recorded first', () => {
    const reset = new LedgerKey();
    reset.claim('one');
    reset.record('one', opened('session-1', 10), state(1, 'Initiated', 10), state(2, 'Completed', 15));
    reset.record('one', opened('session-2', 20), state(1, 'Initiated', 20));
    expect(reset.rows).toMatchObject([{ sessionId: 'session-2', status: 'Initiated', paid: false }]);
  });

  test('gets the session that a person adopts, and keeps it', () => {
    const reset = key();
    reset.record('one', opened('session-1', 30, 'adopt'));
    reset.record('one', opened('session-3', 40));
    expect(reset.rows).toMatchObject([{ sessionId: 'session-1' }]);
  });
});

describe('in the ledger, a workflow that was reset after it had ended without a session', () => {
  const end: LedgerFact = {
    kind: 'ended',
    at: at(10),
    firstRunId: 'one',
    paid: false,
    status: 'Cancelled',
    leftNothing: true,
  };

  test('is open with the session that it creates after the reset, even if a sweep records its first end again', () => {
    const key = new LedgerKey();
    key.claim('one');
    key.record('one', end);
    expect(key.rows).toMatchObject([{ outcome: 'ended' }]);
    expect(key.claim('one', { at: at(20) })).toEqual({ outcome: 'claimed' });
    key.record('one', opened('session-1', 30));
    key.record('one', end);
    expect(key.rows).toMatchObject([{ outcome: 'open', sessionId: 'session-1' }]);
  });

  test('ends with the end of the session that it creates after the reset', () => {
    const key = new LedgerKey();
    key.claim('one');
    key.record('one', end, opened('session-1', 30), {
      ...end,
      at: at(40),
      status: 'Expired',
      leftNothing: false,
    });
    expect(key.rows).toMatchObject([{ outcome: 'ended', status: 'Expired', sessionId: 'session-1' }]);
  });
});

describe('in the ledger, a workflow that waits for a person’s decision', () => {
  const parked = (second: number): LedgerFact => ({
    kind: 'parked',
    at: at(second),
    number: 1,
    code: 'SERVICE_INTERRUPTED',
    id: 'seed-1',
  });
  const decided = (
    decision: 'adopt' | 'retry' | 'abandon',
    result: 'applied' | 'SESSION_MISMATCH' = 'applied',
  ): LedgerFact => ({
    kind: 'decision',
    at: at(40),
    number: 1,
    decision,
    result,
    id: 'seed-1-1',
  });

  test('is listed as parked even if the ledger already has a session of the workflow', () => {
    const key = new LedgerKey();
    key.claim('one');
    key.record('one', opened('session-1', 10), state(1, 'Initiated', 10));
    key.record('one', parked(20));
    expect(key.rows).toMatchObject([{ parked: true, sessionId: 'session-1' }]);
  });

  test('is listed as parked even if the ledger later records an earlier session of the workflow', () => {
    const key = new LedgerKey();
    key.claim('one');
    key.record('one', parked(20));
    key.record('one', opened('session-1', 10));
    expect(key.rows).toMatchObject([{ parked: true, sessionId: 'session-1' }]);
  });

  test.each([
    ['stops waiting after a retry', decided('retry'), true],
    ['stops waiting after an adoption', decided('adopt'), true],
    ['still waits after a refused adoption', decided('adopt', 'SESSION_MISMATCH'), false],
    ['stops waiting after it has opened a session', opened('session-1', 30), true],
    ['stops waiting after a person has adopted a session', opened('session-1', 10, 'adopt'), true],
    ['stops waiting after it has polled a state', state(2, 'Completed', 30), true],
  ])('%s', (_what, fact, isOver) => {
    const key = new LedgerKey();
    key.claim('one');
    key.record('one', parked(20));
    key.record('one', fact);
    expect(key.rows[0]?.parked).toBe(isOver ? undefined : true);
  });
});
