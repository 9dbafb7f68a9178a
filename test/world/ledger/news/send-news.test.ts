import { describe, expect, test } from '@jest/globals';
import { newsPost, sendNews, type NewsEvent, type PaymentLedger } from '../../../../ledger';
import { until } from '../../../support/wait';
import { CLAIM } from '../../../support/ledger/claim';
import { closesLater, openLedger, testLedger, type TestLedger } from '../../../support/ledger/test-ledger';
import { AT, recordOpened, recordPaid } from '../../../support/ledger/news/recorded';
import { startReceiver, type Receiver } from '../../../support/ledger/news/receiver';

interface Sender {
  readonly events: NewsEvent[];
  readonly stop: () => Promise<void>;
}

/** Sends until it is stopped or the test ends. */
function startSender(ledger: PaymentLedger, ...receivers: readonly Receiver[]): Sender {
  const over = new AbortController();
  const events: NewsEvent[] = [];
  const post = newsPost({ allowsLoopback: true });
  const sending = sendNews({
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

/** Resolves once the endpoint is written down: news is kept for it from then on. */
const registered = ({ database }: TestLedger, name = 'shop') =>
  until(
    () => database.query('select 1 as one from paysession_ledger.news_endpoints where name = $1', [name]),
    (rows) => rows.length > 0,
  );

const waiting = async ({ database }: TestLedger): Promise<number> =>
  (await database.query('select 1 as one from paysession_ledger.news')).length;

const told = (receiver: Receiver, key: string, count: number) =>
  until(
    () => Promise.resolve(receiver.of(key)),
    (kinds) => kinds.length >= count,
  );

/** What waits for a later time is due now. */
const hurry = ({ database }: TestLedger) =>
  database.query(
    "update paysession_ledger.news set due_at = now() where lease is null and due_at > now() + interval '1 second'",
  );

describe('news', () => {
  test('of a session comes in its order, signed, without what is personal', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    startSender(own.ledger, receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    await recordPaid(own.ledger, 'order-1');
    expect(await told(receiver, 'order-1', WHOLE.length)).toEqual(WHOLE);
    const { news } = receiver.received.find(({ news: { type } }) => type === 'session.paid') ?? {};
    expect(news).toMatchObject({
      type: 'session.paid',
      timestamp: AT,
      data: { key: 'order-1', environment: 'default', account: 'default', number: 4, state: { paid: true } },
    });
    expect(JSON.stringify(receiver.received)).not.toContain('avery.tremblay');
    await until(
      () => waiting(own),
      (count) => count === 0,
    );
  });

  test('holds the request where an endpoint asks for personal data', async () => {
    const own = await testLedger();
    const receiver = await startReceiver({ personalData: true, kinds: ['session.opened'] });
    startSender(own.ledger, receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    await recordPaid(own.ledger, 'order-1');
    await until(
      () => waiting(own),
      (count) => count === 0,
    );
    expect(receiver.received.map(({ news }) => news.data.request)).toEqual([CLAIM.request]);
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
    await until(
      () => waiting(own),
      (count) => count === 0,
    );
    expect(receiver.of('order-1')).toEqual([]);
  });

  test('that was refused comes again with the same id, and what is behind it afterwards', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    const ids: string[] = [];
    receiver.answer = ({ id, news }) => {
      ids.push(id);
      return news.type === 'session.opened' && ids.length < 3 ? 500 : 200;
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
      // The refusal is told before it is written down.
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
    receiver.answer = ({ news }) => (news.data.key === 'order-1' ? 422 : 200);
    startSender(own.ledger, receiver);
    await registered(own);
    await recordOpened(own.ledger, 'order-1');
    await recordOpened(own.ledger, 'order-2');
    await recordPaid(own.ledger, 'order-2');
    expect(await told(receiver, 'order-2', WHOLE.length)).toEqual(WHOLE);
    expect(receiver.of('order-1')).toEqual([]);
  });

  test('is shared by several senders, each message by one of them', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    const senders = [startSender(own.ledger, receiver), startSender(openLedger(own.url), receiver)];
    await registered(own);
    const keys = Array.from({ length: 60 }, (_key, index) => `order-${index}`);
    await Promise.all(keys.map((key) => recordOpened(own.ledger, key)));
    await Promise.all(keys.map((key) => recordPaid(own.ledger, key)));
    await until(
      () => waiting(own),
      (count) => count === 0,
    );
    for (const key of keys) expect(receiver.of(key)).toEqual(WHOLE);
    expect(receiver.received).toHaveLength(keys.length * WHOLE.length);
    expect(senders.every(({ events }) => events.some(({ kind }) => kind === 'delivered'))).toBe(true);
  });

  test('that a lost sender had in hand is taken by another once its time is over', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await own.ledger.news.register([receiver.endpoint]);
    await recordOpened(own.ledger, 'order-1');
    const [held] = await own.ledger.news.take(new Map([['shop', 1]]), 'lost');
    expect(held).toMatchObject({ key: 'order-1', attempts: 0 });
    startSender(own.ledger, receiver);
    await recordOpened(own.ledger, 'order-2');
    await told(receiver, 'order-2', 1);
    expect(receiver.of('order-1')).toEqual([]);
    await own.database.query("update paysession_ledger.news set due_at = now() where lease = 'lost'");
    await told(receiver, 'order-1', 1);
  });
});

test('one session that is refused again and again leaves its endpoint up, and is given up after three days', async () => {
  const own = await testLedger();
  const receiver = await startReceiver();
  receiver.answer = ({ news }) => (news.type === 'session.opened' ? 422 : 200);
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
    own.database.query('update paysession_ledger.news set attempts = 100 where lease is null');
  await until(
    () => isLate().then(() => hurry(own).then(() => receiver.of('order-1'))),
    (kinds) => kinds.length === WHOLE.length - 1,
  );
  expect(receiver.of('order-1')).toEqual(WHOLE.slice(1));
  expect(events.map(({ kind }) => kind)).toEqual(expect.not.arrayContaining(['down']));
  await until(
    () => own.ledger.newsEndpoints.all(),
    ([endpoint]) => endpoint?.givenUp === 1,
  );
});

describe('an endpoint that refuses everything', () => {
  const isDown = async ({ database }: TestLedger) =>
    (
      await database.query(
        'select 1 as one from paysession_ledger.news_endpoints where down_since is not null',
      )
    ).length > 0;

  /** It is tried again now. */
  const probe = ({ database }: TestLedger) =>
    database.query('update paysession_ledger.news_endpoints set probe_at = now() where probe_at is not null');

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

  test('is down, and gets all of its news once it takes one message', async () => {
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

  test('stays down where it is tried with news that it does not want', async () => {
    const { own, receiver, stop } = await broughtDown();
    await stop();
    await own.database.query("delete from paysession_ledger.news where key <> 'order-0'");
    const { endpoint } = receiver;
    const picky = startSender(own.ledger, {
      ...receiver,
      endpoint: { ...endpoint, kinds: ['payment.returned'] },
    });
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

  test('is failing after three days, gets nothing more, and can have all of it again', async () => {
    const { own, receiver, keys, events } = await broughtDown();
    await own.database.query('update paysession_ledger.news_endpoints set probes = 400');
    await until(
      () => probe(own).then(() => events),
      (all) => all.some(({ kind }) => kind === 'failing'),
    );
    await recordOpened(own.ledger, 'order-late');
    expect(await waiting(own)).toBe(0);
    receiver.answer = () => 200;
    const sessions = await own.ledger.newsEndpoints.replay('shop');
    expect(sessions).toBe(keys.length + 1);
    await until(
      () => waiting(own),
      (count) => count === 0,
    );
    for (const key of [...keys, 'order-late']) expect(receiver.of(key)).toEqual(['session.opened']);
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
    expect(await own.ledger.newsEndpoints.all()).toMatchObject([
      { name: 'shop', state: 'failing', givenUp: 1 },
    ]);
  });
});
