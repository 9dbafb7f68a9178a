import { describe, expect, test } from '@jest/globals';
import { isAnotherPayment, isChange } from '../../../src/contract';
import { withKnownCode } from '../../../src/contract/reports';
import { readIdentity, readSnapshot } from '../../../src/service/answers/reading';

describe('the code of a session in an answer', () => {
  test.each(['statusDetails', 'statusDetail', 'statusDetailCode'])('is read from %s', (name) => {
    expect(readSnapshot({ status: 'Completed', [name]: 'EFT0301' })).toEqual({
      status: 'Completed',
      code: 'EFT0301',
    });
  });

  test.each([
    ['a number', 301],
    ['an object', { code: 'EFT0302' }],
    ['an array', ['EFT0302']],
    ['a boolean', true],
    ['an empty text', ''],
    ['a text of 201 characters', 'E'.repeat(201)],
  ])('counts as unreadable if it is %s', (_name, statusDetails) => {
    const expected = { status: 'Completed', unreadableCode: true };
    expect(readSnapshot({ status: 'Completed', statusDetails })).toEqual(expected);
    expect(readSnapshot({ status: 'Completed', statusDetailCode: statusDetails })).toEqual(expected);
  });

  test.each([{}, { statusDetails: null }, { statusDetails: null, statusDetail: null }])(
    'does not count as unreadable if it is missing: %j',
    (rest) => {
      expect(readSnapshot({ status: 'Completed', ...rest })).toEqual({ status: 'Completed' });
    },
  );

  test('is read from the only alias with a readable value', () => {
    const body = { status: 'Completed', statusDetails: 7, statusDetail: null, statusDetailCode: 'EFT0302' };
    expect(readSnapshot(body)).toEqual({ status: 'Completed', code: 'EFT0302' });
  });

  test('does not replace a known code if it is unreadable', () => {
    const reported = { status: 'Completed', unreadableCode: true } as const;
    const known = { kind: 'EFT', furthest: 1, status: 'Completed', code: 'EFT0302' } as const;
    expect(withKnownCode(known, reported)).toEqual({ status: 'Completed', code: 'EFT0302' });
    expect(isChange(known, reported)).toBe(false);
    const initiated = { kind: 'EFT', furthest: 0, status: 'Initiated', code: 'EFT0101' } as const;
    expect(isChange(initiated, reported)).toBe(true);
  });
});

test('an answer without a code replaces a known code that the contract does not have', () => {
  const known = { kind: 'EFT', furthest: 1, status: 'Completed', code: 'EFT0399' } as const;
  expect(withKnownCode(known, { status: 'Completed' })).toEqual({ status: 'Completed' });
  expect(isChange(known, { status: 'Completed' })).toBe(true);
});

describe('an answer about a session', () => {
  const expected = { type: 'EFT', direction: 'DEBIT', referenceId: 'order-7' };

  test.each([
    ['type', { type: 'e-Transfer' }],
    ['direction', { direction: 'CREDIT' }],
    ['reference', { referenceId: 'order-8' }],
    ['reference, which is null', { referenceId: null }],
    ['reference, which is too long', { referenceId: 'order-7'.padEnd(300, 'x') }],
    ['type, which is empty', { type: '' }],
  ])('is about another payment because of its %s', (_name, body) => {
    expect(isAnotherPayment(expected, readIdentity({ ...expected, ...body }))).toBe(true);
  });

  test.each([
    ['missing fields', {}],
    ['fields that are not texts', { type: 5, direction: null, referenceId: { id: 'order-8' } }],
    ['its amount', { ...expected, amount: 5 }],
    ['a reference in another case or with spaces', { ...expected, referenceId: ' ORDER-7\n' }],
  ])('is not about another payment because of %s', (_name, body) => {
    expect(isAnotherPayment(expected, readIdentity(body))).toBe(false);
  });

  test('is about another payment if it has a reference, and no reference is expected', () => {
    const unnamed = { ...expected, referenceId: null };
    expect(isAnotherPayment(unnamed, readIdentity({ referenceId: null }))).toBe(false);
    expect(isAnotherPayment(unnamed, readIdentity({ referenceId: '' }))).toBe(false);
    expect(isAnotherPayment(unnamed, readIdentity({ referenceId: 'order-7' }))).toBe(true);
  });
});

describe('an amount in an answer', () => {
  test.each([
    [0.1 + 0.2, 0.3],
    [19.99 + 10, 29.99],
    [100 * 1.15, 115],
    [25, 25],
  ])('of %d is read as %d', (amount, meant) => {
    expect(readSnapshot({ status: 'Completed', amount })).toEqual({ status: 'Completed', amount: meant });
    expect(readIdentity({ amount })).toEqual({ amount: meant });
  });

  test('with parts of a cent is not rounded, so that it does not equal another amount', () => {
    expect(readSnapshot({ status: 'Completed', amount: 25.005 })).toEqual({
      status: 'Completed',
      amount: 25.005,
    });
  });

  test.each(['25.00', null, {}, Infinity])('is ignored if it is %p', (amount) => {
    expect(readSnapshot({ status: 'Completed', amount })).toEqual({ status: 'Completed' });
    expect(readIdentity({ amount })).toEqual({});
  });
});
