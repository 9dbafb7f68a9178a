import { describe, expect, test } from '@jest/globals';
import type { WebhookEndpoint } from '../../../../ledger';
import { fingerprintOf } from '../../../../ledger/webhooks/endpoints';
import { until } from '../../../support/wait';
import { testLedger, type TestLedger } from '../../../support/ledger/test-ledger';
import { recordOpened, recordPaid } from '../../../support/ledger/webhooks/recorded';
import { startReceiver, type Receiver } from '../../../support/ledger/webhooks/receiver';
import { allDelivered, startSender, WHOLE, withSettings } from '../../../support/ledger/webhooks/sending';

// During a change of settings, several senders deliver to one endpoint with different settings, such as different `kinds`.
describe('webhook senders with different settings for one endpoint', () => {
  /** Starts one sender for each of these settings. Waits until each is registered, so that no webhook is recorded earlier. */
  async function startWith(own: TestLedger, receiver: Receiver, ...all: readonly Partial<WebhookEndpoint>[]) {
    const senders = all.map((settings) => startSender(own.ledger, withSettings(receiver, settings)));
    await until(
      () => own.database.query('select 1 as one from paysession_ledger.webhook_settings'),
      (rows) => rows.length === all.length,
    );
    return senders;
  }

  test('together deliver every webhook that any sender’s settings include, in order', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await startWith(own, receiver, {}, { kinds: ['payment.returned'] }, { accounts: ['east'] });
    const keys = Array.from({ length: 10 }, (_key, index) => `order-${index}`);
    await Promise.all(keys.map((key) => recordOpened(own.ledger, key)));
    await Promise.all(keys.map((key) => recordPaid(own.ledger, key)));
    await allDelivered(own);
    for (const key of keys) expect(receiver.of(key)).toEqual(WHOLE);
  });

  test('deliver no webhook that all senders’ settings exclude', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await startWith(
      own,
      receiver,
      { kinds: ['session.paid'] },
      { kinds: ['session.opened', 'session.ended'] },
    );
    await recordOpened(own.ledger, 'order-1');
    await recordPaid(own.ledger, 'order-1');
    await allDelivered(own);
    expect(receiver.of('order-1')).toEqual(['session.opened', 'session.paid', 'session.ended']);
  });

  test('each deliver their own webhooks of one ledger entry', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await startWith(own, receiver, { kinds: ['session.paid'] }, { kinds: ['session.state_changed'] });
    await recordOpened(own.ledger, 'order-1');
    await recordPaid(own.ledger, 'order-1');
    await allDelivered(own);
    expect(receiver.of('order-1').toSorted()).toEqual(['session.paid', 'session.state_changed']);
  });

  test('report that their settings differ', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await own.ledger.webhookEndpoints.register([receiver.endpoint]);
    const [sender] = await startWith(own, receiver, { kinds: ['session.paid'] }, {});
    await until(
      () => Promise.resolve(sender?.events),
      (events) => events?.some(({ kind }) => kind === 'differs') === true,
    );
  });

  test('do not process an entry twice before every other sender has processed it once', async () => {
    const own = await testLedger();
    const { endpoint } = await startReceiver();
    const all = [endpoint, { ...endpoint, kinds: ['session.paid' as const] }];
    for (const one of all) await own.ledger.webhookEndpoints.register([one]);
    const [whole, paid] = all.map(fingerprintOf);
    await recordOpened(own.ledger, 'order-1');
    const take = async (settings = '') => {
      const [webhooks] = await own.ledger.webhooks.take([{ endpoint: 'shop', settings, most: 1 }], settings);
      return webhooks;
    };
    const isWhole = false;
    const passed = await take(paid);
    expect(passed && (await own.ledger.webhooks.done(passed, 2, { isWhole }))).toBeUndefined();
    expect(await take(paid)).toBeUndefined();
    const taken = await take(whole);
    expect(taken).toMatchObject({ key: 'order-1', from: 2 });
    expect(taken && (await own.ledger.webhooks.done(taken, 2, { isWhole }))).toBe(3);
    expect(taken && (await own.ledger.webhooks.done(taken, 3, { isWhole }))).toBeUndefined();
    expect(await take(paid)).toMatchObject({ from: 3 });
  });

  const age = ({ database }: TestLedger, column: 'began_at' | 'seen_at', fingerprint: string) =>
    database.query(
      `update paysession_ledger.webhook_settings set ${column} = ${column} - interval '61 seconds' where fingerprint ${fingerprint}`,
    );

  async function withOlder() {
    const own = await testLedger();
    const receiver = await startReceiver();
    const older = receiver.endpoint;
    const newer = withSettings(receiver, { kinds: ['session.paid'] }).endpoint;
    await own.ledger.webhookEndpoints.register([older]);
    const before = await own.database.query<{ fingerprint: string }>(
      'select fingerprint from paysession_ledger.webhook_settings',
    );
    await own.ledger.webhookEndpoints.register([newer]);
    const olderAs = `= '${before[0]?.fingerprint ?? ''}'`;
    const settings = async () =>
      (await own.database.query('select 1 as one from paysession_ledger.webhook_settings')).length;
    return { own, older, newer, olderAs, newerAs: olderAs.replace('=', '<>'), settings };
  }

  test('do not wait for settings that no sender has used for a minute', async () => {
    const { own, newer, olderAs, newerAs, settings } = await withOlder();
    await age(own, 'began_at', newerAs);
    await own.ledger.webhookEndpoints.register([newer]);
    expect(await settings()).toBe(2);
    await age(own, 'seen_at', olderAs);
    await own.ledger.webhookEndpoints.register([newer]);
    expect(await settings()).toBe(1);
  });

  test('wait a minute for each other after all of them were stopped', async () => {
    const { own, older, newer, olderAs, newerAs, settings } = await withOlder();
    await age(own, 'began_at', newerAs);
    for (const one of [olderAs, newerAs]) await age(own, 'seen_at', one);
    expect((await own.ledger.webhookEndpoints.register([newer])).has('shop')).toBe(false);
    expect((await own.ledger.webhookEndpoints.register([newer])).has('shop')).toBe(false);
    expect(await settings()).toBe(2);
    expect((await own.ledger.webhookEndpoints.register([older])).has('shop')).toBe(true);
  });
});
