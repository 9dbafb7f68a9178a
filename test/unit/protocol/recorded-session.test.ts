import { describe, expect, test } from '@jest/globals';
import { recordedSession } from '../../../src/protocol/ledger/recorded-session';
import type { LedgerFact } from '../../../src/protocol/ledger/facts';
import type { SessionResult } from '../../../src/protocol/state/session';
import { eft } from '../../support/requests';

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 12, minute)).toISOString();
const request = eft('invoice-77');

type OfKind<Kind extends LedgerFact['kind']> = Extract<LedgerFact, { kind: Kind }>;

const claimedWithoutRequest: OfKind<'claimed'> = {
  kind: 'claimed',
  at: at(0),
  fingerprint: 'same',
  firstRunId: 'run-1',
  account: 'west',
  sessionKind: 'EFT',
  direction: 'DEBIT',
  amount: 25,
  currency: 'CAD',
};
const claimed = (own: Partial<OfKind<'claimed'>> = {}): LedgerFact => ({
  ...claimedWithoutRequest,
  request,
  ...own,
});
const opened: LedgerFact = { kind: 'opened', at: at(1), sessionId: 'session-1', how: 'create' };
const state = (number: number, code: string, own: Partial<OfKind<'state'>> = {}): LedgerFact => ({
  kind: 'state',
  at: at(number),
  number,
  status: code === 'EFT0101' ? 'Initiated' : 'Completed',
  code,
  source: 'poll',
  ...own,
});
const ended = (own: Partial<OfKind<'ended'>>): LedgerFact => ({
  kind: 'ended',
  at: at(9),
  firstRunId: 'run-1',
  paid: false,
  leftNothing: false,
  ...own,
});
const paid = { paid: true, status: 'Completed', code: 'EFT0301' } as const;
const result: SessionResult = {
  key: 'order-1',
  kind: 'EFT',
  referenceId: 'invoice-77',
  ...paid,
  sessionId: 'session-1',
  checkoutUrl: 'https://pay.example/app/?sessionId=session-1',
  amount: 25,
  stateHistory: [{ status: 'Initiated', code: 'EFT0101', firstSeenAt: at(1), source: 'create' }],
  anomalies: [],
  decisions: [],
};

/** Returns the session of a ledger in which the key has one claim, with these facts. */
const read = (...facts: readonly LedgerFact[]) =>
  recordedSession(
    'order-1',
    facts.map((fact) => ({ claim: 1, fact })),
  );

/** Returns the session of a ledger in which the key has two claims. The facts of the second claim are recorded last. */
const readBoth = (first: readonly LedgerFact[], second: readonly LedgerFact[]) =>
  recordedSession('order-1', [
    ...first.map((fact) => ({ claim: 1, fact })),
    ...second.map((fact) => ({ claim: 2, fact })),
  ]);

// A claim is the ledger's record that a key belongs to one workflow. Here, the workflow is cancelled before its create request. Then
// an operator resets the workflow, and it creates a session. Or a lost create request has created a session all the same.
describe('in the ledger, a workflow that was cancelled before its create request', () => {
  const cancelled: LedgerFact = {
    kind: 'state',
    at: at(2),
    number: 1,
    status: 'Cancelled',
    source: 'cancel',
  };
  const cancel: LedgerFact = { kind: 'cancel', at: at(2), by: 'caller', outcome: 'neverCreated' };

  test('has no cancellation after a reset', () => {
    const end = ended({ at: at(2), status: 'Cancelled', leftNothing: true });
    const again = claimed({ at: at(3), takesOver: 1 });
    const session = read(claimed(), cancelled, cancel, end, again, { ...opened, at: at(4) });
    expect(session?.state).toMatchObject({ phase: 'open', sessionId: 'session-1' });
    expect(session?.state.cancel).toBeUndefined();
  });

  test('has the session’s states without the cancel, if a session was created all the same', () => {
    const session = read(claimed(), opened, state(1, 'EFT0101'), cancelled);
    expect(session?.stateHistory.map(({ status }) => status)).toEqual(['Initiated']);
  });
});

describe('a session in the ledger', () => {
  test('does not exist if its key was never claimed', () => {
    expect(read()).toBeUndefined();
  });

  test('that has ended has the state and the history of its result', () => {
    const { stateHistory, ...known } = result;
    expect(read(claimed(), opened, state(1, 'EFT0101'), ended({ ...paid, result }))).toEqual({
      account: 'west',
      request,
      outcome: 'ended',
      result,
      state: { phase: 'ended', ...known },
      stateHistory,
    });
  });

  test('still has its states, amounts, decisions and payment after its personal data were erased', () => {
    const session = read(
      { ...claimedWithoutRequest, referenceId: 'invoice-77' },
      opened,
      state(1, 'EFT0101', { source: 'create' }),
      { kind: 'decision', number: 1, decision: 'refresh', result: 'applied', at: at(2) },
      { kind: 'anomaly', number: 1, anomaly: 'unknownCode', at: at(3) },
      state(2, 'EFT0301', { amount: 30 }),
      { kind: 'cancel', at: at(4), by: 'caller', outcome: 'lostToCompletion' },
      ended({ ...paid, amount: 30 }),
      { kind: 'erased', at: at(10), by: 'avery', reason: 'asked' },
    );
    expect(session).toEqual({
      account: 'west',
      outcome: 'ended',
      state: {
        phase: 'ended',
        key: 'order-1',
        kind: 'EFT',
        referenceId: 'invoice-77',
        paid: true,
        status: 'Completed',
        code: 'EFT0301',
        sessionId: 'session-1',
        amount: 30,
        cancel: { requestedAt: at(4), by: 'caller', outcome: 'lostToCompletion' },
        anomalies: [{ kind: 'unknownCode', detail: 'erased', at: at(3) }],
        decisions: [{ decision: 'refresh', result: 'applied', at: at(2) }],
      },
      stateHistory: [
        { status: 'Initiated', code: 'EFT0101', source: 'create', firstSeenAt: at(1) },
        { status: 'Completed', code: 'EFT0301', source: 'poll', firstSeenAt: at(2) },
      ],
    });
  });

  test('has the code of the failure if its workflow failed', () => {
    const failed = ended({ failure: 'CREATE_ABANDONED' });
    expect(read(claimed(), failed)).toMatchObject({
      outcome: 'failed',
      state: {
        phase: 'ended',
        paid: false,
        amount: 25,
        failure: { code: 'CREATE_ABANDONED', message: expect.stringContaining('abandoned the create') },
      },
      stateHistory: [],
    });
  });

  test('is open without an end, and has its last state', () => {
    expect(read(claimed())).toMatchObject({ outcome: 'open', state: { phase: 'creating', paid: false } });
    expect(read(claimed(), opened, state(1, 'EFT0101'), state(2, 'EFT0302'))).toMatchObject({
      outcome: 'open',
      state: { phase: 'open', status: 'Completed', code: 'EFT0302', paid: false, sessionId: 'session-1' },
    });
    const scheduled = read(claimed(), opened, state(1, 'EFT0101'), state(2, 'EFT0301'));
    expect(scheduled).toMatchObject({ outcome: 'open', state: { paid: true } });
  });

  test('is parked until a decision is applied, a session is created, or another workflow gets the key', () => {
    const park = { id: 'run-1-1', code: 'SERVICE_INTERRUPTED', at: at(2) } as const;
    const parked: LedgerFact = { kind: 'parked', number: 1, ...park };
    const decided = (decision: 'adopt' | 'retry', result: 'applied' | 'SESSION_MISMATCH'): LedgerFact => ({
      kind: 'decision',
      number: 1,
      decision,
      result,
      at: at(3),
    });
    const refused = decided('adopt', 'SESSION_MISMATCH');
    expect(read(claimed(), parked, refused)?.state).toMatchObject({
      phase: 'parked',
      parks: [park],
    });
    expect(read(claimed(), parked, refused, decided('retry', 'applied'))?.state.phase).toBe('creating');
    expect(read(claimed(), parked, { ...opened, at: at(3) })?.state.phase).toBe('open');
    // The ledger knows the created session, but the workflow does not.
    expect(read(claimed(), parked, opened)?.state.phase).toBe('parked');
    const taken = claimed({ firstRunId: 'run-2', takesOver: 1 });
    expect(readBoth([claimed(), parked], [taken])?.state.phase).toBe('creating');
  });

  test('has the state that was recorded last, if two states have one number, as after a reset', () => {
    const session = read(claimed(), opened, state(1, 'EFT0101'), state(2, 'EFT0302'), state(2, 'EFT0301'));
    expect(session?.stateHistory.map(({ code }) => code)).toEqual(['EFT0101', 'EFT0301']);
  });

  test('has two decisions with one number, unless a reset has undone the first of them', () => {
    const decided = { kind: 'decision', at: at(3), number: 1 } as const;
    const adopted: LedgerFact = { ...decided, decision: 'adopt', result: 'SESSION_MISMATCH', id: 'run-1-a' };
    const cancelled: LedgerFact = { ...decided, decision: 'cancel', result: 'cancelled' };
    const retried: LedgerFact = { ...decided, decision: 'retry', result: 'applied', id: 'other-1-b' };
    const decisionsOf = (...facts: readonly LedgerFact[]) =>
      read(claimed(), ...facts)?.state.decisions.map(({ decision }) => decision);
    expect(decisionsOf(adopted, cancelled)).toEqual(['adopt', 'cancel']);
    expect(decisionsOf(adopted, retried)).toEqual(['retry']);
  });
});

describe('in the ledger, of a key with two claims', () => {
  const never = ended({ status: 'Cancelled', leftNothing: true });
  const another = { firstRunId: 'run-2', fingerprint: 'another', account: 'east' };

  test('the second claim counts if the first workflow never created a session', () => {
    const session = readBoth([claimed(), state(1, 'EFT0101'), never], [claimed(another)]);
    expect(session).toMatchObject({ account: 'east', outcome: 'open', state: { phase: 'creating' } });
    expect(session?.stateHistory).toEqual([]);
  });

  test('the workflow that took over the session continues the session’s states', () => {
    const session = readBoth(
      [claimed(), opened, state(1, 'EFT0101')],
      [
        claimed({ firstRunId: 'run-2', takesOver: 1 }),
        { ...opened, how: 'takeOver' },
        ended({ ...paid, firstRunId: 'run-2' }),
      ],
    );
    expect(session).toMatchObject({ outcome: 'ended', state: { paid: true, sessionId: 'session-1' } });
    expect(session?.stateHistory).toHaveLength(1);
  });

  test('the session has the decisions of both workflows, although both number them from 1', () => {
    const decision = (result: 'applied' | 'SESSION_MISMATCH', minute: number): LedgerFact => ({
      kind: 'decision',
      number: 1,
      decision: 'adopt',
      result,
      at: at(minute),
    });
    const taken = claimed({ firstRunId: 'run-2', takesOver: 1 });
    const session = readBoth([claimed(), decision('SESSION_MISMATCH', 2)], [taken, decision('applied', 4)]);
    expect(session?.state.decisions.map(({ result: became }) => became)).toEqual([
      'SESSION_MISMATCH',
      'applied',
    ]);
  });

  test('an end of the first workflow that is recorded late does not end the session', () => {
    const session = recordedSession('order-1', [
      { claim: 1, fact: claimed() },
      { claim: 1, fact: opened },
      { claim: 2, fact: claimed({ firstRunId: 'run-2', takesOver: 1 }) },
      { claim: 2, fact: { ...opened, how: 'takeOver' } },
      { claim: 1, fact: ended(paid) },
    ]);
    expect(session).toMatchObject({ outcome: 'open' });
  });
});
