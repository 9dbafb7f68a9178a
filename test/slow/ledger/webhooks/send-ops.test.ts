import { describe, expect, test } from '@jest/globals';
import type { OpsKind } from '../../../../src/protocol/webhooks';
import { sendWebhooks, webhookPost, type OpsEvent, type PaymentLedger } from '../../../../ledger';
import type { DeliveryEvent } from '../../../../ledger/webhooks/delivery-event';
import { CLAIM } from '../../../support/ledger/claim';
import { closesLater, openLedger, testLedger, type TestLedger } from '../../../support/ledger/test-ledger';
import { startReceiver, type Receiver } from '../../../support/ledger/webhooks/receiver';
import { leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { createWorld } from '../../../support/worlds/world';

// Webhooks for operators report conditions, such as “sessions wait for a decision”. Workers report a condition again and again
// while it lasts. The first message is due after a minute.

/** Sends webhooks to these receivers until the test ends, and returns the events that the sender reports. */
function startSender(ledger: PaymentLedger, ...receivers: readonly Receiver[]): readonly DeliveryEvent[] {
  const over = new AbortController();
  const events: DeliveryEvent[] = [];
  const post = webhookPost({ allowsLoopback: true });
  const endpoints = receivers.map(({ endpoint }) => endpoint);
  const sending = sendWebhooks({
    ledger,
    endpoints,
    post,
    onEvent: (event) => events.push(event),
    signal: over.signal,
  });
  closesLater(async () => {
    over.abort();
    await sending;
    await post.close();
  });
  return events;
}

/** Moves all conditions into the past, as if this time had passed and workers had kept reporting them. */
const last = ({ database }: TestLedger, time: string) =>
  database.query(`update paysession_ledger.ops_conditions set began_at = began_at - $1::interval`, [time]);

/** Moves all conditions into the past, as if this time had passed and no worker had reported them. */
const pass = ({ database }: TestLedger, time: string) =>
  database.query(
    `update paysession_ledger.ops_conditions set began_at = began_at - $1::interval, seen_at = seen_at - $1::interval`,
    [time],
  );

/** Records a session that waits for a decision. */
async function park(ledger: PaymentLedger, key: string): Promise<void> {
  await ledger.claim({ ...CLAIM, key });
  const parked = { kind: 'parked', at: CLAIM.at, number: 1, code: 'SERVICE_FAILED', id: key } as const;
  await ledger.record({ key, firstRunId: CLAIM.firstRunId }, [parked]);
}

/** Takes the only condition that is due at the endpoint, records that its message was sent, and returns it. */
async function sendDue({ opsConditions }: PaymentLedger, kind: OpsKind) {
  const [first, ...others] = await opsConditions.due('pager', [kind]);
  if (first === undefined) throw new Error('no condition is due');
  expect(others).toEqual([]);
  await opsConditions.sentTo('pager', first);
  return first;
}

const opsOf = ({ received }: Receiver): readonly OpsEvent[] =>
  received.map(({ event }) => event as unknown as OpsEvent);

describe('a webhook for operators', () => {
  test('is sent once after a minute, to the endpoints whose kinds include it, and has the same id from all senders', async () => {
    const own = await testLedger();
    const { ledger, url } = own;
    const pager = await startReceiver({ name: 'pager', kinds: ['ops.account_paused', 'session.parked'] });
    const east = await startReceiver({ name: 'east', kinds: ['ops.account_paused'], accounts: ['east'] });
    const shop = await startReceiver({ name: 'shop' });
    await ledger.opsConditions.accountPaused('default', 'SERVICE_FAILED');
    expect(await ledger.opsConditions.due('pager', ['ops.account_paused'])).toEqual([]);
    await last(own, '61 seconds');
    startSender(ledger, pager, east, shop);
    startSender(openLedger(url), pager, east, shop);
    await until(
      () => ledger.opsConditions.accountPaused('default', 'SERVICE_FAILED').then(() => pager.received),
      ({ length }) => length > 0,
    );
    await until(
      () => ledger.opsConditions.due('pager', ['ops.account_paused']),
      ({ length }) => length === 0,
    );
    expect(opsOf(pager)[0]).toEqual({
      type: 'ops.account_paused',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { environment: 'default', account: 'default', cause: 'SERVICE_FAILED' },
    });
    expect(new Set(pager.received.map(({ id }) => id)).size).toBe(1);
    expect([east.received, shop.received]).toEqual([[], []]);
  });

  test('about sessions that wait for a decision contains their number, and is sent again until it is accepted', async () => {
    const own = await testLedger();
    const { ledger } = own;
    for (const key of ['order-1', 'order-2']) await park(ledger, key);
    const pager = await startReceiver({ name: 'pager', kinds: ['ops.parked'] });
    pager.answer = () => 503;
    await ledger.opsConditions.countParked();
    await last(own, '61 seconds');
    const events = startSender(ledger, pager);
    const refusals = () => events.filter(({ kind }) => kind === 'opsRefused');
    await until(
      () => Promise.resolve(refusals()),
      ({ length }) => length > 0,
    );
    pager.answer = () => 204;
    await until(
      () => Promise.resolve(opsOf(pager)),
      ({ length }) => length > 0,
    );
    expect(opsOf(pager)).toMatchObject([{ type: 'ops.parked', data: { account: 'default', sessions: 2 } }]);
    expect(refusals()).toEqual([
      { kind: 'opsRefused', endpoint: 'pager', type: 'ops.parked', outcome: 'HTTP 503' },
    ]);
  });

  test('is sent again if a condition was not reported for a while and then comes back', async () => {
    const own = await testLedger();
    const { opsConditions } = own.ledger;
    const due = () => opsConditions.due('pager', ['ops.account_paused']);
    await opsConditions.accountPaused('default', 'SERVICE_FAILED');
    await last(own, '61 seconds');
    await sendDue(own.ledger, 'ops.account_paused');
    await opsConditions.accountPaused('default', 'SERVICE_UNREACHABLE');
    expect(await due()).toEqual([]);
    await pass(own, '31 seconds');
    await opsConditions.accountPaused('default', 'SERVICE_FAILED');
    expect(await due()).toEqual([]);
    await last(own, '61 seconds');
    expect(await due()).toMatchObject([{ account: 'default', detail: 'SERVICE_FAILED' }]);
    await pass(own, '31 seconds');
    expect(await due()).toEqual([]);
  });

  test('is not sent if the condition ends within a minute', async () => {
    const own = await testLedger();
    const { opsConditions } = own.ledger;
    await opsConditions.accountPaused('default', 'SERVICE_FAILED');
    await last(own, '40 seconds');
    await pass(own, '25 seconds');
    expect(await opsConditions.due('pager', ['ops.account_paused'])).toEqual([]);
  });

  test('about sessions that wait for a decision is sent again if their number grows', async () => {
    const own = await testLedger();
    const { ledger } = own;
    const due = () => ledger.opsConditions.due('pager', ['ops.parked']);
    const count = () => ledger.opsConditions.countParked();
    for (const key of ['abandoned', 'order-1']) await park(ledger, key);
    await count();
    await last(own, '61 seconds');
    expect((await sendDue(ledger, 'ops.parked')).detail).toBe('2');
    await last(own, '2 days');
    await count();
    expect(await due()).toEqual([]);
    await own.database.query("update paysession_ledger.claims set parked = false where key = 'order-1'");
    await count();
    for (const key of ['order-2', 'order-3']) await park(ledger, key);
    await count();
    expect(await due()).toEqual([]);
    await last(own, '61 seconds');
    expect((await sendDue(ledger, 'ops.parked')).detail).toBe('3');
    // While the number grows, there is at most one message every quarter of an hour.
    await park(ledger, 'order-4');
    await count();
    await last(own, '61 seconds');
    expect(await due()).toEqual([]);
    await last(own, '15 minutes');
    await count();
    await last(own, '61 seconds');
    expect((await sendDue(ledger, 'ops.parked')).detail).toBe('4');
  });

  test('is sent about an account whose calls a worker has paused', async () => {
    const { ledger, database } = await testLedger();
    const world = await createWorld({ ledger });
    closesLater(() => world.close());
    const { session } = await world.sessions.open(world.input(leftOpen()));
    world.sandbox.failNext('details', { kind: 'status', status: 500 }, 1_000);
    const conditions = await until(
      () => database.query('select kind, account, detail from paysession_ledger.ops_conditions'),
      ({ length }) => length > 0,
    );
    expect(conditions).toEqual([
      { kind: 'ops.account_paused', account: 'default', detail: 'SERVICE_FAILED' },
    ]);
    world.sandbox.clearFaults();
    await session.cancelAndWait();
  });
});
