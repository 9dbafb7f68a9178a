import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { until } from '../../../support/wait';
import { CLAIM } from '../../../support/ledger/claim';
import { openLedger, testLedger } from '../../../support/ledger/test-ledger';
import { AT, openedFacts, recordOpened, recordPaid } from '../../../support/ledger/webhooks/recorded';
import { startReceiver } from '../../../support/ledger/webhooks/receiver';
import {
  allDelivered,
  hurry,
  ONE,
  received,
  registered,
  startSender,
  WHOLE,
} from '../../../support/ledger/webhooks/sending';

describe('a webhook', () => {
  test('is signed, has no personal data, and arrives in the order of its session’s entries', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    startSender(own.ledger, receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    await recordPaid(own.ledger, 'order-1');
    expect(await received(receiver, 'order-1', WHOLE.length)).toEqual(WHOLE);
    const { event } = receiver.received.find(({ event: { type } }) => type === 'session.paid') ?? {};
    expect(event).toMatchObject({
      type: 'session.paid',
      timestamp: AT,
      data: { key: 'order-1', environment: 'default', account: 'default', number: 4, state: { paid: true } },
    });
    expect(JSON.stringify(receiver.received)).not.toContain('avery.tremblay');
    await allDelivered(own);
  });

  test('contains the request if its endpoint asks for personal data', async () => {
    const own = await testLedger();
    const receiver = await startReceiver({ personalData: true, kinds: ['session.opened'] });
    startSender(own.ledger, receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    await recordPaid(own.ledger, 'order-1');
    await allDelivered(own);
    expect(receiver.received.map(({ event }) => event.data.request)).toEqual([CLAIM.request]);
  });

  test('waits if the sender lacks its encryption key, and another sender with the key delivers it', async () => {
    const encryption = { current: { id: 'a', secret: randomBytes(32) } };
    const own = await testLedger({ encryption });
    const receiver = await startReceiver({ personalData: true, kinds: ['session.opened'] });
    const { events, stop } = startSender(openLedger(own.url), receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    await until(
      () => Promise.resolve(events),
      (reported) => reported.length > 0,
    );
    await stop();
    expect(events).toMatchObject([{ kind: 'unreadable', key: 'order-1', code: 'ENCRYPTION_KEY_MISSING' }]);
    startSender(own.ledger, receiver);
    await hurry(own);
    await allDelivered(own);
    expect(receiver.of('order-1')).toEqual(['session.opened']);
  });

  test('of another account is not sent to an endpoint that names its accounts', async () => {
    const own = await testLedger();
    const receiver = await startReceiver({ accounts: ['east'] });
    startSender(own.ledger, receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    await own.ledger.claim({ ...CLAIM, key: 'order-2', account: 'east' });
    await recordOpened(own.ledger, 'order-2');
    await received(receiver, 'order-2', 1);
    await allDelivered(own);
    expect(receiver.of('order-1')).toEqual([]);
  });

  test('that was refused is sent again with the same id, before the later webhooks of its session', async () => {
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
      // The sender reports the refusal before it records the retry, so this may take several tries.
      await until(
        () => hurry(own).then(() => ids.length),
        (count) => count > refusals,
      );
    }
    expect(await received(receiver, 'order-1', WHOLE.length)).toEqual(WHOLE);
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
  });

  test('that is refused does not delay the webhooks of other sessions', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    receiver.answer = ({ event }) => (event.data.key === 'order-1' ? 422 : 200);
    startSender(own.ledger, receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    await recordOpened(own.ledger, 'order-2');
    await recordPaid(own.ledger, 'order-2');
    expect(await received(receiver, 'order-2', WHOLE.length)).toEqual(WHOLE);
    expect(receiver.of('order-1')).toEqual([]);
  });

  test('is sent once if two senders share the work', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    const senders = [startSender(own.ledger, receiver), startSender(openLedger(own.url), receiver)];
    await registered(own);
    const bothHaveSent = () => senders.every(({ events }) => events.some(({ kind }) => kind === 'delivered'));
    const keys: string[] = [];
    // The first sender may send many webhooks before the second has connected.
    while (!bothHaveSent()) {
      const more = Array.from({ length: 60 }, (_key, index) => `order-${keys.length + index}`);
      keys.push(...more);
      await Promise.all(more.map((key) => recordOpened(own.ledger, key)));
      await Promise.all(more.map((key) => recordPaid(own.ledger, key)));
      await allDelivered(own);
    }
    for (const key of keys) expect(receiver.of(key)).toEqual(WHOLE);
    expect(receiver.received).toHaveLength(keys.length * WHOLE.length);
  });

  test('that a lost sender had leased is sent by another sender once the lease ends', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await own.ledger.webhookEndpoints.register([receiver.endpoint]);
    await recordOpened(own.ledger, 'order-1');
    const [held] = await own.ledger.webhooks.take(ONE, 'lost');
    expect(held).toMatchObject({ key: 'order-1', attempts: 0 });
    startSender(own.ledger, receiver);
    await recordOpened(own.ledger, 'order-2');
    await received(receiver, 'order-2', 1);
    expect(receiver.of('order-1')).toEqual([]);
    await own.database.query(
      "update paysession_ledger.webhook_outbox set due_at = now() where lease = 'lost'",
    );
    await received(receiver, 'order-1', 1);
  });
});

test('if an endpoint always refuses one webhook and accepts others, the sender gives up that webhook after three days', async () => {
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
  await received(receiver, 'order-2', 1);
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

test('the sender retries a refused webhook after 5 s and after 30 s, and retries the session’s next refused webhook after 5 s again', async () => {
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

test('a webhook sender that stops records the endpoint’s last answer, and another sender continues the session at once', async () => {
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
  expect(await own.ledger.webhookEndpoints.all()).toMatchObject([{ name: 'shop', lastOutcome: 'delivered' }]);
});

describe('the sender sends no webhook', () => {
  test('about the end of a workflow whose key now belongs to another workflow', async () => {
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

  test('about the adoption of a session that another key follows', async () => {
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
