import { describe, expect, test } from '@jest/globals';
import type { RecordedEntry } from '../ledger/recorded';
import type { Invariant } from './evidence';
import { CANCELLED, endedAs, evidence, exchange, ID, orphan, OTHER_ID, result } from './hand-made';
import { checkAway } from './ledger-away';
import { checkLedger, type LedgerSubject } from './ledger';

const SUBJECT = evidence();

/** The entries of a session that went well: its create is sent at 1,000 ms. */
function entries(changes: Readonly<Record<number, Partial<RecordedEntry>>> = {}): readonly RecordedEntry[] {
  const end = { firstRunId: 'run-1', paid: true, status: 'Completed', code: 'EFT0301' };
  const kinds = ['claimed', 'opened', 'state', 'state', 'ended'];
  return kinds.map((kind, index) => ({
    number: index + 1,
    id: `${kind}:${index}`,
    kind,
    body: kind === 'opened' ? { sessionId: ID, how: 'create' } : kind === 'ended' ? end : {},
    committedAtMs: 990 + index * 100,
    ...changes[index + 1],
  }));
}

const violated = (recorded: readonly RecordedEntry[], subject: LedgerSubject = SUBJECT): Invariant[] => [
  ...new Set(checkLedger(subject, recorded).map(({ invariant }) => invariant)),
];

test('nothing is wrong with the entries of a session that went well', () => {
  expect(violated(entries())).toEqual([]);
});

describe('what the ledger does not have as it was is found:', () => {
  test('(n) a create before the claim, and one after the session was known', () => {
    expect(violated(entries({ 1: { committedAtMs: 1_001 } }))).toEqual(['n']);
    const again = exchange({ call: 'create', occurrence: 2, atMs: 1_200 });
    expect(violated(entries(), { ...SUBJECT, exchanges: [...SUBJECT.exchanges, again] })).toEqual(['n']);
    expect(violated([], { ...SUBJECT, ending: undefined as never })).toEqual(['n']);
  });

  test('(o) a gap, a number that is there twice, and a fact that is', () => {
    expect(violated(entries({ 3: { number: 4 } }))).toEqual(['o']);
    expect(violated(entries({ 4: { number: 3 } }))).toEqual(['o']);
    expect(violated(entries({ 4: { id: 'state:2' } }))).toEqual(['o']);
  });

  test('(p) a session of nobody, one that is not known, and an end that nobody was told', () => {
    expect(violated(entries({ 2: { body: { sessionId: OTHER_ID } } }))).toEqual(['p']);
    expect(violated(entries({ 2: { kind: 'state' } }))).toEqual(['p']);
    expect(violated(entries({ 5: { body: { paid: false, status: 'Failed' } } }))).toEqual(['p']);
    const cancelled = result({ paid: false, ...CANCELLED });
    expect(violated(entries({ 5: { body: { paid: false, ...CANCELLED } } }), endedAs(cancelled))).toEqual([
      'p',
    ]);
    expect(violated(entries({ 5: { body: { paid: false, failure: 'CREATE_ABANDONED' } } }))).toEqual(['p']);
  });

  test('(r) an end that is not recorded', () => {
    expect(violated(entries({ 5: { kind: 'state' } }))).toEqual(['r']);
  });
});

test('a create whose answer was lost may be sent again, as long as the ledger does not know its session', () => {
  const first = exchange({ call: 'create', occurrence: 1, atMs: 1_000, isClean: false });
  const second = exchange({ call: 'create', occurrence: 2, atMs: 1_080 });
  const creations = [...SUBJECT.creations, { sessionId: OTHER_ID, truth: [], cancels: 0 }];
  const subject = endedAs(result({ anomalies: [orphan] }), { exchanges: [first, second], creations });
  expect(violated(entries(), subject)).toEqual([]);
});

describe('while the ledger is away', () => {
  const away = { fromMs: 5_000, untilMs: 605_000 };
  const open = evidence({ endedAtMs: 30_000 });

  test('(t) nothing is wrong with an open session that ends soon, nor with one that waits to be created', () => {
    expect(checkAway(open, away)).toEqual([]);
    const waiting = [exchange({ call: 'create', atMs: 606_000 }), exchange({ atMs: 607_000 })];
    expect(checkAway(evidence({ exchanges: waiting, endedAtMs: 620_000 }), away)).toEqual([]);
  });

  test('(t) an open session that waits for it is found, and so is a create', () => {
    expect(checkAway({ ...open, endedAtMs: 606_000 }, away)).toMatchObject([{ invariant: 't' }]);
    const created = [exchange({ call: 'create', atMs: 300_000 })];
    expect(checkAway(evidence({ exchanges: created }), away)).toMatchObject([{ invariant: 't' }]);
  });
});
