import { describe, expect, test } from '@jest/globals';
import type { Money } from '../../../examples/checkout/orders/money';
import { orderView } from '../../../examples/checkout/orders/view';
import type { SessionState } from '../../../src';

describe('the order page of the sample shop', () => {
  const COMMON = { key: 'k', kind: 'EFT', referenceId: null, anomalies: [], decisions: [] } as const;
  const OPEN = { ...COMMON, phase: 'open', paid: false } as const;
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
      'never created',
      { ...ENDED, failure },
      { headline: 'The payment could not be opened', tone: 'bad', ended: true },
    ],
    [
      'cancelling',
      { ...OPEN, phase: 'cancelling', status: 'Initiated' },
      { flow: 'kept', cancellable: false },
    ],
    [
      'completed and not signed yet',
      { ...OPEN, status: 'Completed', code: 'EFT0302' },
      { flow: 'usable', cancellable: false, tone: 'waiting' },
    ],
    [
      'paid',
      { ...ENDED, paid: true, status: 'Completed', code: 'EFT0301' },
      { headline: 'Paid. Thank you!', tone: 'good' },
    ],
    [
      'completed without a code, which means that it may be paid or not',
      { ...ENDED, status: 'Completed' },
      { headline: 'Checking your payment', tone: 'waiting', flow: 'gone' },
    ],
    [
      'ended unsigned',
      { ...ENDED, status: 'Completed', code: 'EFT0302', unsigned: true },
      { headline: 'The agreement was not signed in time', tone: 'bad', flow: 'gone' },
    ],
    [
      'failed with an unknown code',
      { ...ENDED, status: 'Failed', code: 'EFT9' },
      { tone: 'bad', flow: 'kept' },
    ],
    [
      'in an unknown status',
      { ...OPEN, status: 'Held' },
      { headline: 'The payment is Held', flow: 'usable' },
    ],
  ])('shows a session that is %s', (_name, state, expected) => {
    expect(orderView({ state, history: [] }, 'EN')).toMatchObject(expected);
  });

  const PAID: SessionState = { ...ENDED, paid: true, status: 'Completed', code: 'EFT0301' };

  test.each<[string, SessionState, Money | undefined, object]>([
    ['the shop receives no webhooks', PAID, undefined, { headline: 'Paid. Thank you!', isLast: true }],
    ['no webhook has come yet', PAID, 'unknown', { headline: 'Paid. Thank you!', isLast: false }],
    [
      'a webhook reports the payment before the session does',
      OPEN,
      'paid',
      { headline: 'Paid. Thank you!', flow: 'gone' },
    ],
    ['a webhook says that the money has arrived', PAID, 'arrived', { tone: 'good', isLast: false }],
    [
      'a webhook says that the money has come back',
      PAID,
      'cameBack',
      { headline: 'Your payment came back', tone: 'bad', isLast: true },
    ],
    ['the session ended unpaid', { ...ENDED, status: 'Expired' }, 'unknown', { tone: 'bad', isLast: true }],
  ])('shows the payment and whether changes can follow, if %s', (_name, state, money, expected) => {
    expect(orderView({ state, history: [], money }, 'EN')).toMatchObject(expected);
  });
});
