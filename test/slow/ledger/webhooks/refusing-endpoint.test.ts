import { describe, expect, test } from '@jest/globals';
import { until } from '../../../support/wait';
import { testLedger, type TestLedger } from '../../../support/ledger/test-ledger';
import { recordOpened, recordPaid } from '../../../support/ledger/webhooks/recorded';
import { startReceiver } from '../../../support/ledger/webhooks/receiver';
import {
  allDelivered,
  hurry,
  received,
  registered,
  startSender,
  waiting,
  withSettings,
} from '../../../support/ledger/webhooks/sending';

// If an endpoint refuses all webhooks, the sender marks it as down, and tries it with a single webhook from time to time: a probe.
// After three days, the endpoint is failing: it receives nothing until an operator replays its webhooks.
describe('a webhook endpoint that refuses all webhooks', () => {
  const isDown = async ({ database }: TestLedger) =>
    (
      await database.query(
        'select 1 as one from paysession_ledger.webhook_endpoints where down_since is not null',
      )
    ).length > 0;

  const downSince = ({ database }: TestLedger, ago: string) =>
    database.query(
      `update paysession_ledger.webhook_endpoints set down_since = now() - interval '${ago}' where down_since is not null`,
    );

  /** Makes the next probe of the endpoint due now. */
  const probe = ({ database }: TestLedger) =>
    database.query(
      'update paysession_ledger.webhook_endpoints set probe_at = now() where probe_at is not null',
    );

  async function broughtDown() {
    const own = await testLedger();
    const receiver = await startReceiver();
    receiver.answer = () => undefined;
    const sender = startSender(own.ledger, receiver);
    await registered(own);
    const keys = Array.from({ length: 6 }, (_key, index) => `order-${index}`);
    for (const key of keys) await recordOpened(own.ledger, key);
    await until(() => isDown(own), Boolean);
    return { own, receiver, keys, ...sender };
  }

  test('is down, and receives all waiting webhooks once it accepts one', async () => {
    const { own, receiver, keys, events } = await broughtDown();
    receiver.answer = () => 200;
    await until(
      () => probe(own).then(() => waiting(own)),
      (count) => count === 0,
    );
    expect(keys.every((key) => receiver.of(key).includes('session.opened'))).toBe(true);
    expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['down', 'up']));
    expect(await isDown(own)).toBe(false);
  });

  test('is up again once it accepts one webhook, even if it refuses the next one of the same session', async () => {
    const { own, receiver, keys, events } = await broughtDown();
    for (const key of keys) await recordPaid(own.ledger, key);
    receiver.answer = ({ event }) => (event.type === 'session.opened' ? 200 : 500);
    await until(
      () => probe(own).then(() => events),
      (all) => all.some(({ kind }) => kind === 'up'),
    );
    await until(
      () => Promise.resolve(keys.filter((key) => receiver.of(key).includes('session.opened'))),
      (opened) => opened.length === keys.length,
    );
  });

  test('stays down if its settings exclude all webhooks with which it could be probed', async () => {
    const { own, receiver, stop } = await broughtDown();
    await stop();
    await own.database.query("delete from paysession_ledger.webhook_outbox where key <> 'order-0'");
    // Without this, the settings of the stopped sender would still count for a minute.
    await own.database.query('delete from paysession_ledger.webhook_settings');
    const picky = startSender(own.ledger, withSettings(receiver, { kinds: ['payment.returned'] }));
    await until(
      () => probe(own).then(() => waiting(own)),
      (count) => count === 0,
    );
    expect([await isDown(own), picky.events]).toEqual([true, []]);
  });

  test('does not delay the webhooks of other endpoints', async () => {
    const { own, stop } = await broughtDown();
    await stop();
    const dead = await startReceiver();
    dead.answer = () => undefined;
    const healthy = await startReceiver({ name: 'books' });
    startSender(own.ledger, dead, healthy);
    await registered(own, 'books');
    await recordOpened(own.ledger, 'order-9');
    await received(healthy, 'order-9', 1);
  });

  test('is failing after three days, receives no more webhooks, and a replay then sends all of them', async () => {
    const { own, receiver, keys, events, stop } = await broughtDown();
    await downSince(own, '73 hours');
    await until(
      () => probe(own).then(() => events),
      (all) => all.some(({ kind }) => kind === 'failing'),
    );
    await stop();
    await own.database.query('update paysession_ledger.webhook_outbox set due_at = now(), lease = null');
    receiver.answer = () => 200;
    const healthy = await startReceiver({ name: 'books' });
    startSender(own.ledger, receiver, healthy);
    await registered(own, 'books');
    await recordOpened(own.ledger, 'order-late');
    await received(healthy, 'order-late', 1);
    expect(receiver.received).toEqual([]);
    expect(await own.ledger.webhookEndpoints.all()).toMatchObject([
      { name: 'books', state: 'ok' },
      { name: 'shop', state: 'failing', waiting: keys.length + 1, givenUp: 0 },
    ]);
    const sessions = await own.ledger.webhookEndpoints.replay('shop');
    expect(sessions).toBe(keys.length + 1);
    await allDelivered(own);
    for (const key of [...keys, 'order-late']) expect(receiver.of(key)).toEqual(['session.opened']);
    expect(receiver.received).toHaveLength(keys.length + 1);
  });

  test('has its three days counted from now if no sender has tried it for an hour', async () => {
    const { own, stop } = await broughtDown();
    await stop();
    await downSince(own, '73 hours');
    await own.database.query(
      "update paysession_ledger.webhook_endpoints set probe_at = now() - interval '61 minutes'",
    );
    await hurry(own);
    await own.ledger.webhooks.take([{ endpoint: 'shop', settings: 'any', most: 8 }], 'prober');
    expect(await own.ledger.webhookEndpoints.refusesAll('shop')).toBeUndefined();
    expect(await own.ledger.webhookEndpoints.all()).toMatchObject([{ name: 'shop', state: 'down' }]);
  });

  test('is probed after one second at first, and later every fifteen minutes', async () => {
    const own = await testLedger();
    const { endpoint } = await startReceiver();
    const { webhookEndpoints } = own.ledger;
    await webhookEndpoints.register([endpoint]);
    const seconds = async (retryAfterMs = 0) => {
      await webhookEndpoints.refusesAll('shop', { retryAfterMs });
      const [row] = await own.database.query<{ seconds: string }>(
        'select extract(epoch from probe_at - now()) as seconds from paysession_ledger.webhook_endpoints',
      );
      return Number(row?.seconds);
    };
    expect(await seconds()).toBeLessThan(1.2);
    await downSince(own, '40 seconds');
    expect(Math.abs((await seconds()) - 42)).toBeLessThan(5);
    await downSince(own, '10 hours');
    expect(Math.abs((await seconds()) - 945)).toBeLessThan(50);
    expect(await seconds(7_200_000)).toBeGreaterThan(7_190);
  });

  test('is probed with the webhook of another session each time', async () => {
    const { own, stop } = await broughtDown();
    await stop();
    await hurry(own);
    const asked = [{ endpoint: 'shop', settings: 'any', most: 8 }];
    const probed = async () => {
      await probe(own);
      const leased = await own.ledger.webhooks.take(asked, 'prober');
      for (const one of leased) await own.ledger.webhooks.refused(one, { ...one, waitMs: 0 });
      return leased.map(({ key, isProbe }) => [key, isProbe]);
    };
    const [first, second] = [await probed(), await probed()];
    expect([first, second]).toEqual([[[expect.any(String), true]], [[expect.any(String), true]]]);
    expect(first).not.toEqual(second);
    expect(await own.ledger.webhooks.take(asked, 'early')).toEqual([]);
  });

  test('is failing at once if it answers 410', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    receiver.answer = () => 410;
    const { events } = startSender(own.ledger, receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    const failing = { kind: 'failing', endpoint: 'shop', outcome: 'HTTP 410' };
    await until(
      () => Promise.resolve(events),
      (all) => all.some(({ kind }) => kind === 'failing'),
    );
    expect(events).toContainEqual(failing);
    expect(await own.ledger.webhookEndpoints.all()).toMatchObject([
      { name: 'shop', state: 'failing', waiting: 1 },
    ]);
  });

  test('is only down after the answer 410 if another sender has other settings for it, such as a new URL', async () => {
    const own = await testLedger();
    const { webhookEndpoints } = own.ledger;
    for (const { endpoint } of [await startReceiver(), await startReceiver()])
      await webhookEndpoints.register([endpoint]);
    expect(await webhookEndpoints.refusesAll('shop', { isGone: true })).toBe('down');
    await own.database.query(
      "update paysession_ledger.webhook_settings set seen_at = seen_at - interval '61 seconds'",
    );
    expect(await webhookEndpoints.refusesAll('shop', { isGone: true })).toBe('failing');
  });

  test('has its three days counted from its new settings on, after it was failing', async () => {
    const own = await testLedger();
    const { webhookEndpoints } = own.ledger;
    await webhookEndpoints.register([(await startReceiver()).endpoint]);
    await webhookEndpoints.refusesAll('shop', { isGone: false });
    await own.database.query(
      "update paysession_ledger.webhook_endpoints set down_since = down_since - interval '4 days'",
    );
    expect(await webhookEndpoints.refusesAll('shop', { isGone: false })).toBe('failing');
    await webhookEndpoints.register([(await startReceiver()).endpoint]);
    expect(await webhookEndpoints.refusesAll('shop', { isGone: false })).not.toBe('failing');
    expect(await webhookEndpoints.all()).toMatchObject([{ state: 'down' }]);
  });

  test('receives all webhooks after the answer 410 once a sender has its new URL', async () => {
    const own = await testLedger();
    const old = await startReceiver();
    await own.ledger.webhookEndpoints.register([old.endpoint]);
    await recordOpened(own.ledger, 'order-1');
    await own.ledger.webhookEndpoints.refusesAll('shop', { isGone: true });
    await own.ledger.webhookEndpoints.register([old.endpoint]);
    expect(await own.ledger.webhookEndpoints.all()).toMatchObject([{ state: 'failing' }]);
    const moved = await startReceiver();
    const { events } = startSender(own.ledger, moved);
    await until(
      () => Promise.resolve(events),
      (all) => all.some(({ kind }) => kind === 'up'),
    );
    expect(moved.of('order-1')).toEqual(['session.opened']);
    expect(await own.ledger.webhookEndpoints.all()).toMatchObject([{ state: 'ok' }]);
  });
});
