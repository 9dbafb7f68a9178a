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

const SUBJECT = evidence();

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
    expect(violated(entries({ 4: { id: 'state:3' } }))).toEqual(['o']);
  });

  test('(p) a session without a caller, an unknown one, and an end that no caller received', () => {
    const foreign = entry({ number: 6, kind: 'opened', body: { sessionId: OTHER_ID }, committedAtMs: 1_500 });
    expect(violated([...entries(), foreign])).toEqual(['p']);
    expect(violated(entries({ 2: { kind: 'state' } }))).toEqual(['p']);
    expect(violated(entries({ 5: { body: { paid: false, failure: 'CREATE_ABANDONED' } } }))).toEqual(['p']);
    const unpaid = { paid: false, status: 'Completed', code: 'EFT0302' };
    expect(violated(entries({ 5: { body: unpaid } }))).toEqual(['p']);
  });

  test('(p) a reported end that is not that of the service', () => {
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

  test('(r) an end that is not recorded, also where the key’s next claim has one', () => {
    expect(violated(entries({ 5: { kind: 'state' } }))).toEqual(['r']);
    const next = [
      entry({ number: 5, claim: 2, body: { firstRunId: 'run-2' } }),
      entry({ number: 6, claim: 2, kind: 'ended', body: { firstRunId: 'run-2', paid: true } }),
    ];
    expect(violated([...entries().slice(0, 4), ...next])).toEqual(['r']);
  });
});

test('a create whose answer was lost may be sent again, as long as the ledger does not know its session', () => {
  const first = exchange({ call: 'create', occurrence: 1, atMs: 1_000, isClean: false });
  const second = exchange({ call: 'create', occurrence: 2, atMs: 1_080 });
  const creations = [...SUBJECT.creations, { sessionId: OTHER_ID, truth: [], cancels: 0 }];
  const subject = endedAs(result({ anomalies: [orphan] }), { exchanges: [first, second], creations });
  expect(violated(entries(), subject)).toEqual([]);
});

test('a session is compared with the claim of its own workflow, and with the latest end there', () => {
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

test('the claim of the key’s next workflow says nothing of a session that was left', () => {
  const creation = { sessionId: ID, truth: [BEGUN, { status: 'Cancelled' }], cancels: 1 };
  const cancelled = result({ paid: false, ...CANCELLED });
  const first = entries({ 5: { body: { firstRunId: 'run-1', paid: false, ...CANCELLED } } });
  const next = [
    entry({ number: 6, claim: 2, body: { firstRunId: 'run-2' } }),
    entry({ number: 7, claim: 2, kind: 'ended', body: { firstRunId: 'run-2', paid: true, ...PAID } }),
  ];
  expect(violated([...first, ...next], endedAs(cancelled, { creations: [creation] }))).toEqual([]);
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

describe('once Temporal has dropped a session,', () => {
  const ended = { key: 'f-1', ending: evidence().ending as Ending, wasReset: false };
  const failed: Dropped = {
    ...ended,
    ending: { how: 'failed', code: 'CREATE_ABANDONED', state: {} as never, stateHistory: [] },
  };
  const asked = { creates: 0 };
  const same: StartAgain = { ...asked, isSame: true, result: result() };
  const another: StartAgain = { ...asked, isSame: false, error: 'SESSION_CONFLICT' };
  const found = (dropped: Dropped, start: StartAgain) =>
    checkDropped(dropped, start).map(({ invariant }) => invariant);

  test('(q) nothing is wrong with the recorded result or failure again, nor with a conflict', () => {
    expect(found(ended, same)).toEqual([]);
    expect(found(ended, another)).toEqual([]);
    expect(found(failed, { ...asked, isSame: true, error: 'CREATE_ABANDONED' })).toEqual([]);
    expect(found({ ...ended, wasReset: true }, { ...same, result: result({ amount: 26 }) })).toEqual([]);
  });

  test('(q) another answer is found, another result, a session for another request, and a create', () => {
    expect(found(ended, { ...same, error: 'SESSION_CONFLICT' })).toEqual(['q']);
    expect(found(failed, { ...asked, isSame: true, error: 'SESSION_CONFLICT' })).toEqual(['q']);
    expect(found(ended, { ...same, result: result({ amount: 26 }) })).toEqual(['q']);
    expect(found(failed, { ...asked, isSame: false, result: result() })).toEqual(['q']);
    expect(found(ended, { ...same, creates: 1 })).toEqual(['q']);
    expect(found(ended, { ...another, creates: 1 })).toEqual(['q']);
  });
});

describe('as the ledger is verified at the end,', () => {
  const good: VerifiedLedger = { entries: 9, covered: 9, waiting: 0, checkpoints: 3 };
  const found = (changes: Partial<KeptLedger>) =>
    checkVerified({ failures: [], verified: [good, good], checkpoints: 2, ...changes }).map(
      ({ invariant }) => invariant,
    );

  test('(s) nothing is wrong if all checkpoints exist, including the one that an auditor has brought', () => {
    expect(found({})).toEqual([]);
  });

  test('(s) a fault is found, a checkpoint that is not there, an entry without a place, and a keeper that failed', () => {
    const fault: LedgerFault = { kind: 'edited', message: 'entry 2 was changed' };
    expect(found({ verified: [{ ...good, fault }, good] })).toEqual(['s']);
    expect(found({ checkpoints: 3 })).toEqual(['s']);
    expect(found({ verified: [good, { ...good, waiting: 1 }] })).toEqual(['s']);
    expect(found({ failures: ['LEDGER_TAMPERED'] })).toEqual(['s']);
  });
});
