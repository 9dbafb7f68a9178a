import { describe, expect, test } from '@jest/globals';
import type { LedgerFact } from '../../../../ledger';
import { kindsOf, newsOf } from '../../../../ledger/news/message';
import { eft } from '../../../support/requests';

const at = '2026-03-01T12:00:00.000Z';
const claimed: LedgerFact = {
  kind: 'claimed',
  at,
  fingerprint: 'same',
  firstRunId: 'run-1',
  account: 'default',
  sessionKind: 'EFT',
  amount: 25,
  currency: 'CAD',
  request: eft(),
};
const opened: LedgerFact = { kind: 'opened', at, sessionId: 'id-1', how: 'create' };
const initiated: LedgerFact = {
  kind: 'state',
  at,
  number: 1,
  status: 'Initiated',
  code: 'EFT0101',
  source: 'create',
};
const unsigned: LedgerFact = {
  kind: 'state',
  at,
  number: 2,
  status: 'Completed',
  code: 'EFT0302',
  source: 'poll',
};
const scheduled: LedgerFact = {
  kind: 'state',
  at,
  number: 3,
  status: 'Completed',
  code: 'EFT0301',
  source: 'poll',
};
const decided: LedgerFact = {
  kind: 'decision',
  number: 1,
  decision: 'retry',
  by: 'ann',
  reason: 'seen',
  result: 'applied',
  at,
};
const anomaly: LedgerFact = { kind: 'anomaly', at, number: 1, anomaly: 'unknownCode', detail: 'Avery' };
const ended: LedgerFact = {
  kind: 'ended',
  at,
  firstRunId: 'run-1',
  paid: true,
  status: 'Completed',
  code: 'EFT0301',
  leftNothing: false,
};

const parked: LedgerFact = { kind: 'parked', at, number: 1, id: 'run-1-1', code: 'SERVICE_INTERRUPTED' };
const settled: LedgerFact = { kind: 'settled', at, amount: 25 };
const returned: LedgerFact = { kind: 'returned', at, amount: 25, code: '901' };

describe('an entry is told as', () => {
  const before = [claimed, opened, initiated];

  test.each<[string, readonly LedgerFact[], LedgerFact, readonly string[]]>([
    ['nothing, where a key is claimed', [], claimed, []],
    ['an opened session', [claimed], opened, ['session.opened']],
    ['nothing more, where it is its first state', [claimed, opened], initiated, []],
    ['a change of state', before, unsigned, ['session.state_changed']],
    ['a payment', [...before, unsigned], scheduled, ['session.state_changed', 'session.paid']],
    ['an end', [...before, scheduled], ended, ['session.ended']],
    [
      'a payment and an end, where its last state was missed',
      before,
      ended,
      ['session.paid', 'session.ended'],
    ],
    ['an end alone, where nothing is paid', before, { ...ended, paid: false }, ['session.ended']],
    ['a decision', before, decided, ['session.decided']],
    ['a park', [claimed], parked, ['session.parked']],
    ['money that has come', [...before, ended], settled, ['payment.settled']],
    ['money that came back', [...before, ended, settled], returned, ['payment.returned']],
    ['nothing, where it is an anomaly', before, anomaly, []],
    [
      'a first state, where a poll saw it',
      [claimed, opened],
      { ...initiated, source: 'poll' },
      ['session.state_changed'],
    ],
  ])('%s', (_what, known, fact, kinds) => {
    expect(kindsOf(known, fact)).toEqual(kinds);
  });
});

describe('a message', () => {
  const told = { key: 'order-1', environment: 'default' };

  test('holds the state after the change, and the number of the entry', () => {
    expect(
      newsOf({ ...told, facts: [claimed, opened, initiated, unsigned], isPersonal: false }),
    ).toMatchObject([
      {
        type: 'session.state_changed',
        timestamp: at,
        data: {
          key: 'order-1',
          account: 'default',
          number: 4,
          state: { phase: 'open', status: 'Completed', code: 'EFT0302', paid: false, amount: 25 },
        },
      },
    ]);
  });

  test('has nothing personal, unless that is asked for', () => {
    const { request: _personal, ...plain } = claimed;
    const { by: _by, reason: _reason, ...decision } = decided;
    const { detail: _detail, ...seen } = anomaly;
    const [news] = newsOf({ ...told, facts: [plain, opened, seen, decision], isPersonal: false });
    expect(news?.data).not.toHaveProperty('request');
    expect(news?.data.decision).toEqual({ decision: 'retry', result: 'applied', at });
    expect(news?.data.state.anomalies).toEqual([{ kind: 'unknownCode', at }]);

    const [whole] = newsOf({ ...told, facts: [claimed, opened, anomaly, decided], isPersonal: true });
    expect(whole?.data).toMatchObject({
      request: eft(),
      decision: { by: 'ann', reason: 'seen' },
      state: { anomalies: [{ detail: 'Avery' }] },
    });
  });

  test('of a parked session says so until somebody has decided', () => {
    const phaseAfter = (...facts: readonly LedgerFact[]) =>
      newsOf({ ...told, facts: [claimed, ...facts], isPersonal: false })[0]?.data.state.phase;
    const refused: LedgerFact = { ...decided, decision: 'adopt', result: 'SESSION_MISMATCH' };
    expect(phaseAfter(parked)).toBe('parked');
    expect(phaseAfter(parked, refused)).toBe('parked');
    expect(phaseAfter(parked, decided)).toBe('creating');
    expect(phaseAfter(parked, decided, { ...parked, number: 2, id: 'run-1-2' })).toBe('parked');
    expect(phaseAfter(parked, opened)).toBe('open');
  });

  test('about money holds its line, and leaves the session as it ended', () => {
    const [news] = newsOf({ ...told, facts: [claimed, opened, ended, settled, returned], isPersonal: false });
    expect(news?.data).toMatchObject({
      payment: { amount: 25, at, code: '901' },
      state: { phase: 'ended', paid: true },
    });
  });

  test('is not made of what nobody has claimed', () => {
    expect(newsOf({ ...told, facts: [opened], isPersonal: false })).toEqual([]);
  });
});
