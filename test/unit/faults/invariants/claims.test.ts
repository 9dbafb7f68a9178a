import { describe, expect, test } from '@jest/globals';
import type { ListedClaim, RecordedEntry, RecordedKey } from '../../../../chaos/faults/ledger/recorded';
import { checkClaims, checkFollowers } from '../../../../chaos/faults/invariants/claims';
import {
  CANCELLED,
  entries,
  entry,
  ID,
  OTHER_ID,
  PAID,
  row,
} from '../../../../chaos/faults/invariants/hand-made';

// The letters in the test names are the invariants of chaos/faults/README.md. The ledger records a key's history as entries.
// A claim is the record that the key belongs to one workflow. The list has one row for each claim.
const ROW = row();

const violated = (recorded: RecordedKey) => [
  ...new Set(checkClaims('f-1', recorded).map(({ invariant }) => invariant)),
];
const listed = (own: readonly RecordedEntry[], ...rows: readonly Partial<ListedClaim>[]): RecordedKey => ({
  entries: own,
  claims: rows.map((row) => ({ ...ROW, ...row })),
});

/** The entries of two claims. The workflow of the second claim took over the session of the first claim. */
const takenOver = [
  ...entries({ 5: { kind: 'state', body: { number: 3, ...PAID } } }),
  entry({ number: 6, claim: 2, body: { firstRunId: 'run-2', takesOver: 1 } }),
  entry({ number: 7, claim: 2, kind: 'opened', body: { sessionId: ID, how: 'takeOver' } }),
];
const { sessionId: _session, status: _status, ...LEFT } = ROW;
const ofTakeOver: RecordedKey = {
  entries: takenOver,
  claims: [
    { ...LEFT, stands: false, outcome: 'open' },
    { ...ROW, claim: 2, firstRunId: 'run-2', outcome: 'open', paid: true },
  ],
};

test('the check of a key’s claims finds no violation if the list agrees with the entries', () => {
  expect(violated(listed(entries(), {}))).toEqual([]);
  expect(violated(ofTakeOver)).toEqual([]);
});

describe('the check of a key’s claims finds', () => {
  test('(x) an end of another workflow, a claim that does not begin with `claimed`, and two claims of one workflow', () => {
    const foreign = { firstRunId: 'run-2', paid: true, ...PAID };
    expect(violated(listed(entries({ 5: { body: foreign } }), {}))).toEqual(['x']);
    expect(violated(listed(entries({ 1: { kind: 'parked' } }), {}))).toEqual(['x']);
    const twice = entry({ number: 6, claim: 2 });
    const free = { claim: 2, stands: false, outcome: 'open' };
    expect(violated({ ...listed([...entries(), twice], {}), claims: [ROW, { ...LEFT, ...free }] })).toEqual([
      'x',
    ]);
  });

  test('(x) a claim with the session of another claim that it did not take over', () => {
    const [first, second] = [takenOver.slice(0, -1), takenOver.slice(-1)];
    const own = second.map((opened) => ({ ...opened, body: { sessionId: ID, how: 'create' } }));
    expect(violated({ ...ofTakeOver, entries: [...first, ...own] })).toEqual(['x']);
  });

  test('(y) a row of the list that contradicts the entries, a missing row, and a key without a current claim', () => {
    expect(violated(listed(entries(), { paid: false }))).toEqual(['y']);
    expect(violated(listed(entries(), { status: 'Cancelled' }))).toEqual(['y']);
    expect(violated(listed(entries(), { sessionId: OTHER_ID }))).toEqual(['y']);
    expect(violated(listed(entries(), { outcome: 'open' }))).toEqual(['y']);
    expect(violated(listed(entries(), { firstRunId: 'run-2' }))).toEqual(['y']);
    expect(violated(listed(entries(), { stands: false }))).toEqual(['y']);
    expect(violated(listed(entries()))).toEqual(['y']);
    expect(
      violated({ ...ofTakeOver, claims: ofTakeOver.claims.map((row) => ({ ...row, sessionId: ID })) }),
    ).toEqual(['y']);
  });

  test('(y) a list that shows an earlier end, although a later end was recorded before it', () => {
    const late = entry({
      number: 6,
      kind: 'ended',
      atMs: 1_200,
      body: { firstRunId: 'run-1', paid: false, ...CANCELLED },
    });
    expect(violated(listed([...entries(), late], {}))).toEqual([]);
    expect(violated(listed([...entries(), late], { status: 'Cancelled', paid: false }))).toEqual(['y']);
  });

  test('(u) one session of the payment service that belongs to two keys', () => {
    const alone = new Map([['f-1', listed(entries(), {})]]);
    expect(checkFollowers(alone)).toEqual([]);
    const both = new Map([...alone, ['f-2', listed(entries(), {})]]);
    expect(checkFollowers(both)).toMatchObject([{ invariant: 'u', where: 'f-1' }]);
  });
});
