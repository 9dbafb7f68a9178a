import { expect, test } from '@jest/globals';
import { exampleEvent } from '../../../../ledger/webhooks/example-event';
import { WEBHOOK_KINDS } from '../../../../src/protocol/webhooks';

const options = { key: 'example-1', environment: 'example', at: new Date('2026-03-01T12:00:00Z') };

test.each(WEBHOOK_KINDS)('an example webhook of the kind %s has the kind, the key and the time', (kind) => {
  expect(exampleEvent(kind, options)).toMatchObject({
    type: kind,
    timestamp: '2026-03-01T12:00:00.000Z',
    data: { key: 'example-1', environment: 'example', direction: 'DEBIT' },
  });
});

test('an example webhook has the members of its kind', () => {
  expect(exampleEvent('payment.returned', options).data).toMatchObject({
    payment: { amount: 25, returnCode: '901', advice: 'presentAgain' },
    state: { paid: true, phase: 'ended' },
  });
  expect(exampleEvent('session.decided', options).data.decision).toMatchObject({ decision: 'abandon' });
  expect(exampleEvent('session.paid', options).data.state.paid).toBe(true);
});
