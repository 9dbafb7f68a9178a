import { describe, expect, test } from '@jest/globals';
import type { Money } from '../../../examples/checkout/orders/money';
import { orderView } from '../../../examples/checkout/orders/view';
import type { SessionState } from '../../../src';

describe('the order’s page', () => {
  const KNOWN = { key: 'k', kind: 'EFT', referenceId: null, anomalies: [], decisions: [] } as const;
  const OPEN = { ...KNOWN, phase: 'open', paid: false } as const;
  const ENDED = { ...OPEN, phase: 'ended' } as const;
  const failure = { code: 'SERVICE_REQUEST_REJECTED', message: 'no' } as const;

  test.each<[string, SessionState, object]>([
    [
      'creating',
      { ...OPEN, phase: 'creating' },
      { headline: 'Preparing your payment', flow: 'gone', cancellable: true },
    ],
    ['parked', { ...OPEN, phase: 'parked' }, { headline: 'Checking your payment', flow: 'gone' }],
    [
      'never opened',
      { ...ENDED, failure },
      { headline: 'The payment could not be opened', tone: 'bad', ended: true },
    ],
    [
      'cancelling',
      { ...OPEN, phase: 'cancelling', status: 'Initiated' },
      { flow: 'kept', cancellable: false },
    ],
    [
      'unsigned',
      { ...OPEN, status: 'Completed', code: 'EFT0302' },
      { flow: 'usable', cancellable: false, tone: 'waiting' },
    ],
    [
      'paid',
      { ...ENDED, paid: true, status: 'Completed', code: 'EFT0301' },
      { headline: 'Paid. Thank you!', tone: 'good' },
    ],
    [
      'completed, though nobody can tell whether it is paid',
      { ...ENDED, status: 'Completed' },
      { headline: 'Checking your payment', tone: 'waiting', flow: 'gone' },
    ],
    [
      'unsigned to the end',
      { ...ENDED, status: 'Completed', code: 'EFT0302', unsigned: true },
      { headline: 'The agreement was not signed in time', tone: 'bad', flow: 'gone' },
    ],
    [
      'failed with a code that nobody knows',
      { ...ENDED, status: 'Failed', code: 'EFT9' },
      { tone: 'bad', flow: 'kept' },
    ],
    [
      'a status that nobody knows',
      { ...OPEN, status: 'Held' },
      { headline: 'The payment is Held', flow: 'usable' },
    ],
  ])('%s', (_name, state, expected) => {
    expect(orderView({ state, history: [] }, 'EN')).toMatchObject(expected);
  });

  const PAID: SessionState = { ...ENDED, paid: true, status: 'Completed', code: 'EFT0301' };

  test.each<[string, SessionState, Money | undefined, object]>([
    ['the shop takes no webhooks', PAID, undefined, { headline: 'Paid. Thank you!', isLast: true }],
    ['there was none yet', PAID, 'unknown', { headline: 'Paid. Thank you!', isLast: false }],
    ['it knows of the payment first', OPEN, 'paid', { headline: 'Paid. Thank you!', flow: 'gone' }],
    ['the money has arrived', PAID, 'arrived', { tone: 'good', isLast: false }],
    ['it has come back', PAID, 'cameBack', { headline: 'Your payment came back', tone: 'bad', isLast: true }],
    ['nothing was paid', { ...ENDED, status: 'Expired' }, 'unknown', { tone: 'bad', isLast: true }],
  ])('with webhooks: %s', (_name, state, money, expected) => {
    expect(orderView({ state, history: [], money }, 'EN')).toMatchObject(expected);
  });
});
