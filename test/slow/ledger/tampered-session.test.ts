import { describe, expect, test } from '@jest/globals';
import { webhookPost, sendWebhooks, type PaymentLedger, type ReconciledLine } from '../../../ledger';
import { CLAIM } from '../../support/ledger/claim';
import { PAID_FACTS, recordOpened, recordPaid } from '../../support/ledger/webhooks/recorded';
import { startReceiver, type Receiver } from '../../support/ledger/webhooks/receiver';
import { closesLater, openLedger, testLedger, type TestLedger } from '../../support/ledger/test-ledger';
import { until } from '../../support/wait';
import { deliverSession } from '../../../ledger/webhooks/deliver-session';
import type { DeliveryEvent } from '../../../ledger/webhooks/delivery-event';
import type { Delivery } from '../../../ledger/webhooks/post';
import { ONE } from '../../support/ledger/webhooks/sending';

const TAMPERED = { code: 'LEDGER_TAMPERED' };
const E = 'paysession_ledger.entries';

/** Inserts an entry with an invalid hash, as a database role with the right to insert can. */
async function insertForged({ database }: TestLedger, key: string, values = "now(), now(), '\\x00'") {
  await database.query(
    `insert into ${E} (environment, key, number, claim, id, kind, body, previous, at, recorded_at, hash)
      select environment, key, number + 1, claim, 'forged', 'state',
        '{"number":2,"status":"Completed","code":"EFT0301","source":"poll"}', hash, ${values}
      from ${E} where key = $1 order by number desc limit 1`,
    [key],
  );
}

/** Changes entries with triggers switched off, as the owner of the tables can. */
async function edit({ database }: TestLedger, statement: string): Promise<void> {
  await database.transaction(async (statements) => {
    await statements.query(`alter table ${E} disable trigger user`);
    await statements.query(statement);
    await statements.query(`alter table ${E} enable trigger user`);
  });
}

function send(ledger: PaymentLedger, receiver: Receiver): readonly DeliveryEvent[] {
  const over = new AbortController();
  const events: DeliveryEvent[] = [];
  const post = webhookPost({ allowsLoopback: true });
  const onEvent = (event: DeliveryEvent) => events.push(event);
  const sending = sendWebhooks({
    ledger,
    endpoints: [receiver.endpoint],
    post,
    onEvent,
    signal: over.signal,
  });
  closesLater(async () => {
    over.abort();
    await sending;
    await post.close();
  });
  return events;
}

describe('a session whose entries in the ledger were tampered with', () => {
  test.each([
    ['an entry with an invalid hash', (own: TestLedger) => insertForged(own, 'order-1')],
    [
      'a time that no process writes',
      (own: TestLedger) => insertForged(own, 'order-1', "'280000-01-01', now(), '\\x00'"),
    ],
    ['an edited entry', (own: TestLedger) => edit(own, `update ${E} set body = '{}' where kind = 'state'`)],
    ['an entry that is gone', (own: TestLedger) => edit(own, `delete from ${E} where number = 2`)],
    [
      'another entry before it',
      (own: TestLedger) => edit(own, `update ${E} set previous = sha256(previous) where number = 3`),
    ],
  ])('cannot be read by any caller: %s', async (_what, tamper) => {
    const own = await testLedger();
    await recordOpened(own.ledger, 'order-1');
    await tamper(own);
    // This second client has no entries of the session in memory.
    const ledger = openLedger(own.url);
    await expect(ledger.entriesOf('order-1')).rejects.toMatchObject(TAMPERED);
    await expect(ledger.claim({ ...CLAIM, firstRunId: 'run-2' })).rejects.toMatchObject(TAMPERED);
    await expect(ledger.record(CLAIM, PAID_FACTS)).rejects.toMatchObject(TAMPERED);
    await recordOpened(ledger, 'order-2');
    expect(await ledger.entriesOf('order-2')).toHaveLength(3);
  });

  test('has its webhooks withheld and reported, while other sessions’ webhooks are sent', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await own.ledger.webhookEndpoints.register([receiver.endpoint]);
    await recordOpened(own.ledger, 'order-1');
    await insertForged(own, 'order-1');
    await recordOpened(own.ledger, 'order-2');
    await recordPaid(own.ledger, 'order-2');
    const events = send(own.ledger, receiver);
    await until(
      () => Promise.resolve(receiver.of('order-2')),
      (kinds) => kinds.length === 4,
    );
    await until(
      () => Promise.resolve(events.filter(({ kind }) => kind === 'withheld')),
      (withheld) => withheld.length > 0,
    );
    expect(receiver.of('order-1')).toEqual([]);
    expect(events.filter(({ kind }) => kind === 'withheld')).toMatchObject([{ key: 'order-1', ...TAMPERED }]);
    const [kept] = await own.database.query(
      "select from_number, to_number, due_at > now() + interval '50 minutes' as later from paysession_ledger.webhook_outbox",
    );
    expect(kept).toEqual({ from_number: 2, to_number: 4, later: true });
  });

  test('does not have webhooks sent again that were delivered before the tampering', async () => {
    const own = await testLedger();
    const receiver = await startReceiver();
    await own.ledger.webhookEndpoints.register([receiver.endpoint]);
    await recordOpened(own.ledger, 'order-1');
    const [leased] = await own.ledger.webhooks.take(ONE, 'lease-1');
    if (leased === undefined) throw new Error('no webhook is due');
    const send = async (): Promise<Delivery> => {
      await insertForged(own, 'order-1');
      return { delivered: true, outcome: 'HTTP 204' };
    };
    const { endpoint } = receiver;
    const { signal } = new AbortController();
    const onEvent = () => undefined;
    expect(await deliverSession({ ledger: own.ledger, endpoint, leased, send, signal, onEvent })).toEqual({
      delivered: 1,
    });
    const rows = await own.database.query(
      'select from_number, to_number, lease from paysession_ledger.webhook_outbox',
    );
    expect(rows).toEqual([{ from_number: 3, to_number: 4, lease: null }]);
  });

  test('has its line of a reconciliation file reported, while the file’s other lines are recorded', async () => {
    const own = await testLedger();
    for (const key of ['order-1', 'order-2']) {
      await recordOpened(own.ledger, key);
      await recordPaid(own.ledger, key);
    }
    await edit(own, `update ${E} set body = replace(body, 'EFT0101', 'EFT0102') where key = 'order-1'`);
    const file = ['order-1', 'order-2'].map((key) => `id-of-${key},25.00,2026-03-02,settled`);
    const text = ['session,amount,date,kind', ...file, ''].join('\n');
    const lines: ReconciledLine[] = [];
    for await (const line of openLedger(own.url).reconcile(text)) lines.push(line);
    expect(lines).toMatchObject([
      { outcome: 'unmatched', reason: 'tampered' },
      { outcome: 'recorded', key: 'order-2' },
    ]);
  });
});
