import { describe, expect, test } from '@jest/globals';
import type { PaymentLedger } from '../../../../ledger';
import { CLAIM } from '../../../support/ledger/claim';
import { openLedger, testLedger, untilOneWaits } from '../../../support/ledger/test-ledger';
import {
  AT,
  openedFacts,
  PAID_FACTS,
  recordOpened,
  recordPaid,
} from '../../../support/ledger/webhooks/recorded';
import { startReceiver } from '../../../support/ledger/webhooks/receiver';
import { allDelivered, startSender, WHOLE } from '../../../support/ledger/webhooks/sending';

// A replay sends the webhooks since a start time again.
describe('a replay of webhooks', () => {
  test('includes an entry that a machine with a late clock has recorded', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await own.ledger.webhookEndpoints.register([receiver.endpoint]);
    const slow = openLedger(own.url, { now: () => Date.now() - 3_600_000 });
    await recordOpened(slow, 'order-1');
    await own.database.query('delete from paysession_ledger.webhook_outbox');
    expect(await own.ledger.webhookEndpoints.replay('shop', new Date(Date.now() - 60_000))).toBe(1);
    startSender(own.ledger, receiver);
    await allDelivered(own);
    expect(receiver.of('order-1')).toEqual(['session.opened']);
  });

  test('includes no entry that was recorded before its start time', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await own.ledger.webhookEndpoints.register([receiver.endpoint]);
    const fast = openLedger(own.url, { now: () => Date.now() + 3_600_000 });
    await recordOpened(fast, 'order-1');
    const [now] = await own.database.query<{ at: Date }>('select clock_timestamp() as at');
    await recordPaid(own.ledger, 'order-1');
    await own.database.query('delete from paysession_ledger.webhook_outbox');
    await own.ledger.webhookEndpoints.replay('shop', new Date((now?.at.getTime() ?? NaN) + 1));
    startSender(own.ledger, receiver);
    await allDelivered(own);
    expect(receiver.of('order-1')).toEqual(WHOLE.slice(1));
  });

  test('includes the later entries of a session although the database’s clock was set back between them', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await own.ledger.webhookEndpoints.register([receiver.endpoint]);
    await recordOpened(own.ledger, 'order-1');
    await recordPaid(own.ledger, 'order-1');
    await own.database.query('delete from paysession_ledger.webhook_outbox');
    await own.database.query('alter table paysession_ledger.entries disable trigger all');
    await own.database.query(
      "update paysession_ledger.entries set written_at = written_at - interval '1 hour' where kind = 'ended'",
    );
    await own.ledger.webhookEndpoints.replay('shop', new Date(Date.now() - 60_000));
    startSender(own.ledger, receiver);
    await allDelivered(own);
    expect(receiver.of('order-1')).toEqual(WHOLE);
  });

  test('does not keep the ledger from recording sessions meanwhile', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await own.ledger.webhookEndpoints.register([receiver.endpoint]);
    await recordOpened(own.ledger, 'order-1');
    const { replaying } = await own.database.transaction(async (statements) => {
      await statements.query('select 1 as one from paysession_ledger.webhook_outbox for update');
      const replaying = own.ledger.webhookEndpoints.replay('shop', new Date(0));
      await untilOneWaits(own.database);
      await recordOpened(own.ledger, 'order-2');
      return { replaying };
    });
    expect(await replaying).toBe(1);
  });

  test('sends the same ids as before, also if a sweep has recorded the entries again after a restore from a backup', async () => {
    const receiver = await startReceiver();
    const ids = async (recordAll: (ledger: PaymentLedger) => Promise<void>) => {
      const own = await testLedger();
      await own.ledger.webhookEndpoints.register([receiver.endpoint]);
      await recordAll(own.ledger);
      const { stop } = startSender(own.ledger, receiver);
      await allDelivered(own);
      await stop();
      return receiver.received.map(({ id, event }) => `${event.type} ${id}`);
    };
    const before = await ids(async (ledger) => {
      await recordOpened(ledger, 'order-1');
      await recordPaid(ledger, 'order-1');
    });
    expect(before).toHaveLength(WHOLE.length);
    const swept = await ids(async (ledger) => {
      const lost = { ...CLAIM, firstRunId: 'run-0', fingerprint: 'other' };
      await ledger.claim(lost);
      const nothing = { paid: false, leftNothing: true, firstRunId: 'run-0', status: 'Cancelled' };
      await ledger.recordEnded(lost, [{ kind: 'ended', at: AT, ...nothing }]);
      await ledger.recordEnded(CLAIM, [...openedFacts('order-1'), ...PAID_FACTS]);
    });
    expect(swept.slice(before.length).slice(1)).toEqual(before);
  });
});
