import { describe, expect, test } from '@jest/globals';
import { next } from '../../../../workflows/record/next';
import type { Observation } from '../../../../workflows/record/session-record';
import {
  START,
  created,
  cancel,
  polled,
  afterOf,
  after,
  states,
} from '../../../support/workflows/record/observations';

describe('a session’s state history', () => {
  test('begins with Initiated/EFT0101 once the session is created', () => {
    expect(after(created).stateHistory).toEqual([
      { status: 'Initiated', code: 'EFT0101', firstSeenAt: '2026-01-02T03:04:06.000Z', source: 'create' },
    ]);
  });

  test('has each change of status or code once, with the time when it was first seen', () => {
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

  test('keeps the known code if a report has no code', () => {
    expect(states(after(created, polled('Initiated')))).toEqual(['Initiated/EFT0101']);
    const unsigned = after(created, polled('Completed', 'EFT0302'), polled('Completed'));
    expect([unsigned.ended, unsigned.code]).toEqual([false, 'EFT0302']);
  });

  test('of an e-Transfer has no codes', () => {
    const record = afterOf('e-Transfer', created, polled('Completed'));
    expect(states(record)).toEqual(['Initiated/', 'Completed/']);
    expect(record.ended).toBe(true);
  });

  test('of an e-Transfer that was Completed with a code ends with Completed without a code', () => {
    const record = afterOf('e-Transfer', created, polled('Completed', 'EFT0399'), polled('Completed'));
    expect(states(record)).toEqual(['Initiated/', 'Completed/EFT0399', 'Completed/']);
    expect(record.ended).toBe(true);
  });

  test('does not grow if only the amount changes', () => {
    const record = after(created, polled('Initiated', 'EFT0101', 12.34));
    expect([record.amount, record.stateHistory.length]).toEqual([12.34, 1]);
  });

  test('has at most 200 states', () => {
    const changes = Array.from({ length: 500 }, (_, index) => polled(`Stage${index}`));
    const record = after(created, ...changes);
    expect(record.stateHistory.length).toBe(200);
    expect(record.anomalies.length).toBe(51);
    expect(record.anomalies.at(-1)?.kind).toBe('recordFull');
  });
});

describe('a session that a person adopted', () => {
  const adopted = (status: string, code: string): Observation => ({
    type: 'adopted',
    sessionId: 'b3c8b9a2-3f0e-4f57-9f43-0f6a3a2a7c11',
    checkoutUrl: 'https://pay.example/app',
    snapshot: { status, code },
  });

  test('has only the state that the service reports, and no earlier state', () => {
    expect(states(after({ type: 'createParked', run: 'run' }, adopted('Completed', 'EFT0301')))).toEqual([
      'Completed/EFT0301',
    ]);
  });

  test('decides the outcome of a pending cancel, if the session has already ended', () => {
    const record = after({ type: 'createParked', run: 'run' }, cancel, adopted('Completed', 'EFT0301'));
    expect(record).toMatchObject({ ended: true, cancel: { outcome: 'lostToCompletion' } });
  });

  test('has an overall deadline that counts from the adoption', () => {
    expect(after({ type: 'createParked', run: 'run' }, adopted('Initiated', 'EFT0101')).deadlineFromMs).toBe(
      START + 2_000,
    );
    expect(after({ type: 'createParked', run: 'run' }, { type: 'createUnparked' }).deadlineFromMs).toBe(
      START + 2_000,
    );
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
  ])('comes with %s/%s', (status, code) => {
    expect(after(created, polled(status, code))).toMatchObject({ ended: true, status, code, anomalies: [] });
  });

  test('does not come with Completed/EFT0302, because the PAD signature is awaited', () => {
    const record = after(created, polled('Completed', 'EFT0302'));
    expect([record.ended, record.validatedAtMs]).toEqual([false, START + 2_000]);
  });

  test('comes with the signature deadline, and then the session counts as unsigned', () => {
    const record = after(created, polled('Completed', 'EFT0302'), { type: 'signatureDeadlinePassed' });
    expect(record).toMatchObject({ ended: true, unsigned: true, status: 'Completed', code: 'EFT0302' });
  });

  test('comes with the deadline if the status is Completed without a clear code', () => {
    const record = after(created, polled('Completed'), { type: 'unclearDeadlinePassed' });
    expect(record).toMatchObject({ ended: true, status: 'Completed' });
    expect(record.unsigned).toBeUndefined();
  });

  test('removes the trouble from the record', () => {
    const failure = { code: 'SERVICE_FAILED', message: 'no' } as const;
    expect(after({ type: 'callFailed', failure }, { type: 'cancelledBeforeCreate' })).not.toHaveProperty(
      'trouble',
    );
  });

  test('is final: a later answer of the service does not change the record', () => {
    const ended = after(created, polled('Expired', 'EFT0601'));
    expect(next(ended, polled('Completed', 'EFT0301'), START)).toBe(ended);
  });
});

describe('the trouble in a session’s record', () => {
  const failed: Observation = { type: 'callFailed', failure: { code: 'SERVICE_FAILED', message: 'down' } };

  test('has the time until which the session waits', () => {
    const record = after(created, failed, { type: 'waits', untilMs: START });
    expect(record.trouble?.until).toBe('2026-01-02T03:04:05.000Z');
  });

  test('does not exist if a session waits without a failure', () => {
    expect(after(created, { type: 'waits', untilMs: START }).trouble).toBeUndefined();
  });
});

test('a session’s record has the time since the previous poll only for the final change', () => {
  const seenAfter = (sinceLookMs: number, status: string, code: string) =>
    ({ ...polled(status, code), sinceLookMs }) as Observation;
  const unsigned = after(created, seenAfter(3_000, 'Completed', 'EFT0302'));
  expect(unsigned.changeDelayMs).toBeUndefined();
  const paid = after(
    created,
    seenAfter(3_000, 'Completed', 'EFT0302'),
    seenAfter(7_000, 'Completed', 'EFT0301'),
  );
  expect(paid.changeDelayMs).toBe(7_000);
});
