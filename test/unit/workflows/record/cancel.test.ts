import { describe, expect, test } from '@jest/globals';
import { phaseOf } from '../../../../workflows/record/session-record';
import { created, cancel, polled, after } from '../../../support/workflows/record/observations';

describe('in a session’s record, a cancel', () => {
  test('is pending until the payment service reports an end', () => {
    expect(phaseOf(after(created, cancel))).toBe('cancelling');
    expect(after(created, cancel).cancel).toEqual({ requestedAt: '2026-01-02T03:04:07.000Z', by: 'caller' });
  });

  test.each([
    ['Cancelled', 'EFT0501', 'cancelled'],
    ['Completed', 'EFT0301', 'lostToCompletion'],
    ['Failed', 'EFT0403', 'lostToFailure'],
    ['Expired', 'EFT0601', 'lostToExpiry'],
  ])('has, after the service’s report %s/%s, the outcome %s', (status, code, outcome) => {
    expect(after(created, cancel, polled(status, code)).cancel?.outcome).toBe(outcome);
  });

  test('has the outcome lostToCompletion if the signature is awaited, and the session stays open', () => {
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
  ])(
    'has first the outcome lostToCompletion while the signature is awaited, and then, after %s/%s, the outcome %s',
    (status, code, outcome) => {
      const record = after(created, cancel, polled('Completed', 'EFT0302'), polled(status, code));
      expect([record.ended, record.cancel?.outcome]).toEqual([true, outcome]);
    },
  );

  test('before the create request ends the session without a session id', () => {
    const record = after(cancel, { type: 'cancelledBeforeCreate' });
    expect(record).toMatchObject({ ended: true, status: 'Cancelled', cancel: { outcome: 'neverCreated' } });
    expect(record.sessionId).toBeUndefined();
  });

  test('has the time of the first request if it is requested twice', () => {
    expect(after(created, cancel, cancel).cancel?.requestedAt).toBe('2026-01-02T03:04:07.000Z');
  });

  test('of a parked session leaves the session parked until a person’s decision', () => {
    expect(phaseOf(after({ type: 'createParked', run: 'run' }, cancel))).toBe('parked');
  });
});
