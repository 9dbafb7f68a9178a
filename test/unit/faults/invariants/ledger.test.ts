import { describe, expect, test } from '@jest/globals';
import type { VerifiedLedger } from '../../../../ledger';
import type { LedgerFault } from '../../../../ledger/log/fault';
import type { RecordedEntry } from '../../../../chaos/faults/ledger/recorded';
import { checkDropped, type Dropped, type StartAgain } from '../../../../chaos/faults/invariants/dropped';
import type { Ending, Invariant } from '../../../../chaos/faults/invariants/evidence';
import {
  BEGUN,
  CANCELLED,
  endedAs,
  entries,
  entry,
  evidence,
  exchange,
  ID,
  orphan,
  OTHER_ID,
  PAID,
  result,
} from '../../../../chaos/faults/invariants/hand-made';
import { checkAway } from '../../../../chaos/faults/invariants/ledger-away';
import { checkLedger, type LedgerSubject } from '../../../../chaos/faults/invariants/ledger';
import { checkVerified, type KeptLedger } from '../../../../chaos/faults/invariants/verified';

// The letters in the test names are the invariants of chaos/faults/README.md. The ledger records a session's history as
// entries. Entries belong to a claim: the record that the key belongs to one workflow.
const SUBJECT = evidence();

const violated = (recorded: readonly RecordedEntry[], subject: LedgerSubject = SUBJECT): Invariant[] => [
  ...new Set(checkLedger(subject, recorded).map(({ invariant }) => invariant)),
];

test('the check of a session’s ledger entries finds no violation if the session went well', () => {
  expect(violated(entries())).toEqual([]);
});

describe('the check of a session’s ledger entries finds', () => {
  test('(n) a create request before the claim, and a create request after the ledger knew the session', () => {
    expect(violated(entries({ 1: { committedAtMs: 1_001 } }))).toEqual(['n']);
    const again = exchange({ call: 'create', occurrence: 2, atMs: 1_200 });
    expect(violated(entries(), { ...SUBJECT, exchanges: [...SUBJECT.exchanges, again] })).toEqual(['n']);
    expect(violated([], { ...SUBJECT, ending: undefined as never })).toEqual(['n']);
  });

  test('(o) a gap in the numbers, a number that exists twice, and a fact that exists twice', () => {
    expect(violated(entries({ 3: { number: 4 } }))).toEqual(['o']);
    expect(violated(entries({ 4: { number: 3 } }))).toEqual(['o']);
    expect(violated(entries({ 4: { id: 'state:3' } }))).toEqual(['o']);
  });

  test('(p) a session that no caller knows, a missing session, and an end that no caller received', () => {
    const foreign = entry({ number: 6, kind: 'opened', body: { sessionId: OTHER_ID }, committedAtMs: 1_500 });
    expect(violated([...entries(), foreign])).toEqual(['p']);
    expect(violated(entries({ 2: { kind: 'state' } }))).toEqual(['p']);
    expect(violated(entries({ 5: { body: { paid: false, failure: 'CREATE_ABANDONED' } } }))).toEqual(['p']);
    const unpaid = { paid: false, status: 'Completed', code: 'EFT0302' };
    expect(violated(entries({ 5: { body: unpaid } }))).toEqual(['p']);
  });

  test('(p) an end that differs from the end at the payment service', () => {
    const cancelled = result({ paid: false, ...CANCELLED });
    expect(violated(entries({ 5: { body: { paid: false, ...CANCELLED } } }), endedAs(cancelled))).toEqual([
      'p',
    ]);
    const begun = result({ status: 'Initiated', code: 'EFT0101' });
    const creations = [{ sessionId: ID, truth: [BEGUN], cancels: 0 }];
    expect(
      violated(entries({ 5: { body: { paid: true, ...BEGUN } } }), endedAs(begun, { creations })),
    ).toEqual(['p']);
  });

  test('(r) a missing end, even if the key’s next claim has an end', () => {
    expect(violated(entries({ 5: { kind: 'state' } }))).toEqual(['r']);
    const next = [
      entry({ number: 5, claim: 2, body: { firstRunId: 'run-2' } }),
      entry({ number: 6, claim: 2, kind: 'ended', body: { firstRunId: 'run-2', paid: true } }),
    ];
    expect(violated([...entries().slice(0, 4), ...next])).toEqual(['r']);
  });
});

test('the check of ledger entries allows a second create request if the first answer was lost', () => {
  const first = exchange({ call: 'create', occurrence: 1, atMs: 1_000, isClean: false });
  const second = exchange({ call: 'create', occurrence: 2, atMs: 1_080 });
  const creations = [...SUBJECT.creations, { sessionId: OTHER_ID, truth: [], cancels: 0 }];
  const subject = endedAs(result({ anomalies: [orphan] }), { exchanges: [first, second], creations });
  expect(violated(entries(), subject)).toEqual([]);
});

test('the check of ledger entries compares a session with the latest end in its own workflow’s claim', () => {
  const free = { firstRunId: 'run-0', paid: false, status: 'Cancelled' };
  const before = [
    entry({ number: 1, claim: 1, body: { firstRunId: 'run-0' }, committedAtMs: 500 }),
    entry({ number: 2, claim: 1, kind: 'ended', body: free, committedAtMs: 510 }),
  ];
  const own = entries().map((one) => ({ ...one, claim: 2, number: one.number + 2 }));
  const refused = { firstRunId: 'run-1', paid: false, ...CANCELLED };
  const late = entry({ number: 8, claim: 2, kind: 'ended', atMs: 1_200, body: refused });
  expect(violated([...before, ...own, late])).toEqual([]);
});

test('the check of ledger entries ignores the claim of the key’s next workflow', () => {
  const creation = { sessionId: ID, truth: [BEGUN, { status: 'Cancelled' }], cancels: 1 };
  const cancelled = result({ paid: false, ...CANCELLED });
  const first = entries({ 5: { body: { firstRunId: 'run-1', paid: false, ...CANCELLED } } });
  const next = [
    entry({ number: 6, claim: 2, body: { firstRunId: 'run-2' } }),
    entry({ number: 7, claim: 2, kind: 'ended', body: { firstRunId: 'run-2', paid: true, ...PAID } }),
  ];
  expect(violated([...first, ...next], endedAs(cancelled, { creations: [creation] }))).toEqual([]);
});

describe('the check of a long outage of the ledger', () => {
  const outage = { fromMs: 5_000, untilMs: 605_000 };
  const open = evidence({ endedAtMs: 30_000 });

  test('(t) finds no violation in an open session that ends soon, or in a session that waits to be created', () => {
    expect(checkAway(open, outage)).toEqual([]);
    const waiting = [exchange({ call: 'create', atMs: 606_000 }), exchange({ atMs: 607_000 })];
    expect(checkAway(evidence({ exchanges: waiting, endedAtMs: 620_000 }), outage)).toEqual([]);
  });

  test('(t) finds an open session that waits for the ledger, and a create request during the outage', () => {
    expect(checkAway({ ...open, endedAtMs: 606_000 }, outage)).toMatchObject([{ invariant: 't' }]);
    const created = [exchange({ call: 'create', atMs: 300_000 })];
    expect(checkAway(evidence({ exchanges: created }), outage)).toMatchObject([{ invariant: 't' }]);
  });
});

describe('the check of a second start after Temporal has dropped the session', () => {
  const ended = { key: 'f-1', ending: evidence().ending as Ending, wasReset: false };
  const failed: Dropped = {
    ...ended,
    ending: { how: 'failed', code: 'CREATE_ABANDONED', state: {} as never, stateHistory: [] },
  };
  const sent = { creates: 0 };
  const same: StartAgain = { ...sent, isSame: true, result: result() };
  const another: StartAgain = { ...sent, isSame: false, error: 'SESSION_CONFLICT' };
  const found = (dropped: Dropped, start: StartAgain) =>
    checkDropped(dropped, start).map(({ invariant }) => invariant);

  test('(q) accepts the recorded result or failure, and a conflict for another request', () => {
    expect(found(ended, same)).toEqual([]);
    expect(found(ended, another)).toEqual([]);
    expect(found(failed, { ...sent, isSame: true, error: 'CREATE_ABANDONED' })).toEqual([]);
    expect(found({ ...ended, wasReset: true }, { ...same, result: result({ amount: 26 }) })).toEqual([]);
  });

  test('(q) finds an unexpected conflict, another result, a result for another request, and a create request', () => {
    expect(found(ended, { ...same, error: 'SESSION_CONFLICT' })).toEqual(['q']);
    expect(found(failed, { ...sent, isSame: true, error: 'SESSION_CONFLICT' })).toEqual(['q']);
    expect(found(ended, { ...same, result: result({ amount: 26 }) })).toEqual(['q']);
    expect(found(failed, { ...sent, isSame: false, result: result() })).toEqual(['q']);
    expect(found(ended, { ...same, creates: 1 })).toEqual(['q']);
    expect(found(ended, { ...another, creates: 1 })).toEqual(['q']);
  });
});

describe('the check of the final verifications of the ledger', () => {
  const good: VerifiedLedger = { entries: 9, covered: 9, waiting: 0, checkpoints: 3 };
  const found = (changes: Partial<KeptLedger>) =>
    checkVerified({ failures: [], verified: [good, good], checkpoints: 2, ...changes }).map(
      ({ invariant }) => invariant,
    );

  test('(s) finds no violation if all checkpoints exist, also the checkpoint that an auditor kept', () => {
    expect(found({})).toEqual([]);
  });

  test('(s) finds a fault, a missing checkpoint, an entry without a place in the log, and a failed keeper', () => {
    const fault: LedgerFault = { kind: 'edited', message: 'entry 2 was changed' };
    expect(found({ verified: [{ ...good, fault }, good] })).toEqual(['s']);
    expect(found({ checkpoints: 3 })).toEqual(['s']);
    expect(found({ verified: [good, { ...good, waiting: 1 }] })).toEqual(['s']);
    expect(found({ failures: ['LEDGER_TAMPERED'] })).toEqual(['s']);
  });
});
