import { describe, expect, test } from '@jest/globals';
import { isPaid, isUnclear, SESSION_CODES, type SessionKind } from '../../../src/contract';

// A56 and A46 are rules of the contract (docs/contract.md).

const CODED: readonly SessionKind[] = ['EFT', 'GEFT'];

describe('a session counts as paid', () => {
  test.each(CODED)('A56 of the kind %s, only with Completed and EFT0301', (kind) => {
    const paid = Object.entries(SESSION_CODES).filter(([code, { status }]) => isPaid(kind, { status, code }));
    expect(paid.map(([code]) => code)).toEqual(['EFT0301']);
  });

  test('A46 of the kind e-Transfer, with Completed and no code', () => {
    expect(isPaid('e-Transfer', { status: 'Completed' })).toBe(true);
  });

  test.each(['Initiated', 'Failed', 'Cancelled', 'Expired', 'Settled', undefined])(
    'not with the status %s',
    (status) => {
      expect(isPaid('e-Transfer', { ...(status !== undefined && { status }) })).toBe(false);
      expect(isPaid('EFT', { ...(status !== undefined && { status }), code: 'EFT0301' })).toBe(false);
    },
  );
});

describe('the outcome of a session', () => {
  test.each(CODED)('is unclear for %s if Completed has no code or an unknown code', (kind) => {
    expect(isUnclear(kind, { status: 'Completed' })).toBe(true);
    expect(isUnclear(kind, { status: 'Completed', code: 'EFT0399' })).toBe(true);
    expect(isUnclear(kind, { status: 'Completed', unreadableCode: true })).toBe(true);
  });

  test('is unclear for e-Transfer if Completed has a code', () => {
    expect(isUnclear('e-Transfer', { status: 'Completed', unreadableCode: true })).toBe(true);
    expect(isUnclear('e-Transfer', { status: 'Completed', code: 'ET01' })).toBe(true);
  });

  test('is clear for EFT if Completed has the code of a payment or of an awaited signature', () => {
    expect(isUnclear('EFT', { status: 'Completed', code: 'EFT0302' })).toBe(false);
    expect(isUnclear('EFT', { status: 'Completed', code: 'EFT0301' })).toBe(false);
  });
});
