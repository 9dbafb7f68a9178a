import { expect, jest, test } from '@jest/globals';
import { PaysessionError } from '../../../../src/errors';
import { until } from '../../../support/wait';
import { CLAIM } from '../../../support/ledger/claim';
import { testLedger, untilOneWaits } from '../../../support/ledger/test-ledger';
import { openedFacts, recordOpened } from '../../../support/ledger/webhooks/recorded';
import { startReceiver } from '../../../support/ledger/webhooks/receiver';
import { allDelivered, received, registered, startSender } from '../../../support/ledger/webhooks/sending';

test('if a webhook sender cannot remove old deliveries, it reports that once, still sends webhooks, and later removes temporary endpoints', async () => {
  const own = await testLedger();
  const receiver = await startReceiver();
  const { webhookDeliveries, webhookEndpoints } = own.ledger;
  const slow = new PaysessionError('LEDGER_UNAVAILABLE', 'too slow');
  const removal = jest.spyOn(webhookDeliveries, 'removeOld').mockRejectedValue(slow);
  const { events } = startSender(own.ledger, receiver);
  await registered(own);
  await until(
    () => Promise.resolve(removal.mock.calls),
    ({ length }) => length > 1,
  );
  await recordOpened(own.ledger, 'order-1');
  await received(receiver, 'order-1', 1);
  const reported = events.filter(({ kind }) => kind === 'notCleaned' || kind === 'away');
  expect(reported).toEqual([{ kind: 'notCleaned', code: 'LEDGER_UNAVAILABLE', message: 'too slow' }]);

  removal.mockRestore();
  await webhookEndpoints.register([{ ...receiver.endpoint, name: 'passing' }], { isPassing: true });
  await own.database.query(
    "update paysession_ledger.webhook_settings set seen_at = now() - interval '61 seconds' where endpoint = 'passing'",
  );
  await until(
    () => webhookEndpoints.all(),
    ({ length }) => length === 1,
  );
});

test('the ledger records a session although a webhook endpoint is removed at the same time', async () => {
  const own = await testLedger();
  const receiver = await startReceiver();
  await own.ledger.webhookEndpoints.register([receiver.endpoint]);
  await own.ledger.claim(CLAIM);
  const { recording } = await own.database.transaction(async (statements) => {
    await statements.query('delete from paysession_ledger.webhook_endpoints');
    const recording = own.ledger.record(CLAIM, openedFacts(CLAIM.key));
    await untilOneWaits(own.database);
    return { recording };
  });
  expect(await recording).toBe(2);
});

test('the ledger records a session while the deliveries of a removed webhook endpoint are deleted', async () => {
  const own = await testLedger();
  const receiver = await startReceiver();
  const { stop } = startSender(own.ledger, receiver);
  await registered(own);
  await recordOpened(own.ledger, 'order-1');
  await allDelivered(own);
  await stop();
  const { forgetting } = await own.database.transaction(async (statements) => {
    await statements.query('select 1 as one from paysession_ledger.webhook_deliveries for update');
    const forgetting = own.ledger.webhookEndpoints.forget('shop');
    await untilOneWaits(own.database);
    await recordOpened(own.ledger, 'order-2');
    return { forgetting };
  });
  await forgetting;
  expect(await own.ledger.webhookEndpoints.all()).toEqual([]);
});
