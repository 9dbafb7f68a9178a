import { describe, expect, jest, test } from '@jest/globals';
import { PaysessionError } from '../../../../src/errors';
import { webhookPost, sendWebhooks, type WebhookEndpoint, type PaymentLedger } from '../../../../ledger';
import { until } from '../../../support/wait';
import { CLAIM } from '../../../support/ledger/claim';
import { closesLater, openLedger, testLedger, type TestLedger } from '../../../support/ledger/test-ledger';
import {
  AT,
  openedFacts,
  PAID_FACTS,
  recordOpened,
  recordPaid,
} from '../../../support/ledger/webhooks/recorded';
import { startReceiver, type Receiver } from '../../../support/ledger/webhooks/receiver';
import { fingerprintOf } from '../../../../ledger/webhooks/endpoints';
import type { DeliveryEvent } from '../../../../ledger/webhooks/delivery-event';

interface Sender {
  readonly events: DeliveryEvent[];
  readonly stop: () => Promise<void>;
}

/** Sends until it is stopped or the test ends. */
function startSender(ledger: PaymentLedger, ...receivers: readonly Receiver[]): Sender {
  const over = new AbortController();
  const events: DeliveryEvent[] = [];
  const post = webhookPost({ allowsLoopback: true });
  const sending = sendWebhooks({
    ledger,
    endpoints: receivers.map(({ endpoint }) => endpoint),
    post,
    onEvent: (event) => events.push(event),
    signal: over.signal,
  });
  const stop = async () => {
    over.abort();
    await sending;
    await post.close();
  };
  closesLater(stop);
  return { events, stop };
}

const WHOLE = ['session.opened', 'session.state_changed', 'session.paid', 'session.ended'];

/** Resolves once the endpoint is written down: webhooks are kept for it from then on. */
const registered = ({ database }: TestLedger, name = 'shop') =>
  until(
    () => database.query('select 1 as one from paysession_ledger.webhook_endpoints where name = $1', [name]),
    (rows) => rows.length > 0,
  );

const waiting = async ({ database }: TestLedger): Promise<number> =>
  (await database.query('select 1 as one from paysession_ledger.webhook_outbox')).length;

const told = (receiver: Receiver, key: string, count: number) =>
  until(
    () => Promise.resolve(receiver.of(key)),
    (kinds) => kinds.length >= count,
  );

/** Makes due what waits for a later time. */
const hurry = ({ database }: TestLedger) =>
  database.query(
    "update paysession_ledger.webhook_outbox set due_at = now() where lease is null and due_at > now() + interval '1 second' and due_at < 'infinity'",
  );

/** Resolves once nothing waits for any endpoint. */
const allDelivered = (own: TestLedger) =>
  until(
    () => waiting(own),
    (count) => count === 0,
  );

/** The settings of a sender that takes one session of the shop. */
const ONE = [{ endpoint: 'shop', settings: 'any', most: 1 }];

/** A sender's receiver, with other settings of the endpoint. */
const withSettings = (receiver: Receiver, settings: Partial<WebhookEndpoint>): Receiver => ({
  ...receiver,
  endpoint: { ...receiver.endpoint, ...settings },
});

describe('a webhook', () => {
  test('of a session comes in its order, signed, without what is personal', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    startSender(own.ledger, receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    await recordPaid(own.ledger, 'order-1');
    expect(await told(receiver, 'order-1', WHOLE.length)).toEqual(WHOLE);
    const { event } = receiver.received.find(({ event: { type } }) => type === 'session.paid') ?? {};
    expect(event).toMatchObject({
      type: 'session.paid',
      timestamp: AT,
      data: { key: 'order-1', environment: 'default', account: 'default', number: 4, state: { paid: true } },
    });
    expect(JSON.stringify(receiver.received)).not.toContain('avery.tremblay');
    await allDelivered(own);
  });

  test('holds the request where an endpoint asks for personal data', async () => {
    const own = await testLedger();
    const receiver = await startReceiver({ personalData: true, kinds: ['session.opened'] });
    startSender(own.ledger, receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    await recordPaid(own.ledger, 'order-1');
    await allDelivered(own);
    expect(receiver.received.map(({ event }) => event.data.request)).toEqual([CLAIM.request]);
  });

  test('of other accounts does not come', async () => {
    const own = await testLedger();
    const receiver = await startReceiver({ accounts: ['east'] });
    startSender(own.ledger, receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    await own.ledger.claim({ ...CLAIM, key: 'order-2', account: 'east' });
    await recordOpened(own.ledger, 'order-2');
    await told(receiver, 'order-2', 1);
    await allDelivered(own);
    expect(receiver.of('order-1')).toEqual([]);
  });

  test('that was refused comes again with the same id, and what is behind it afterwards', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    const ids: string[] = [];
    receiver.answer = ({ id, event }) => {
      ids.push(id);
      return event.type === 'session.opened' && ids.length < 3 ? 500 : 200;
    };
    const { events } = startSender(own.ledger, receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    await recordPaid(own.ledger, 'order-1');
    for (const refusals of [1, 2]) {
      await until(
        () => Promise.resolve(events.filter(({ kind }) => kind === 'refused')),
        (refused) => refused.length === refusals,
      );
      // The refusal is reported before it is recorded.
      await until(
        () => hurry(own).then(() => ids.length),
        (count) => count > refusals,
      );
    }
    expect(await told(receiver, 'order-1', WHOLE.length)).toEqual(WHOLE);
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
  });

  test('of one session that is refused holds up no other', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    receiver.answer = ({ event }) => (event.data.key === 'order-1' ? 422 : 200);
    startSender(own.ledger, receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    await recordOpened(own.ledger, 'order-2');
    await recordPaid(own.ledger, 'order-2');
    expect(await told(receiver, 'order-2', WHOLE.length)).toEqual(WHOLE);
    expect(receiver.of('order-1')).toEqual([]);
  });

  test('is sent by one of several senders, which share the work', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    const senders = [startSender(own.ledger, receiver), startSender(openLedger(own.url), receiver)];
    await registered(own);
    const keys = Array.from({ length: 60 }, (_key, index) => `order-${index}`);
    await Promise.all(keys.map((key) => recordOpened(own.ledger, key)));
    await Promise.all(keys.map((key) => recordPaid(own.ledger, key)));
    await allDelivered(own);
    for (const key of keys) expect(receiver.of(key)).toEqual(WHOLE);
    expect(receiver.received).toHaveLength(keys.length * WHOLE.length);
    expect(senders.every(({ events }) => events.some(({ kind }) => kind === 'delivered'))).toBe(true);
  });

  test('that a lost sender has leased is taken by another once its lease ends', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await own.ledger.webhookEndpoints.register([receiver.endpoint]);
    await recordOpened(own.ledger, 'order-1');
    const [held] = await own.ledger.webhooks.take(ONE, 'lost');
    expect(held).toMatchObject({ key: 'order-1', attempts: 0 });
    startSender(own.ledger, receiver);
    await recordOpened(own.ledger, 'order-2');
    await told(receiver, 'order-2', 1);
    expect(receiver.of('order-1')).toEqual([]);
    await own.database.query(
      "update paysession_ledger.webhook_outbox set due_at = now() where lease = 'lost'",
    );
    await told(receiver, 'order-1', 1);
  });
});

test('one session that is refused again and again leaves its endpoint up, and is given up after three days', async () => {
  const own = await testLedger();
  const receiver = await startReceiver();
  receiver.answer = ({ event }) => (event.type === 'session.opened' ? 422 : 200);
  const { events } = startSender(own.ledger, receiver);
  await registered(own);
  await recordOpened(own.ledger, 'order-1');
  await recordPaid(own.ledger, 'order-1');
  const refusals = () => events.filter(({ kind }) => kind === 'refused').length;
  await until(
    () => hurry(own).then(refusals),
    (count) => count > 5,
  );
  const isLate = () =>
    own.database.query('update paysession_ledger.webhook_outbox set attempts = 100 where lease is null');
  await until(
    () => isLate().then(() => hurry(own).then(() => receiver.of('order-1'))),
    (kinds) => kinds.length === WHOLE.length - 1,
  );
  expect(receiver.of('order-1')).toEqual(WHOLE.slice(1));
  expect(events.map(({ kind }) => kind)).toEqual(expect.not.arrayContaining(['down']));
  const [endpoint] = await until(
    () => own.ledger.webhookEndpoints.all(),
    ([one]) => one?.givenUp === 1 && one.waiting === 0,
  );
  expect(endpoint).not.toHaveProperty('waitsSince');

  receiver.answer = () => 200;
  await recordOpened(own.ledger, 'order-2');
  await told(receiver, 'order-2', 1);
  const before = receiver.received.length;
  expect(await own.ledger.webhookEndpoints.replay('shop')).toBe(1);
  await allDelivered(own);
  const again = receiver.received.slice(before).map(({ event }) => [event.data.key, event.type]);
  expect(again).toEqual(WHOLE.map((type) => ['order-1', type]));
  expect(receiver.of('order-1')).toHaveLength(WHOLE.length);
  await expect(own.ledger.webhookEndpoints.replay('shop')).rejects.toMatchObject({
    failures: [{ path: '--since' }],
  });
});

test('a sender that cannot remove old deliveries reports it once, and sends webhooks nevertheless', async () => {
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
  await told(receiver, 'order-1', 1);
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

test('a refused message waits for 5 s, then 30 s, and the next one of its session for 5 s again', async () => {
  const own = await testLedger();
  const receiver = await startReceiver();
  await own.ledger.webhookEndpoints.register([receiver.endpoint]);
  await recordOpened(own.ledger, 'order-1');
  await recordPaid(own.ledger, 'order-1');
  let refusals = 0;
  receiver.answer = ({ event }) => {
    const isRefused = event.type === 'session.opened' ? refusals < 2 : event.type === 'session.state_changed';
    if (isRefused) refusals += 1;
    return isRefused ? 503 : 200;
  };
  startSender(own.ledger, receiver);
  const nextWaits = async (count: number): Promise<number> => {
    const [row] = await until(
      () =>
        own.database.query<{ seconds: string }>(
          `select extract(epoch from due_at - now()) as seconds from paysession_ledger.webhook_outbox where lease is null`,
        ),
      (rows) => rows.length === 1 && refusals === count,
    );
    await hurry(own);
    return Number(row?.seconds);
  };
  expect(await nextWaits(1)).toBeLessThan(10);
  expect(await nextWaits(2)).toBeGreaterThan(10);
  expect(await nextWaits(3)).toBeLessThan(10);
  expect(await nextWaits(4)).toBeGreaterThan(10);
});

test('a sender that stops leaves the rest of a session to others at once, with no refusals counted', async () => {
  const own = await testLedger();
  const receiver = await startReceiver();
  await own.ledger.webhookEndpoints.register([receiver.endpoint]);
  await recordOpened(own.ledger, 'order-1');
  await recordPaid(own.ledger, 'order-1');
  await own.database.query('update paysession_ledger.webhook_outbox set attempts = 3');
  const stopped = new Promise<void>((resolve) => {
    const sender = startSender(own.ledger, receiver);
    receiver.answer = () => {
      resolve(sender.stop());
      return 200;
    };
  });
  await stopped;
  expect(receiver.of('order-1')).toEqual(WHOLE.slice(0, 1));
  expect(await own.ledger.webhooks.take(ONE, 'next')).toMatchObject([
    { key: 'order-1', from: 3, attempts: 0 },
  ]);
});

describe('senders with different settings of one endpoint', () => {
  /** Starts senders one after the other, so that each is registered before anything is recorded. */
  async function startWith(own: TestLedger, receiver: Receiver, ...all: readonly Partial<WebhookEndpoint>[]) {
    const senders = all.map((settings) => startSender(own.ledger, withSettings(receiver, settings)));
    await until(
      () => own.database.query('select 1 as one from paysession_ledger.webhook_settings'),
      (rows) => rows.length === all.length,
    );
    return senders;
  }

  test('deliver what the settings of any of them want, in order', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await startWith(own, receiver, {}, { kinds: ['payment.returned'] }, { accounts: ['east'] });
    const keys = Array.from({ length: 10 }, (_key, index) => `order-${index}`);
    await Promise.all(keys.map((key) => recordOpened(own.ledger, key)));
    await Promise.all(keys.map((key) => recordPaid(own.ledger, key)));
    await allDelivered(own);
    for (const key of keys) expect(receiver.of(key)).toEqual(WHOLE);
  });

  test('deliver nothing that none of them wants', async () => {
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

  test('share an entry of several messages', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await startWith(own, receiver, { kinds: ['session.paid'] }, { kinds: ['session.state_changed'] });
    await recordOpened(own.ledger, 'order-1');
    await recordPaid(own.ledger, 'order-1');
    await allDelivered(own);
    expect(receiver.of('order-1').toSorted()).toEqual(['session.paid', 'session.state_changed']);
  });

  test('report that they differ', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await own.ledger.webhookEndpoints.register([receiver.endpoint]);
    const [sender] = await startWith(own, receiver, { kinds: ['session.paid'] }, {});
    await until(
      () => Promise.resolve(sender?.events),
      (events) => events?.some(({ kind }) => kind === 'differs') === true,
    );
  });

  test('take an entry that one of them has passed once more only when all have', async () => {
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

  test('do not wait for settings that no sender has had for a minute', async () => {
    const { own, newer, olderAs, newerAs, settings } = await withOlder();
    await age(own, 'began_at', newerAs);
    await own.ledger.webhookEndpoints.register([newer]);
    expect(await settings()).toBe(2);
    await age(own, 'seen_at', olderAs);
    await own.ledger.webhookEndpoints.register([newer]);
    expect(await settings()).toBe(1);
  });

  test('wait a minute for each other after all of them were away', async () => {
    const { own, older, newer, olderAs, newerAs, settings } = await withOlder();
    await age(own, 'began_at', newerAs);
    for (const one of [olderAs, newerAs]) await age(own, 'seen_at', one);
    expect((await own.ledger.webhookEndpoints.register([newer])).has('shop')).toBe(false);
    expect((await own.ledger.webhookEndpoints.register([newer])).has('shop')).toBe(false);
    expect(await settings()).toBe(2);
    expect((await own.ledger.webhookEndpoints.register([older])).has('shop')).toBe(true);
  });
});

describe('a replay', () => {
  test('has what a machine with a slow clock has recorded', async () => {
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

  test('has nothing that was recorded before its time', async () => {
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

  test('after a restore from a backup and a sweep has the ids that the receiver knows', async () => {
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

describe('no message reports', () => {
  test('an end of a workflow that has lost its key', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    startSender(own.ledger, receiver);
    await registered(own);
    await own.ledger.claim(CLAIM);
    const later = { ...CLAIM, firstRunId: 'run-2' };
    expect(await own.ledger.claim(later)).toMatchObject({ outcome: 'unknown' });
    await own.ledger.record(later, [openedFacts('order-1')[0]]);
    const cancelled = { paid: false, leftNothing: true, firstRunId: CLAIM.firstRunId, status: 'Cancelled' };
    await own.ledger.recordEnded(CLAIM, [{ kind: 'ended', at: AT, ...cancelled }]);
    await allDelivered(own);
    expect(receiver.received.map(({ event }) => [event.type, event.data.state.phase])).toEqual([
      ['session.opened', 'open'],
    ]);
  });

  test('an adoption of a session that another key follows', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    startSender(own.ledger, receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    await own.ledger.claim({ ...CLAIM, key: 'order-2', firstRunId: 'run-2' });
    const adopted = { kind: 'opened', at: AT, sessionId: 'id-of-order-1', how: 'adopt' } as const;
    await expect(own.ledger.record({ key: 'order-2', firstRunId: 'run-2' }, [adopted])).rejects.toMatchObject(
      { code: 'SESSION_FOLLOWED' },
    );
    await allDelivered(own);
    expect(receiver.received.map(({ event }) => event.data.key)).toEqual(['order-1']);
  });
});

describe('an endpoint that refuses everything', () => {
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

  /** It is tried again now. */
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

  test('is down, and gets all of its webhooks once it takes one message', async () => {
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

  test('stays down where it is tried with webhooks that it does not want', async () => {
    const { own, receiver, stop } = await broughtDown();
    await stop();
    await own.database.query("delete from paysession_ledger.webhook_outbox where key <> 'order-0'");
    // The settings of the sender that has stopped count for a minute.
    await own.database.query('delete from paysession_ledger.webhook_settings');
    const picky = startSender(own.ledger, withSettings(receiver, { kinds: ['payment.returned'] }));
    await until(
      () => probe(own).then(() => waiting(own)),
      (count) => count === 0,
    );
    expect([await isDown(own), picky.events]).toEqual([true, []]);
  });

  test('holds up no other', async () => {
    const { own, stop } = await broughtDown();
    await stop();
    const dead = await startReceiver();
    dead.answer = () => undefined;
    const healthy = await startReceiver({ name: 'books' });
    startSender(own.ledger, dead, healthy);
    await registered(own, 'books');
    await recordOpened(own.ledger, 'order-9');
    await told(healthy, 'order-9', 1);
  });

  test('is failing after three days, receives nothing more, and can have all of it replayed', async () => {
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
    await told(healthy, 'order-late', 1);
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

  test('is probed after a second at first, and at last every fifteen minutes', async () => {
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

  test('is probed with another session each time', async () => {
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

  test('with 410 is failing at once', async () => {
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
});
