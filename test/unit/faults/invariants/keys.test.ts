import { describe, expect, test } from '@jest/globals';
import {
  BEGUN,
  CANCELLED,
  entries,
  entry,
  ID,
  keyEvidence,
  OTHER_ID,
  PAID,
  row,
} from '../../../../chaos/faults/invariants/hand-made';
import type { KeyCreate, KeyEvidence, Upheavals } from '../../../../chaos/faults/invariants/key-evidence';
import { checkKeys } from '../../../../chaos/faults/invariants/keys';
import type { RecordedEntry } from '../../../../chaos/faults/ledger/recorded';

// The letters in the test names are the invariants of chaos/faults/README.md. Evidence of a key has the create requests that
// its workflows sent, and what the ledger recorded.
const violated = (
  evidence: KeyEvidence | readonly KeyEvidence[],
  { restores = [], sweeps = [] }: Partial<Upheavals> = {},
) => [...new Set(checkKeys({ keys: [evidence].flat(), restores, sweeps }).map(({ invariant }) => invariant))];

const madeAt = (atMs: number, sessionId: string, amount = 25, truth = [BEGUN]): KeyCreate => ({
  atMs,
  made: { sessionId, amount, truth },
});
/** An earlier create request that created a session. The answer was lost. */
const LOST = madeAt(995, OTHER_ID);
const { creates } = keyEvidence();
const orphan = entry({ number: 6, kind: 'anomaly', body: { number: 1, anomaly: 'possibleOrphan' } });
const withOrphan = { entries: [...entries(), orphan], claims: [row()] };
const RETRY: KeyEvidence['plan'] = { onUnknownCreate: 'retry', faults: [], strikes: [] };
/** Restores of both servers after the first create request, to a copy from before all requests. */
const RESTORES: Upheavals['restores'] = (['ledger', 'temporal'] as const).map((server) => ({
  server,
  copiedAtMs: 900,
  atMs: 998,
}));
const NOTHING = { entries: [], claims: [] };
/** A second workflow took over the session, and ended. Then Temporal was restored, and the first workflow ended paid. */
function takenOver({ paid, ...last } = { paid: true, ...PAID }): KeyEvidence['recorded'] {
  const later = (changes: Partial<RecordedEntry>) => entry({ committedAtMs: 1_500, ...changes });
  const { sessionId: _taken, ...left } = row({ stands: false, listed: false });
  return {
    entries: [
      ...entries().slice(0, 3),
      later({ number: 4, claim: 2, id: 'claimed:2', body: { firstRunId: 'run-2', takesOver: 1 } }),
      later({ number: 5, claim: 2, kind: 'opened', body: { sessionId: ID, how: 'takeOver' } }),
      later({ number: 6, claim: 2, kind: 'ended', body: { firstRunId: 'run-2', paid, ...last } }),
      later({ number: 7, kind: 'ended', body: { firstRunId: 'run-1', paid: true, ...PAID } }),
    ],
    claims: [left, row({ claim: 2, firstRunId: 'run-2', paid, status: last.status })],
  };
}

describe('the check of keys finds no violation in', () => {
  test('a key that was started once, and a key that was cancelled before its create request', () => {
    expect(violated(keyEvidence())).toEqual([]);
    const cancelled = { firstRunId: 'run-1', paid: false, status: 'Cancelled' };
    const end = entry({ number: 2, kind: 'ended', body: cancelled });
    const { sessionId: _session, ...left } = row({ paid: false, status: 'Cancelled' });
    const recorded = { entries: [entry(), end], claims: [left] };
    expect(violated(keyEvidence({ creates: [], recorded, told: { paid: false } }))).toEqual([]);
  });

  test('a second session that the policy or a person ordered, with a recorded possible orphan', () => {
    expect(violated(keyEvidence({ plan: RETRY, creates: [LOST, ...creates], recorded: withOrphan }))).toEqual(
      [],
    );
    const decisions = [{ decision: 'retry', atMs: 996, doneAtMs: 1_005 }];
    expect(violated(keyEvidence({ decisions, creates: [LOST, ...creates], recorded: withOrphan }))).toEqual(
      [],
    );
  });

  test('a second session after both the ledger and Temporal have forgotten the first, even for another request', () => {
    const forgotten = keyEvidence({ creates: [madeAt(995, OTHER_ID, 26, [BEGUN, PAID]), ...creates] });
    expect(violated(forgotten, { restores: RESTORES })).toEqual([]);
  });

  test('a create request after a session was opened, if a restore of the ledger has undone that session’s record', () => {
    const lost = [{ untilMs: 998, entries: entries({ 2: { committedAtMs: 996 } }) }];
    const evidence = keyEvidence({ plan: RETRY, creates: [LOST, ...creates], recorded: withOrphan, lost });
    expect(violated(evidence, { restores: RESTORES })).toEqual([]);
  });

  test('an unlisted claim with a paid end, after another claim took over its session', () => {
    expect(violated(keyEvidence({ recorded: takenOver() }))).toEqual([]);
  });

  test('a session of another key that a person has adopted', () => {
    const named = { ...entries()[1], body: { sessionId: OTHER_ID, how: 'adopt' } };
    const adopter = keyEvidence({
      recorded: { entries: entries({ 2: named }), claims: [row({ sessionId: OTHER_ID })] },
      told: { sessionId: OTHER_ID, paid: true, status: 'Completed' },
    });
    const parked = {
      entries: [entry({ committedAtMs: 890 })],
      claims: [row({ outcome: 'open', paid: false })],
    };
    const { sessionId: _session, status: _status, ...unopened } = parked.claims[0] ?? row();
    const other = keyEvidence({
      key: 'f-2',
      creates: [madeAt(900, OTHER_ID, 25, [BEGUN, PAID])],
      recorded: { ...parked, claims: [unopened] },
      told: { paid: false },
    });
    expect(violated([adopter, other])).toEqual([]);
  });
});

describe('the check of keys finds', () => {
  test('(e) a key whose workflow never ends, and (h) an error without a code', () => {
    expect(violated(keyEvidence({ isStuck: true }))).toEqual(['e']);
    const call = { does: 'start 25', atMs: 1_000 };
    expect(violated(keyEvidence({ calls: [{ ...call, error: 'Error: what?' }] }))).toEqual(['h']);
    expect(violated(keyEvidence({ calls: [{ ...call, error: 'SESSION_CONFLICT' }] }))).toEqual([]);
  });

  test('(n) a create request before the claim, and a create request after the ledger knew a session', () => {
    const early = entries({ 1: { committedAtMs: 1_001 } });
    expect(violated(keyEvidence({ recorded: { entries: early, claims: [row()] } }))).toEqual(['n']);
    const again = [...creates, { atMs: 1_200 }];
    expect(violated(keyEvidence({ creates: again }))).toEqual(['n']);
  });

  test('(o) a gap in the numbers of the entries', () => {
    const gap = entries({ 4: { number: 5 }, 5: { number: 6 } });
    expect(violated(keyEvidence({ recorded: { entries: gap, claims: [row()] } }))).toEqual(['o']);
  });

  test('(p) an end that callers received, but that the list does not have', () => {
    expect(violated(keyEvidence({ told: { sessionId: OTHER_ID, paid: true, status: 'Completed' } }))).toEqual(
      ['p'],
    );
    expect(violated(keyEvidence({ told: { sessionId: ID, paid: false, status: 'Cancelled' } }))).toEqual([
      'p',
    ]);
  });

  test('(u) one session of the payment service that belongs to two keys', () => {
    const other = keyEvidence({ key: 'f-2', creates: [], recorded: NOTHING });
    expect(violated([keyEvidence(), other])).toEqual(['p', 'u']);
  });

  test('(v) a second session without a decision, even with a recorded possible orphan', () => {
    expect(violated(keyEvidence({ creates: [LOST, ...creates], recorded: withOrphan }))).toEqual(['v']);
    // Only the ledger has forgotten the first session.
    const one = RESTORES.slice(0, 1);
    expect(violated(keyEvidence({ creates: [LOST, ...creates] }), { restores: one })).toEqual(['v']);
  });

  test('(v) a session without a claim that follows it and without a recorded possible orphan', () => {
    expect(violated(keyEvidence({ plan: RETRY, creates: [LOST, ...creates] }))).toEqual(['v']);
  });

  test('(v) two sessions with different requests', () => {
    const other = [madeAt(995, OTHER_ID, 26), ...creates];
    expect(violated(keyEvidence({ plan: RETRY, creates: other, recorded: withOrphan }))).toEqual(['v']);
  });

  test('(w) a payment that is not listed as paid', () => {
    const open = entries().slice(0, 3);
    const claims = [row({ outcome: 'open', status: 'Initiated', paid: false })];
    expect(violated(keyEvidence({ recorded: { entries: open, claims }, told: { paid: false } }))).toEqual([
      'w',
    ]);
    // The workflow knows the payment, and the list lacks it.
    expect(violated(keyEvidence({ recorded: NOTHING, creates }))).toContain('w');
  });

  test('(w) a claim without a session that is listed as paid', () => {
    const unopened = entries({ 2: { kind: 'cancel', body: {} } });
    const { sessionId: _session, ...left } = row();
    const recorded = { entries: unopened, claims: [left] };
    expect(violated(keyEvidence({ creates: [], recorded, told: { paid: true } }))).toEqual(['w', 'x']);
  });

  test('(w) an unlisted claim with a paid end and an unpaid session', () => {
    const unpaid = [madeAt(1_000, ID, 25, [BEGUN, CANCELLED])];
    const recorded = takenOver({ paid: false, ...CANCELLED });
    expect(violated(keyEvidence({ creates: unpaid, recorded, told: { paid: false } }))).toEqual(['w', 'x']);
  });

  test('(x) a state and an end that the session never had', () => {
    const foreign = entries({ 3: { body: { number: 1, ...CANCELLED } } });
    expect(violated(keyEvidence({ recorded: { entries: foreign, claims: [row()] } }))).toEqual(['x']);
    const unpaid = [madeAt(1_000, ID, 25, [BEGUN, CANCELLED])];
    expect(violated(keyEvidence({ creates: unpaid }))).toEqual(['w', 'x']);
  });
});
