import { describe, expect, test } from '@jest/globals';
import { claimedLate, factsOfClaim, judgeClaim, ownClaim } from '../../../ledger/judge-claim';
import { toStored } from '../../../ledger/stored-fact';
import { summariesOf } from '../../../ledger/sessions/summary';
import type { LedgerClaim, LedgerFact } from '../../../src/protocol/ledger/facts';
import { claimsOf, standingClaim, type ClaimFact, type KnownClaim } from '../../../src/protocol/ledger/fold';
import { CLAIM, paidState } from '../../support/ledger/claim';

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
const nothing = endOf({ failure: 'SERVICE_REQUEST_REJECTED', leftNothing: true });

/** A key as the ledger comes to know it, step by step. */
class Key {
  readonly entries: ClaimFact[] = [];
  readonly #ids = new Set<string>();

  /** Adds facts as the log does, each once. */
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

  claim(firstRunId: string, own: Partial<LedgerClaim> = {}) {
    const { add, answer } = judgeClaim(this.claims, { ...CLAIM, firstRunId, ...own });
    this.#add(add);
    return answer;
  }

  tell(firstRunId: string, ...facts: readonly LedgerFact[]): this {
    const { number } = ownClaim(this.claims, firstRunId) ?? { number: 0 };
    this.#add(facts.map((fact) => ({ claim: number, fact })));
    return this;
  }

  report(firstRunId: string, ...facts: readonly LedgerFact[]): this {
    const own = ownClaim(this.claims, firstRunId);
    if (own !== undefined) this.#add(factsOfClaim(this.claims, own, facts));
    return this;
  }

  tellLate(firstRunId: string, ...facts: readonly LedgerFact[]): this {
    this.#add(claimedLate(this.claims, { ...CLAIM, firstRunId }, facts));
    return this;
  }

  get standing() {
    return standingClaim(this.claims)?.claimed.firstRunId;
  }
}

describe('a workflow that has its key', () => {
  test('hears of lost creates that it does not know, as after a restore of Temporal to before them', () => {
    const key = new Key();
    key.claim('one');
    key.tell('one', lost('a'), lost('b'));
    expect(key.claim('one')).toEqual({ outcome: 'unknown', lostCreates: 2 });
    expect(key.claim('one', { lostCreates: 1 })).toEqual({ outcome: 'unknown', lostCreates: 2 });
    expect(key.claim('one', { lostCreates: 2 })).toEqual({ outcome: 'claimed' });
  });

  test('gets it back from another one, as after a restore of Temporal, with that one’s session', () => {
    const key = new Key();
    key.claim('one');
    expect(key.claim('two')).toEqual({ outcome: 'unknown', lostCreates: 1 });
    key.tell('two', opened('session-1'));
    const created = { outcome: 'created', sessionId: 'session-1' };
    expect(key.claim('one', { at: '2026-03-01T12:00:05.000Z' })).toMatchObject(created);
    expect(key.standing).toBe('one');
    expect(key.claim('two', { at: '2026-03-01T12:00:10.000Z' })).toMatchObject(created);
    expect(key.standing).toBe('two');
    expect(key.claims).toHaveLength(2);
  });

  test('hears of a session that was recorded late for the one before', () => {
    const key = new Key();
    key.claim('one');
    expect(key.claim('two')).toEqual({ outcome: 'unknown', lostCreates: 1 });
    key.tell('one', opened('session-1'));
    expect(key.claim('two')).toEqual({ outcome: 'created', sessionId: 'session-1' });
    expect(key.claims.map((claim) => claim.opened?.sessionId)).toEqual([undefined, 'session-1']);
  });
});

describe('a workflow that comes later', () => {
  test('hears of the lost creates of the one before, and of one more that it may have sent', () => {
    const key = new Key();
    key.claim('one');
    key.tell('one', lost('a'), lost('b'));
    expect(key.claim('two')).toEqual({ outcome: 'unknown', lostCreates: 3 });
  });

  test('gets no key of a child’s, whose caller has asked for a new payment', () => {
    const key = new Key();
    key.claim('one');
    key.tell('one', opened('session-1'), endOf({ paid: true }));
    expect(key.claim('two', { onlyNew: true })).toEqual({ outcome: 'conflict' });
    expect(key.claim('two')).toEqual({ outcome: 'ended' });
  });

  test('takes over the session, its states and its money', () => {
    const key = new Key();
    key.claim('one');
    key.tell('one', opened('session-1'), paid, { kind: 'settled', at, amount: 25 });
    key.claim('two');
    expect(summariesOf(key.claims)).toMatchObject([
      { claim: 1, stands: false, listed: false, money: 'open', paid: false },
      { claim: 2, stands: true, listed: true, money: 'settled', paid: true, sessionId: 'session-1' },
    ]);
    expect(key.claims[1]?.saidPaid).toBe(true);
  });
});

describe('a workflow that goes on after its end, since it was reset', () => {
  const later = '2026-03-01T13:00:00.000Z';
  const parked: LedgerFact = {
    kind: 'parked',
    at: later,
    number: 1,
    code: 'SERVICE_INTERRUPTED',
    id: 'park-2',
  };

  test.each([
    ['never had a session', nothing],
    ['was given up', endOf({ failure: 'CREATE_ABANDONED' })],
  ])('has the key again if it %s, and another workflow hears of a create', (_how, end) => {
    const key = new Key();
    key.claim('one');
    key.tell('one', end);
    expect(key.claim('one', { at: later })).toEqual({ outcome: 'claimed' });
    expect(summariesOf(key.claims)).toMatchObject([{ claim: 1, outcome: 'open', money: 'open' }]);
    expect(key.claim('two', { at: later })).toEqual({ outcome: 'unknown', lostCreates: 1 });
  });

  test('has the key again after a later workflow that left it free', () => {
    const key = new Key();
    key.claim('one');
    key.tell('one', nothing);
    key.claim('two');
    key.tell('two', nothing);
    expect(key.claim('one', { at: later })).toEqual({ outcome: 'claimed' });
    expect(key.standing).toBe('one');
    expect(key.claim('three', { at: later })).toEqual({ outcome: 'unknown', lostCreates: 1 });
  });

  test('is open, even if its session is known: it polls that session again', () => {
    const key = new Key();
    key.claim('one');
    key.tell('one', opened('session-1'), endOf({ status: 'Expired' }));
    expect(key.claim('one', { at: later })).toEqual({ outcome: 'created', sessionId: 'session-1' });
    expect(summariesOf(key.claims)).toMatchObject([{ outcome: 'open', sessionId: 'session-1' }]);
    expect(key.claim('two', { at: later })).toEqual({ outcome: 'created', sessionId: 'session-1' });
  });

  test('is parked, although it does not claim its key again', () => {
    const key = new Key();
    key.claim('one');
    key.tell('one', lost('a'), endOf({ failure: 'CREATE_ABANDONED' }), parked);
    expect(summariesOf(key.claims)).toMatchObject([{ outcome: 'open', parked: true }]);
  });

  test('may end as before, even by a clock behind its claim’s: the second end counts, and the first, recorded late, does not', () => {
    const key = new Key();
    key.claim('one');
    key.tell('one', nothing);
    key.claim('one', { at: later });
    key.report('one', nothing);
    expect(key.claims[0]?.ended).toBeUndefined();
    const second = { ...nothing, at: '2026-03-01T12:59:59.000Z' };
    key.report('one', second);
    expect(key.claims[0]?.ended).toEqual({ ...second, after: at });
  });

  test('may have parked and ended as before, which is reported at once: the second end is another', () => {
    const key = new Key();
    const end = endOf({ failure: 'CREATE_ABANDONED' });
    key.claim('one');
    key.tell('one', lost('a'), end);
    key.report('one', parked, { ...end, at: later });
    expect(key.claims[0]?.ended).toEqual({ ...end, at: later, after: at });
  });

  test('and adopts another session is open: the end was that of the session before', () => {
    const key = new Key();
    key.claim('one');
    key.tell('one', opened('session-1', 'adopt'), endOf({ status: 'Expired' }));
    key.tell('one', { ...opened('session-2', 'adopt'), at: later });
    expect(summariesOf(key.claims)).toMatchObject([
      { outcome: 'open', sessionId: 'session-2', mayBePaid: true },
    ]);
  });
});

test('a park that is recorded after the session was created is over', () => {
  const key = new Key();
  key.claim('one');
  key.tell('one', { ...opened('session-1'), at: '2026-03-01T12:01:00.000Z' });
  key.tell('one', { kind: 'parked', at, number: 1, code: 'SERVICE_INTERRUPTED', id: 'park-1' });
  expect(key.claims[0]?.awaitsSince).toBeUndefined();
});

test('a workflow that was cancelled before its create, and was reset, has only the states of its session', () => {
  const key = new Key();
  key.claim('one');
  const cancelled: LedgerFact = { kind: 'state', at, number: 1, status: 'Cancelled', source: 'cancel' };
  key.tell('one', cancelled, endOf({ status: 'Cancelled', leftNothing: true }));
  key.tell('one', opened('session-1'));
  expect(key.claims[0]?.state).toBeUndefined();
});

const cancelledBefore: readonly LedgerFact[] = [
  { kind: 'state', at, number: 1, status: 'Cancelled', source: 'cancel' },
  endOf({ status: 'Cancelled', withoutSession: true }),
];
const state: LedgerFact = { kind: 'state', at, number: 1, status: 'Initiated', source: 'create' };
const parkedThen: LedgerFact = {
  kind: 'parked',
  at: '2026-03-01T12:00:20.000Z',
  number: 1,
  code: 'SERVICE_INTERRUPTED',
  id: 'park-1',
};
const givenUp = {
  ...endOf({ failure: 'CREATE_ABANDONED', withoutSession: true }),
  at: '2026-03-01T12:01:00.000Z',
};

describe('a claim that was asked for before', () => {
  const since = '2026-03-01T12:00:05.000Z';
  const later = '2026-03-01T12:00:10.000Z';

  test('its workflow ended comes too late, until the workflow asks again: it was reset', () => {
    const key = new Key();
    key.claim('one');
    key.tell('one', { ...nothing, at: since });
    expect(key.claim('one')).toEqual({ outcome: 'late' });
    expect(key.claims[0]?.ended).toBeDefined();
    expect(key.claim('one', { at: later })).toEqual({ outcome: 'claimed' });
    expect(key.claims[0]?.ended).toBeUndefined();
  });

  test('another workflow got the key comes too late: the session stays with that one, until it is asked for again', () => {
    const key = new Key();
    key.claim('one');
    key.claim('two', { at: since });
    key.tell('two', { ...opened('session-1'), at: since });
    expect(key.claim('one')).toEqual({ outcome: 'late' });
    expect(key.standing).toBe('two');
    const again = key.claim('one', { at: later });
    expect(again).toMatchObject({ outcome: 'created', sessionId: 'session-1' });
    expect(key.claim('two', { at: since })).toEqual({ outcome: 'late' });
  });
});

test('a workflow that gets its key back gets its session back, too', () => {
  const key = new Key();
  key.claim('one');
  key.tell('one', opened('session-1'), paid);
  key.claim('two');
  expect(key.claim('one')).toEqual({ outcome: 'created', sessionId: 'session-1' });
  expect(summariesOf(key.claims)).toMatchObject([
    { claim: 1, listed: true, sessionId: 'session-1', paid: true },
    { claim: 2, listed: false },
  ]);
});

test.each([
  ['recorded before', [...cancelledBefore, opened('session-1')]],
  ['recorded after', [opened('session-1'), state, ...cancelledBefore]],
  ['of a given up create', [parkedThen, givenUp, opened('session-1')]],
  ['of a given up create whose session came first', [opened('session-1'), parkedThen, givenUp]],
])('an end without a session, %s, is not the end of a session that turns up', (_when, facts) => {
  const key = new Key();
  key.claim('one');
  key.tell('one', lost('a'), ...facts);
  expect(summariesOf(key.claims)).toMatchObject([
    { outcome: 'open', sessionId: 'session-1', mayBePaid: true },
  ]);
  expect(key.claims[0]?.state?.status).not.toBe('Cancelled');
  expect(key.claims[0]?.awaitsSince).toBeUndefined();
  expect(key.claim('two')).toMatchObject({ outcome: 'created', sessionId: 'session-1' });
});

test('a workflow that was reset and adopts another claim’s session keeps nothing of its own session', () => {
  const key = new Key();
  key.claim('one');
  key.tell('one', opened('session-1'), paid, { kind: 'settled', at, amount: 25 });
  key.tellLate('two', opened('session-2'));
  key.tell('one', opened('session-2', 'adopt'));
  expect(summariesOf(key.claims)).toMatchObject([
    { claim: 1, sessionId: 'session-2', money: 'open', paid: false },
    { claim: 2, listed: false },
  ]);
  expect(key.claims[0]?.saidPaid).toBe(false);
});

describe('a workflow whose claim is made late', () => {
  test('counts if no workflow has the key', () => {
    expect(new Key().tellLate('one', opened('session-1')).standing).toBe('one');
  });

  test('does not take a key from another, and keeps its own session', () => {
    const key = new Key();
    key.claim('two');
    key.tellLate('one', opened('session-1'));
    expect(key.standing).toBe('two');
    expect(summariesOf(key.claims)).toMatchObject([
      { claim: 1, stands: true },
      { claim: 2, stands: false, listed: true, sessionId: 'session-1' },
    ]);
  });

  test('keeps others from its key once the claim that had it has left nothing', () => {
    const key = new Key();
    key.claim('two');
    key.tellLate('one', opened('session-1')).tell('two', nothing);
    expect(key.standing).toBe('one');
    expect(key.claim('three', { fingerprint: 'another' })).toEqual({ outcome: 'conflict' });
  });

  test('takes the key over with the session that it reports: the ledger has lost it, as after a restore', () => {
    const key = new Key();
    key.claim('one');
    key.tell('one', opened('session-1')).tellLate('two', opened('session-1'), endOf({ paid: true }));
    expect(key.standing).toBe('two');
    expect(summariesOf(key.claims)).toMatchObject([
      { claim: 1, listed: false },
      { claim: 2, stands: true, sessionId: 'session-1', paid: true, money: 'paid' },
    ]);
  });

  test('is not made for one that left nothing, or has only heard how another’s session ended', () => {
    const key = new Key();
    key.claim('two');
    key.tell('two', opened('session-1'), endOf({ paid: true }));
    key.tellLate('one', nothing).tellLate('three', opened('session-1'), endOf({ paid: true }));
    expect(key.claims).toHaveLength(1);
  });
});

test('the end with the later time counts, whichever is recorded first', () => {
  const key = new Key();
  const later = endOf({ at: '2026-03-01T12:00:00.500Z', paid: true });
  key.claim('one');
  key.tell('one', later, endOf());
  expect(key.claims[0]?.ended?.paid).toBe(true);
});

test('a fact outside of every claim changes nothing', () => {
  const key = new Key().tell('nobody', opened('session-1'));
  expect(key.claims).toEqual([]);
});
