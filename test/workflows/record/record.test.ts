import { describe, expect, test } from '@jest/globals';
import type { SessionKind } from '../../../src/contract';
import { next } from '../../../workflows/record/record';
import {
  newRecord,
  phaseOf,
  type Observation,
  type SessionRecord,
  validatedAtMs,
} from '../../../workflows/record/session-record';

const START = Date.parse('2026-01-02T03:04:05.000Z');

const created: Observation = {
  type: 'created',
  sessionId: 'b3c8b9a2-3f0e-4f57-9f43-0f6a3a2a7c11',
  checkoutUrl: 'https://pay.example/app/?sessionId=b3c8b9a2-3f0e-4f57-9f43-0f6a3a2a7c11',
};
const cancel: Observation = { type: 'cancelRequested', by: 'caller' };
const polled = (status: string, code?: string, amount?: number): Observation => ({
  type: 'seen',
  source: 'poll',
  snapshot: { status, ...(code !== undefined && { code }), ...(amount !== undefined && { amount }) },
});

/** The record of a session after the observations, one second apart. */
const afterOf = (kind: SessionKind, ...observations: Observation[]): SessionRecord =>
  observations.reduce(
    (record, observation, index) => next(record, observation, START + (index + 1) * 1_000),
    newRecord(START, { kind }),
  );
const after = (...observations: Observation[]): SessionRecord => afterOf('EFT', ...observations);

const unreadable = (status: string): Observation => ({
  type: 'seen',
  source: 'poll',
  snapshot: { status, unreadableCode: true },
});

const states = (record: SessionRecord) =>
  record.stateHistory.map(({ status, code }) => [status, code].join('/'));
const anomalies = (record: SessionRecord) => record.anomalies.map(({ kind }) => kind);

describe('the state history', () => {
  test('begins with Initiated/EFT0101, learned from the create', () => {
    expect(after(created).stateHistory).toEqual([
      { status: 'Initiated', code: 'EFT0101', firstSeenAt: '2026-01-02T03:04:06.000Z', source: 'create' },
    ]);
  });

  test('records each change of status or code once, with when it was first seen', () => {
    const record = after(
      created,
      polled('Initiated', 'EFT0101'),
      polled('Completed', 'EFT0302'),
      polled('Completed', 'EFT0302'),
      polled('Completed', 'EFT0301'),
    );
    expect(states(record)).toEqual(['Initiated/EFT0101', 'Completed/EFT0302', 'Completed/EFT0301']);
    expect(record.stateHistory[1]).toMatchObject({ firstSeenAt: '2026-01-02T03:04:08.000Z', source: 'poll' });
  });

  test('takes nothing back when a report leaves out the code', () => {
    expect(states(after(created, polled('Initiated')))).toEqual(['Initiated/EFT0101']);
    const unsigned = after(created, polled('Completed', 'EFT0302'), polled('Completed'));
    expect([unsigned.ended, unsigned.code]).toEqual([false, 'EFT0302']);
  });

  test('an e-Transfer has no codes', () => {
    const record = afterOf('e-Transfer', created, polled('Completed'));
    expect(states(record)).toEqual(['Initiated/', 'Completed/']);
    expect(record.ended).toBe(true);
  });

  test('an e-Transfer that was once reported with a code is paid when it is reported without one', () => {
    const record = afterOf('e-Transfer', created, polled('Completed', 'EFT0399'), polled('Completed'));
    expect(states(record)).toEqual(['Initiated/', 'Completed/EFT0399', 'Completed/']);
    expect(record.ended).toBe(true);
  });

  test('an amount is carried without being a state', () => {
    const record = after(created, polled('Initiated', 'EFT0101', 12.34));
    expect([record.amount, record.stateHistory.length]).toEqual([12.34, 1]);
  });

  test('is bounded', () => {
    const changes = Array.from({ length: 500 }, (_, index) => polled(`Stage${index}`));
    const record = after(created, ...changes);
    expect(record.stateHistory.length).toBe(200);
    expect(record.anomalies.length).toBe(51);
    expect(record.anomalies.at(-1)?.kind).toBe('recordFull');
  });
});

describe('a session that a person named', () => {
  const adopted = (status: string, code: string): Observation => ({
    type: 'adopted',
    sessionId: 'b3c8b9a2-3f0e-4f57-9f43-0f6a3a2a7c11',
    checkoutUrl: 'https://pay.example/app',
    snapshot: { status, code },
  });

  test('is in the state that the service reports; nobody saw it begin', () => {
    expect(states(after({ type: 'createParked' }, adopted('Completed', 'EFT0301')))).toEqual([
      'Completed/EFT0301',
    ]);
  });

  test('settles a pending cancel when it has ended', () => {
    const record = after({ type: 'createParked' }, cancel, adopted('Completed', 'EFT0301'));
    expect(record).toMatchObject({ ended: true, cancel: { outcome: 'lostToCompletion' } });
  });

  test('has its overall deadline from the decision on', () => {
    expect(after({ type: 'createParked' }, adopted('Initiated', 'EFT0101')).deadlineFromMs).toBe(
      START + 2_000,
    );
    expect(after({ type: 'createParked' }, { type: 'createUnparked' }).deadlineFromMs).toBe(START + 2_000);
    expect(after(created).deadlineFromMs).toBe(START);
  });
});

describe('the end of a session', () => {
  test.each([
    ['Completed', 'EFT0301'],
    ['Failed', 'EFT0401'],
    ['Failed', 'EFT0403'],
    ['Failed', 'EFT0404'],
    ['Cancelled', 'EFT0501'],
    ['Expired', 'EFT0601'],
  ])('%s/%s ends it', (status, code) => {
    expect(after(created, polled(status, code))).toMatchObject({ ended: true, status, code, anomalies: [] });
  });

  test('Completed/EFT0302 does not end it: the PAD signature is awaited', () => {
    const record = after(created, polled('Completed', 'EFT0302'));
    expect([record.ended, validatedAtMs(record)]).toEqual([false, START + 2_000]);
  });

  test('the signature deadline ends it as unsigned', () => {
    const record = after(created, polled('Completed', 'EFT0302'), { type: 'signatureDeadlinePassed' });
    expect(record).toMatchObject({ ended: true, unsigned: true, status: 'Completed', code: 'EFT0302' });
  });

  test('a Completed that nobody can tell to be paid is followed to its deadline', () => {
    const record = after(created, polled('Completed'), { type: 'unclearDeadlinePassed' });
    expect(record).toMatchObject({ ended: true, status: 'Completed' });
    expect(record.unsigned).toBeUndefined();
  });

  test('leaves no trouble behind', () => {
    const failure = { code: 'SERVICE_FAILED', message: 'no' } as const;
    expect(after({ type: 'callFailed', failure }, { type: 'cancelledBeforeCreate' })).not.toHaveProperty(
      'trouble',
    );
  });

  test('nothing changes an ended record', () => {
    const ended = after(created, polled('Expired', 'EFT0601'));
    expect(next(ended, polled('Completed', 'EFT0301'), START)).toBe(ended);
  });
});

describe('what the contract does not foresee', () => {
  test('an unknown status is carried, flagged once, and keeps the session going', () => {
    const record = after(created, polled('Reviewing'), polled('Initiated', 'EFT0101'), polled('Reviewing'));
    expect(record).toMatchObject({ status: 'Reviewing', ended: false });
    expect(anomalies(record)).toEqual(['unknownStatus']);
  });

  test('an unknown code of a final status is carried and flagged, and ends the session', () => {
    const record = after(created, polled('Failed', 'EFT0402'));
    expect(record).toMatchObject({ status: 'Failed', code: 'EFT0402', ended: true });
    expect(anomalies(record)).toEqual(['unknownCode']);
  });

  test.each([
    ['without a code', polled('Completed'), 'missingCode'],
    ['with a code that cannot be read', unreadable('Completed'), 'unreadableCode'],
    ['with an unknown code', polled('Completed', 'EFT0399'), 'unknownCode'],
    ['with the code of another status', polled('Completed', 'EFT0501'), 'unknownCode'],
  ])('a Completed %s does not end an EFT session, and is flagged', (_case, observation, anomaly) => {
    const record = after(created, observation);
    expect([record.status, record.ended]).toEqual(['Completed', false]);
    expect(anomalies(record)).toContain(anomaly);
  });

  test('a Completed that was unclear ends the session once its code says that it is paid', () => {
    const record = after(created, unreadable('Completed'), polled('Completed', 'EFT0301'));
    expect(record.ended).toBe(true);
    expect(states(record)).toEqual(['Initiated/EFT0101', 'Completed/', 'Completed/EFT0301']);
  });

  test('a Completed that was unclear may turn out to await the signature', () => {
    const record = after(created, polled('Completed'), polled('Completed', 'EFT0302'));
    expect([record.code, record.ended]).toEqual(['EFT0302', false]);
  });

  test('an e-Transfer completed with a code that cannot be read is followed until it comes without one', () => {
    const unclear = afterOf('e-Transfer', created, unreadable('Completed'));
    expect([unclear.ended, anomalies(unclear)]).toEqual([false, ['unreadableCode']]);
    expect(next(unclear, polled('Completed'), START).ended).toBe(true);
  });

  test('an e-Transfer whose code cannot be read twice does not go backwards', () => {
    const unclear = afterOf('e-Transfer', created, unreadable('Completed'), unreadable('Completed'));
    expect(anomalies(unclear)).toEqual(['unreadableCode']);
    expect(next(unclear, polled('Completed', 'EFT0302'), START).code).toBe('EFT0302');
  });

  test('a code that cannot be read is flagged, and does not take back a known one', () => {
    const record = after(created, polled('Completed', 'EFT0302'), unreadable('Completed'));
    expect([record.code, anomalies(record)]).toEqual(['EFT0302', ['unreadableCode']]);
  });

  test('an answer about another session is flagged once and changes no state', () => {
    const failure = { code: 'SERVICE_WRONG_SESSION', message: 'another session' } as const;
    const record = after(created, { type: 'callFailed', failure }, { type: 'callFailed', failure });
    expect([states(record), anomalies(record)]).toEqual([['Initiated/EFT0101'], ['wrongSession']]);
  });

  test('a status that goes backwards is recorded as an anomaly and not applied', () => {
    const record = after(created, polled('Completed', 'EFT0302'), polled('Initiated', 'EFT0101'));
    expect(record).toMatchObject({ status: 'Completed', code: 'EFT0302' });
    expect(record.anomalies).toMatchObject([
      { kind: 'backwardStatus', detail: 'Completed/EFT0302 to Initiated/EFT0101' },
    ]);
  });

  test('an unknown status in between does not hide that a status goes backwards', () => {
    const record = after(
      created,
      polled('Completed', 'EFT0302'),
      polled('Reviewing'),
      polled('Initiated', 'EFT0101'),
    );
    expect(record.status).toBe('Reviewing');
    expect(anomalies(record)).toEqual(['unknownStatus', 'backwardStatus']);
  });

  test('trouble shows while calls fail and goes with the next report', () => {
    const failed: Observation = { type: 'callFailed', failure: { code: 'SERVICE_FAILED', message: 'down' } };
    expect(after(created, failed).trouble?.code).toBe('SERVICE_FAILED');
    expect(after(created, failed, polled('Initiated', 'EFT0101')).trouble).toBeUndefined();
  });
});

describe('trouble', () => {
  const failed: Observation = { type: 'callFailed', failure: { code: 'SERVICE_FAILED', message: 'down' } };

  test('says until when the session waits', () => {
    const record = after(created, failed, { type: 'waits', untilMs: START });
    expect(record.trouble?.until).toBe('2026-01-02T03:04:05.000Z');
  });

  test('is none where a session waits without any', () => {
    expect(after(created, { type: 'waits', untilMs: START }).trouble).toBeUndefined();
  });
});

describe('decisions', () => {
  const decision = { decision: 'adopt', by: 'avery', sessionId: 'id', result: 'SESSION_MISMATCH' } as const;

  test('are kept with who made them, when and with which result', () => {
    expect(after({ type: 'decided', decision }).decisions).toEqual([
      { ...decision, at: '2026-01-02T03:04:06.000Z' },
    ]);
  });

  test('are bounded', () => {
    const many = Array.from({ length: 60 }, (): Observation => ({ type: 'decided', decision }));
    const record = after(...many);
    expect([record.decisions.length, anomalies(record)]).toEqual([50, ['recordFull']]);
  });
});

describe('a cancel', () => {
  test('is pending until the service settles it', () => {
    expect(phaseOf(after(created, cancel))).toBe('cancelling');
    expect(after(created, cancel).cancel).toEqual({ requestedAt: '2026-01-02T03:04:07.000Z', by: 'caller' });
  });

  test.each([
    ['Cancelled', 'EFT0501', 'cancelled'],
    ['Completed', 'EFT0301', 'lostToCompletion'],
    ['Failed', 'EFT0403', 'lostToFailure'],
    ['Expired', 'EFT0601', 'lostToExpiry'],
  ])('that meets %s/%s is settled as the service says: %s', (status, code, outcome) => {
    expect(after(created, cancel, polled(status, code)).cancel?.outcome).toBe(outcome);
  });

  test('is lost to a completion that awaits the signature, and the session is followed on', () => {
    const record = after(created, cancel, polled('Completed', 'EFT0302'));
    expect([record.cancel?.outcome, record.ended, phaseOf(record)]).toEqual([
      'lostToCompletion',
      false,
      'open',
    ]);
  });

  test.each([
    ['Failed', 'EFT0404', 'lostToFailure'],
    ['Expired', 'EFT0601', 'lostToExpiry'],
    ['Cancelled', 'EFT0501', 'cancelled'],
    ['Completed', 'EFT0301', 'lostToCompletion'],
  ])('that a wait for the signature settled has the outcome of the true end: %s', (status, code, outcome) => {
    const record = after(created, cancel, polled('Completed', 'EFT0302'), polled(status, code));
    expect([record.ended, record.cancel?.outcome]).toEqual([true, outcome]);
  });

  test('before the create ends the session without one', () => {
    const record = after(cancel, { type: 'cancelledBeforeCreate' });
    expect(record).toMatchObject({ ended: true, status: 'Cancelled', cancel: { outcome: 'neverCreated' } });
    expect(record.sessionId).toBeUndefined();
  });

  test('asked for twice is one cancel', () => {
    expect(after(created, cancel, cancel).cancel?.requestedAt).toBe('2026-01-02T03:04:07.000Z');
  });

  test('while the create is parked waits for the decision', () => {
    expect(phaseOf(after({ type: 'createParked' }, cancel))).toBe('parked');
  });
});
