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

const ROW = row();

const violated = (recorded: RecordedKey) => [
  ...new Set(checkClaims('f-1', recorded).map(({ invariant }) => invariant)),
];
const listed = (own: readonly RecordedEntry[], ...rows: readonly Partial<ListedClaim>[]): RecordedKey => ({
  entries: own,
  claims: rows.map((row) => ({ ...ROW, ...row })),
});

/** The first claim, and that of a workflow which took its session over. */
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

test('no invariant is violated by a claim that is listed as its entries say, nor by one that is taken over', () => {
  expect(violated(listed(entries(), {}))).toEqual([]);
  expect(violated(ofTakeOver)).toEqual([]);
});

describe('a violation is caught:', () => {
  test('(x) an end of another workflow, a claim without a claimed, and two claims of one workflow', () => {
    const foreign = { firstRunId: 'run-2', paid: true, ...PAID };
    expect(violated(listed(entries({ 5: { body: foreign } }), {}))).toEqual(['x']);
    expect(violated(listed(entries({ 1: { kind: 'parked' } }), {}))).toEqual(['x']);
    const twice = entry({ number: 6, claim: 2 });
    const free = { claim: 2, stands: false, outcome: 'open' };
    expect(violated({ ...listed([...entries(), twice], {}), claims: [ROW, { ...LEFT, ...free }] })).toEqual([
      'x',
    ]);
  });

  test('(x) a session that another claim of the key had, and that was not taken over', () => {
    const [first, second] = [takenOver.slice(0, -1), takenOver.slice(-1)];
    const own = second.map((opened) => ({ ...opened, body: { sessionId: ID, how: 'create' } }));
    expect(violated({ ...ofTakeOver, entries: [...first, ...own] })).toEqual(['x']);
  });

  test('(y) a row that says something else than the entries, one that is not there, and a key without a standing claim', () => {
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

  test('(y) an end that is recorded after a later one, and listed', () => {
    const late = entry({
      number: 6,
      kind: 'ended',
      atMs: 1_200,
      body: { firstRunId: 'run-1', paid: false, ...CANCELLED },
    });
    expect(violated(listed([...entries(), late], {}))).toEqual([]);
    expect(violated(listed([...entries(), late], { status: 'Cancelled', paid: false }))).toEqual(['y']);
  });

  test('(u) a session that two keys have', () => {
    const alone = new Map([['f-1', listed(entries(), {})]]);
    expect(checkFollowers(alone)).toEqual([]);
    const both = new Map([...alone, ['f-2', listed(entries(), {})]]);
    expect(checkFollowers(both)).toMatchObject([{ invariant: 'u', where: 'f-1' }]);
  });
});
