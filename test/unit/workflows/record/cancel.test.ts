import { describe, expect, test } from '@jest/globals';
import { phaseOf } from '../../../../workflows/record/session-record';
import { created, cancel, polled, after } from '../../../support/workflows/record/observations';

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
    expect(phaseOf(after({ type: 'createParked', run: 'run' }, cancel))).toBe('parked');
  });
});
