import { describe, expect, test } from '@jest/globals';
import { isPaid, isUnclear, SESSION_CODES, type SessionKind } from '../../../src/contract';

const CODED: readonly SessionKind[] = ['EFT', 'GEFT'];

describe('a session counts as paid', () => {
  test.each(CODED)('A56 for %s, only with Completed and EFT0301', (kind) => {
    const paid = Object.entries(SESSION_CODES).filter(([code, { status }]) => isPaid(kind, { status, code }));
    expect(paid.map(([code]) => code)).toEqual(['EFT0301']);
  });

  test('A46 for e-Transfer, with Completed, which has no code', () => {
    expect(isPaid('e-Transfer', { status: 'Completed' })).toBe(true);
  });

  test.each(['Initiated', 'Failed', 'Cancelled', 'Expired', 'Settled', undefined])(
    'never with the status %s',
    (status) => {
      expect(isPaid('e-Transfer', { ...(status !== undefined && { status }) })).toBe(false);
      expect(isPaid('EFT', { ...(status !== undefined && { status }), code: 'EFT0301' })).toBe(false);
    },
  );
});

describe('the outcome of a session', () => {
  test.each(CODED)('is unclear for %s if Completed has no code, or an unknown one', (kind) => {
    expect(isUnclear(kind, { status: 'Completed' })).toBe(true);
    expect(isUnclear(kind, { status: 'Completed', code: 'EFT0399' })).toBe(true);
    expect(isUnclear(kind, { status: 'Completed', unreadableCode: true })).toBe(true);
  });

  test('is unclear for e-Transfer if Completed has a code, which it should not have', () => {
    expect(isUnclear('e-Transfer', { status: 'Completed', unreadableCode: true })).toBe(true);
    expect(isUnclear('e-Transfer', { status: 'Completed', code: 'ET01' })).toBe(true);
  });

  test('is clear for EFT if Completed has the code of a payment or of an awaited signature', () => {
    expect(isUnclear('EFT', { status: 'Completed', code: 'EFT0302' })).toBe(false);
    expect(isUnclear('EFT', { status: 'Completed', code: 'EFT0301' })).toBe(false);
  });
});
