import { describe, expect, test } from '@jest/globals';
import { explain } from '../../../src/errors';
import { saidOf } from '../../../src/service/answers/service-words';
import { createOutcome } from '../../../src/service/answers/create-outcome';
import { eft } from '../../support/requests';

const request = {
  ...eft(),
  referenceId: 'order-1042',
  payor: {
    firstName: 'Mary Ann',
    lastName: 'Tremblay',
    email: 'mary@example.com',
    birthDate: '1990-02-03',
    address: {
      addressLine1: '12 King Street',
      city: 'Québec',
      province: 'QC',
      country: 'CA',
      postalCode: 'G1A 1A1',
    },
  },
} as const;

describe('the text of the payment service’s problem details in messages', () => {
  test.each([
    ['no problem details', undefined, undefined],
    [
      'a detail',
      { title: 'Bad Request', detail: 'amount is above the maximum' },
      'amount is above the maximum',
    ],
    ['a title', { title: 'Limit reached' }, 'Limit reached'],
    [
      'fields',
      { title: 'Invalid.', errors: { 'payor.email': ['is not an address'], amount: ['is too large'] } },
      'Invalid.; payor.email: is not an address; amount: is too large',
    ],
    [
      'fields that the detail repeats',
      { detail: 'amount is too large', errors: { amount: ['is too large'] } },
      'amount is too large',
    ],
    ['quotation marks', { detail: 'the field “amount” is bad' }, 'the field "amount" is bad'],
    ['line breaks', { detail: 'one\n\ttwo\u0007' }, 'one two'],
  ])('is a short text for %s', (_name, problem, said) => {
    expect(saidOf(problem, request)).toBe(said);
  });

  test.each([
    ['MARY ANN is not the holder', '… is not the holder'],
    ['Ann Tremblay is unknown', '… … is unknown'],
    ['cannot mail mary@example.com, or m.t@other.example', 'cannot mail …, or …'],
    ['born 1990-02-03 or 03/02/1990', 'born … or …'],
    ['account 0012-345678 is closed', 'account … is closed'],
    ['no King Street in quÉbec G1A 1A1', 'no … … in … …'],
    ['order-1042 was used', '… was used'],
    [
      'amount 25.00 is under 100.00, at most 12 characters',
      'amount 25.00 is under 100.00, at most 12 characters',
    ],
  ])('has no personal values of the request: %s', (detail, said) => {
    expect(saidOf({ detail }, request)).toBe(said);
  });

  test('has at most 300 characters', () => {
    expect(saidOf({ detail: 'x '.repeat(1_000) }, request)).toHaveLength(300);
  });
});

test('the message of a rejected create has the service’s words without personal values, and explain() has all words', () => {
  const json = { detail: 'Tremblay is not enabled' };
  const exchange = {
    kind: 'answered',
    status: 400,
    headers: {},
    body: { state: 'complete', json },
  } as unknown as Parameters<typeof createOutcome>[0];
  const created = createOutcome(exchange, {
    checkoutUrl: String,
    referenceId: null,
    request,
    named: undefined,
    nowMs: undefined,
    longestRetryAfterMs: 1_000,
  });
  if (created.outcome === 'created') throw new Error('It was created.');
  const { failure } = created;
  expect(failure.message).toContain('The payment service says: “… is not enabled”');
  expect(explain(failure)).toContain('The payment service says: “Tremblay is not enabled”');
  expect(explain(failure)).not.toContain('…');
});
