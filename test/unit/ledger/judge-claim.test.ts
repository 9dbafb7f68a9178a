import { describe, expect, test } from '@jest/globals';
import { claimedLate, factsOfClaim, judgeClaim, ownClaim } from '../../../ledger/judge-claim';
import { toStored } from '../../../ledger/stored-fact';
import { summariesOf } from '../../../ledger/sessions/summary';
import type { LedgerClaim, LedgerFact } from '../../../src/protocol/ledger/facts';
import { claimsOf, standingClaim, type ClaimFact, type KnownClaim } from '../../../src/protocol/ledger/fold';
import { CLAIM, paidState } from '../../support/ledger/claim';

// Before a workflow sends a create request, it claims its key in the ledger. The ledger's answer depends on the facts that it has:
// - claimed: the workflow may send a create request.
// - created: a session exists, and the workflow follows it.
// - unknown: create requests of the key were lost (`lostCreates`), so a session may exist.
// - ended: the key's session has ended, and the workflow gets its result.
// - conflict: the key has another request, or a child workflow needs an unused key.
// - late: the claim is older than facts that the ledger has.
const at = '2026-03-01T12:00:00.000Z';
const opened = (sessionId: string, how: 'create' | 'adopt' = 'create'): LedgerFact => ({
  kind: 'opened',
  at,
  sessionId,
  how,
});
const lost = (attempt: string): LedgerFact => ({
  kind: 'createUnknown',
  at,
  attempt,
  code: 'SERVICE_INTERRUPTED',
});
const paid = paidState(at);
const endOf = (own: Partial<Extract<LedgerFact, { kind: 'ended' }>> = {}): LedgerFact => ({
  kind: 'ended',
  at,
  firstRunId: 'any',
  paid: false,
  leftNothing: false,
  ...own,
});
/** The end of a workflow that certainly never created a session. */
const neverCreated = endOf({ failure: 'SERVICE_REQUEST_REJECTED', leftNothing: true });

/** The facts about one key in a ledger. A test adds facts step by step. */
class Key {
  readonly entries: ClaimFact[] = [];
  readonly #ids = new Set<string>();

  /** Adds facts as the ledger's log does: it drops a fact that the claim already has. */
  #add(facts: readonly ClaimFact[]): void {
    for (const each of facts) {
      const id = `${each.claim} ${toStored(each.fact).id}`;
      if (!this.#ids.has(id)) this.entries.push(each);
      this.#ids.add(id);
    }
  }

  get claims(): readonly KnownClaim[] {
    return claimsOf(this.entries);
  }

  /** Claims the key for a workflow, and returns the ledger's answer. */
  claim(firstRunId: string, own: Partial<LedgerClaim> = {}) {
    const { add, answer } = judgeClaim(this.claims, { ...CLAIM, firstRunId, ...own });
    this.#add(add);
    return answer;
  }

  /** Adds facts to a workflow's claim without a check. */
  add(firstRunId: string, ...facts: readonly LedgerFact[]): this {
    const { number } = ownClaim(this.claims, firstRunId) ?? { number: 0 };
    this.#add(facts.map((fact) => ({ claim: number, fact })));
    return this;
  }

  /** Adds those of the facts that the ledger accepts for the workflow's claim. */
  report(firstRunId: string, ...facts: readonly LedgerFact[]): this {
    const own = ownClaim(this.claims, firstRunId);
    if (own !== undefined) this.#add(factsOfClaim(this.claims, own, facts));
    return this;
  }

  /** Adds facts of a workflow that has no claim. The ledger then makes the claim. */
  addLate(firstRunId: string, ...facts: readonly LedgerFact[]): this {
    this.#add(claimedLate(this.claims, { ...CLAIM, firstRunId }, facts));
    return this;
  }

  /** The first run of the workflow whose claim has the key now (the standing claim). */
  get standing() {
    return standingClaim(this.claims)?.claimed.firstRunId;
  }
}

describe('a workflow that claims its key in the ledger again', () => {
  test('is answered with lost create requests that the workflow does not know, as after a restore of Temporal', () => {
    const key = new Key();
    key.claim('one');
    key.add('one', lost('a'), lost('b'));
    expect(key.claim('one')).toEqual({ outcome: 'unknown', lostCreates: 2 });
    expect(key.claim('one', { lostCreates: 1 })).toEqual({ outcome: 'unknown', lostCreates: 2 });
    expect(key.claim('one', { lostCreates: 2 })).toEqual({ outcome: 'claimed' });
  });

  test('gets the key back from another workflow, together with the session that the other workflow created', () => {
    const key = new Key();
    key.claim('one');
    expect(key.claim('two')).toEqual({ outcome: 'unknown', lostCreates: 1 });
    key.add('two', opened('session-1'));
    const created = { outcome: 'created', sessionId: 'session-1' };
    expect(key.claim('one', { at: '2026-03-01T12:00:05.000Z' })).toMatchObject(created);
    expect(key.standing).toBe('one');
    expect(key.claim('two', { at: '2026-03-01T12:00:10.000Z' })).toMatchObject(created);
    expect(key.standing).toBe('two');
    expect(key.claims).toHaveLength(2);
  });

  test('gets the session of the key’s earlier workflow, if the ledger recorded the session in the meantime', () => {
    const key = new Key();
    key.claim('one');
    expect(key.claim('two')).toEqual({ outcome: 'unknown', lostCreates: 1 });
    key.add('one', opened('session-1'));
    expect(key.claim('two')).toEqual({ outcome: 'created', sessionId: 'session-1' });
    expect(key.claims.map((claim) => claim.opened?.sessionId)).toEqual([undefined, 'session-1']);
  });
});

describe('a workflow that claims a key in the ledger after another workflow', () => {
  test('is answered with the earlier workflow’s lost create requests, and one more that may be under way', () => {
    const key = new Key();
    key.claim('one');
    key.add('one', lost('a'), lost('b'));
    expect(key.claim('two')).toEqual({ outcome: 'unknown', lostCreates: 3 });
  });

  test('gets a conflict if it is a child workflow, because a child workflow needs an unused key', () => {
    const key = new Key();
    key.claim('one');
    key.add('one', opened('session-1'), endOf({ paid: true }));
    expect(key.claim('two', { onlyNew: true })).toEqual({ outcome: 'conflict' });
    expect(key.claim('two')).toEqual({ outcome: 'ended' });
  });

  test('takes over the earlier workflow’s session, with the session’s states and money', () => {
    const key = new Key();
    key.claim('one');
    key.add('one', opened('session-1'), paid, { kind: 'settled', at, amount: 25 });
    key.claim('two');
    expect(summariesOf(key.claims)).toMatchObject([
      { claim: 1, stands: false, listed: false, money: 'open', paid: false },
      { claim: 2, stands: true, listed: true, money: 'settled', paid: true, sessionId: 'session-1' },
    ]);
    expect(key.claims[1]?.isReportedPaid).toBe(true);
  });
});

describe('in the ledger, a workflow that was reset after its end', () => {
  const later = '2026-03-01T13:00:00.000Z';
  const parked: LedgerFact = {
    kind: 'parked',
    at: later,
    number: 1,
    code: 'SERVICE_INTERRUPTED',
    id: 'park-2',
  };

  test.each([
    ['had never created a session', neverCreated],
    ['had been given up', endOf({ failure: 'CREATE_ABANDONED' })],
  ])(
    'has its key again if it %s; then another workflow is answered that a create request may be lost',
    (_how, end) => {
      const key = new Key();
      key.claim('one');
      key.add('one', end);
      expect(key.claim('one', { at: later })).toEqual({ outcome: 'claimed' });
      expect(summariesOf(key.claims)).toMatchObject([{ claim: 1, outcome: 'open', money: 'open' }]);
      expect(key.claim('two', { at: later })).toEqual({ outcome: 'unknown', lostCreates: 1 });
    },
  );

  test('has its key again after a later workflow that never created a session', () => {
    const key = new Key();
    key.claim('one');
    key.add('one', neverCreated);
    key.claim('two');
    key.add('two', neverCreated);
    expect(key.claim('one', { at: later })).toEqual({ outcome: 'claimed' });
    expect(key.standing).toBe('one');
    expect(key.claim('three', { at: later })).toEqual({ outcome: 'unknown', lostCreates: 1 });
  });

  test('is open again, and follows the session that the ledger knows', () => {
    const key = new Key();
    key.claim('one');
    key.add('one', opened('session-1'), endOf({ status: 'Expired' }));
    expect(key.claim('one', { at: later })).toEqual({ outcome: 'created', sessionId: 'session-1' });
    expect(summariesOf(key.claims)).toMatchObject([{ outcome: 'open', sessionId: 'session-1' }]);
    expect(key.claim('two', { at: later })).toEqual({ outcome: 'created', sessionId: 'session-1' });
  });

  test('is listed as parked, even if it does not claim its key again', () => {
    const key = new Key();
    key.claim('one');
    key.add('one', lost('a'), endOf({ failure: 'CREATE_ABANDONED' }), parked);
    expect(summariesOf(key.claims)).toMatchObject([{ outcome: 'open', parked: true }]);
  });

  test('has only its second end, even if the two ends differ only in time', () => {
    const key = new Key();
    key.claim('one');
    key.add('one', neverCreated);
    key.claim('one', { at: later });
    key.report('one', neverCreated);
    expect(key.claims[0]?.ended).toBeUndefined();
    // The clock of the worker is behind: the second end has a time before the second claim.
    const second = { ...neverCreated, at: '2026-03-01T12:59:59.000Z' };
    key.report('one', second);
    expect(key.claims[0]?.ended).toEqual({ ...second, after: at });
  });

  test('has its second end even if that end differs from the first end only in time, and is recorded together with a park', () => {
    const key = new Key();
    const end = endOf({ failure: 'CREATE_ABANDONED' });
    key.claim('one');
    key.add('one', lost('a'), end);
    key.report('one', parked, { ...end, at: later });
    expect(key.claims[0]?.ended).toEqual({ ...end, at: later, after: at });
  });

  test('is open again once it adopts another session', () => {
    const key = new Key();
    key.claim('one');
    key.add('one', opened('session-1', 'adopt'), endOf({ status: 'Expired' }));
    key.add('one', { ...opened('session-2', 'adopt'), at: later });
    expect(summariesOf(key.claims)).toMatchObject([
      { outcome: 'open', sessionId: 'session-2', mayBePaid: true },
    ]);
  });
});

test('a park counts as over if a session was created after it, even if the ledger records the park last', () => {
  const key = new Key();
  key.claim('one');
  key.add('one', { ...opened('session-1'), at: '2026-03-01T12:01:00.000Z' });
  key.add('one', { kind: 'parked', at, number: 1, code: 'SERVICE_INTERRUPTED', id: 'park-1' });
  expect(key.claims[0]?.awaitsSince).toBeUndefined();
});

test('in the ledger, a session that a workflow created after its reset does not have the state of a cancel before', () => {
  const key = new Key();
  key.claim('one');
  const cancelled: LedgerFact = { kind: 'state', at, number: 1, status: 'Cancelled', source: 'cancel' };
  key.add('one', cancelled, endOf({ status: 'Cancelled', leftNothing: true }));
  key.add('one', opened('session-1'));
  expect(key.claims[0]?.state).toBeUndefined();
});

const cancelledWithoutSession: readonly LedgerFact[] = [
  { kind: 'state', at, number: 1, status: 'Cancelled', source: 'cancel' },
  endOf({ status: 'Cancelled', withoutSession: true }),
];
const state: LedgerFact = { kind: 'state', at, number: 1, status: 'Initiated', source: 'create' };
const parkedLater: LedgerFact = {
  kind: 'parked',
  at: '2026-03-01T12:00:20.000Z',
  number: 1,
  code: 'SERVICE_INTERRUPTED',
  id: 'park-1',
};
const abandoned = {
  ...endOf({ failure: 'CREATE_ABANDONED', withoutSession: true }),
  at: '2026-03-01T12:01:00.000Z',
};

// A worker sends a claim. Before the claim arrives, the ledger records facts that are later than the claim.
describe('a claim that reaches the ledger late', () => {
  const since = '2026-03-01T12:00:05.000Z';
  const later = '2026-03-01T12:00:10.000Z';

  test('is refused if its workflow has ended meanwhile; after a reset, the workflow can claim the key again', () => {
    const key = new Key();
    key.claim('one');
    key.add('one', { ...neverCreated, at: since });
    expect(key.claim('one')).toEqual({ outcome: 'late' });
    expect(key.claims[0]?.ended).toBeDefined();
    expect(key.claim('one', { at: later })).toEqual({ outcome: 'claimed' });
    expect(key.claims[0]?.ended).toBeUndefined();
  });

  test('is refused if another workflow has got the key meanwhile; the workflow can claim the key again', () => {
    const key = new Key();
    key.claim('one');
    key.claim('two', { at: since });
    key.add('two', { ...opened('session-1'), at: since });
    expect(key.claim('one')).toEqual({ outcome: 'late' });
    expect(key.standing).toBe('two');
    const again = key.claim('one', { at: later });
    expect(again).toMatchObject({ outcome: 'created', sessionId: 'session-1' });
    expect(key.claim('two', { at: since })).toEqual({ outcome: 'late' });
  });
});

test('in the ledger, a workflow that gets its key back from another workflow also gets its session back', () => {
  const key = new Key();
  key.claim('one');
  key.add('one', opened('session-1'), paid);
  key.claim('two');
  expect(key.claim('one')).toEqual({ outcome: 'created', sessionId: 'session-1' });
  expect(summariesOf(key.claims)).toMatchObject([
    { claim: 1, listed: true, sessionId: 'session-1', paid: true },
    { claim: 2, listed: false },
  ]);
});

test.each([
  ['a cancelled workflow, recorded before the session', [...cancelledWithoutSession, opened('session-1')]],
  [
    'a cancelled workflow, recorded after the session',
    [opened('session-1'), state, ...cancelledWithoutSession],
  ],
  ['an abandoned create, recorded before the session', [parkedLater, abandoned, opened('session-1')]],
  ['an abandoned create, recorded after the session', [opened('session-1'), parkedLater, abandoned]],
])(
  'in the ledger, the end of %s, does not end a session of which the workflow never knew',
  (_when, facts) => {
    const key = new Key();
    key.claim('one');
    key.add('one', lost('a'), ...facts);
    expect(summariesOf(key.claims)).toMatchObject([
      { outcome: 'open', sessionId: 'session-1', mayBePaid: true },
    ]);
    expect(key.claims[0]?.state?.status).not.toBe('Cancelled');
    expect(key.claims[0]?.awaitsSince).toBeUndefined();
    expect(key.claim('two')).toMatchObject({ outcome: 'created', sessionId: 'session-1' });
  },
);

test('in the ledger, a workflow that adopts another claim’s session after a reset loses its first session’s money', () => {
  const key = new Key();
  key.claim('one');
  key.add('one', opened('session-1'), paid, { kind: 'settled', at, amount: 25 });
  key.addLate('two', opened('session-2'));
  key.add('one', opened('session-2', 'adopt'));
  expect(summariesOf(key.claims)).toMatchObject([
    { claim: 1, sessionId: 'session-2', money: 'open', paid: false },
    { claim: 2, listed: false },
  ]);
  expect(key.claims[0]?.isReportedPaid).toBe(false);
});

// The ledger can lack the claim of a workflow, such as after a restore of the ledger.
describe('a claim that the ledger makes only when it records a workflow’s facts', () => {
  test('gets the key if no workflow has it', () => {
    expect(new Key().addLate('one', opened('session-1')).standing).toBe('one');
  });

  test('does not take the key from another workflow, but is listed with its session', () => {
    const key = new Key();
    key.claim('two');
    key.addLate('one', opened('session-1'));
    expect(key.standing).toBe('two');
    expect(summariesOf(key.claims)).toMatchObject([
      { claim: 1, stands: true },
      { claim: 2, stands: false, listed: true, sessionId: 'session-1' },
    ]);
  });

  test('gets the key once the workflow that has the key has ended without a session', () => {
    const key = new Key();
    key.claim('two');
    key.addLate('one', opened('session-1')).add('two', neverCreated);
    expect(key.standing).toBe('one');
    expect(key.claim('three', { fingerprint: 'another' })).toEqual({ outcome: 'conflict' });
  });

  test('takes over the key if both claims have one and the same session, as after a restore of the ledger', () => {
    const key = new Key();
    key.claim('one');
    key.add('one', opened('session-1')).addLate('two', opened('session-1'), endOf({ paid: true }));
    expect(key.standing).toBe('two');
    expect(summariesOf(key.claims)).toMatchObject([
      { claim: 1, listed: false },
      { claim: 2, stands: true, sessionId: 'session-1', paid: true, money: 'paid' },
    ]);
  });

  test('is not made for a workflow without a session, or for a workflow that only received another workflow’s end', () => {
    const key = new Key();
    key.claim('two');
    key.add('two', opened('session-1'), endOf({ paid: true }));
    key.addLate('one', neverCreated).addLate('three', opened('session-1'), endOf({ paid: true }));
    expect(key.claims).toHaveLength(1);
  });
});

test('if a claim has two ends, the end with the later time counts, even if it was recorded first', () => {
  const key = new Key();
  const later = endOf({ at: '2026-03-01T12:00:00.500Z', paid: true });
  key.claim('one');
  key.add('one', later, endOf());
  expect(key.claims[0]?.ended?.paid).toBe(true);
});

test('a fact of a workflow without a claim changes nothing in the ledger', () => {
  const key = new Key().add('unknown', opened('session-1'));
  expect(key.claims).toEqual([]);
});
