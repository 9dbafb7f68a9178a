import { describe, expect, test } from '@jest/globals';
import { isPaid, isUnclear, SESSION_CODES, type SessionKind } from '../../../src/contract';

const CODED: readonly SessionKind[] = ['EFT', 'GEFT'];

describe('a payment is made', () => {
  test.each(CODED)('A56 for %s by Completed/EFT0301 alone', (kind) => {
    const paid = Object.entries(SESSION_CODES).filter(([code, { status }]) => isPaid(kind, { status, code }));
    expect(paid.map(([code]) => code)).toEqual(['EFT0301']);
  });

  test('A46 for e-Transfer by Completed, which has no code', () => {
    expect(isPaid('e-Transfer', { status: 'Completed' })).toBe(true);
  });

  test.each(['Initiated', 'Failed', 'Cancelled', 'Expired', 'Settled', undefined])('not by %s', (status) => {
    expect(isPaid('e-Transfer', { ...(status !== undefined && { status }) })).toBe(false);
    expect(isPaid('EFT', { ...(status !== undefined && { status }), code: 'EFT0301' })).toBe(false);
  });
});

describe('it is unknown whether a payment is made', () => {
  test.each(CODED)('by a Completed of %s without a code, or with one that is not known', (kind) => {
    expect(isUnclear(kind, { status: 'Completed' })).toBe(true);
    expect(isUnclear(kind, { status: 'Completed', code: 'EFT0399' })).toBe(true);
    expect(isUnclear(kind, { status: 'Completed', unreadableCode: true })).toBe(true);
  });

  test('by a Completed e-Transfer with a code that it should not have', () => {
    expect(isUnclear('e-Transfer', { status: 'Completed', unreadableCode: true })).toBe(true);
    expect(isUnclear('e-Transfer', { status: 'Completed', code: 'ET01' })).toBe(true);
  });

  test('but an awaited signature and a payment are clear', () => {
    expect(isUnclear('EFT', { status: 'Completed', code: 'EFT0302' })).toBe(false);
    expect(isUnclear('EFT', { status: 'Completed', code: 'EFT0301' })).toBe(false);
  });
});
