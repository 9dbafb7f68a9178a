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

  test('is in the state that the service reports, without a known beginning', () => {
    expect(states(after({ type: 'createParked', run: 'run' }, adopted('Completed', 'EFT0301')))).toEqual([
      'Completed/EFT0301',
    ]);
  });

  test('settles a pending cancel when it has ended', () => {
    const record = after({ type: 'createParked', run: 'run' }, cancel, adopted('Completed', 'EFT0301'));
    expect(record).toMatchObject({ ended: true, cancel: { outcome: 'lostToCompletion' } });
  });

  test('has its overall deadline from the decision on', () => {
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
  ])('%s/%s ends it', (status, code) => {
    expect(after(created, polled(status, code))).toMatchObject({ ended: true, status, code, anomalies: [] });
  });

  test('Completed/EFT0302 does not end it: the PAD signature is awaited', () => {
    const record = after(created, polled('Completed', 'EFT0302'));
    expect([record.ended, record.validatedAtMs]).toEqual([false, START + 2_000]);
  });

  test('the signature deadline ends it as unsigned', () => {
    const record = after(created, polled('Completed', 'EFT0302'), { type: 'signatureDeadlinePassed' });
    expect(record).toMatchObject({ ended: true, unsigned: true, status: 'Completed', code: 'EFT0302' });
  });

  test('a Completed that may not be paid is followed to its deadline', () => {
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

test('the greatest possible delay is kept for the end alone', () => {
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
