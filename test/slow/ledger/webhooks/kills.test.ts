import { once } from 'node:events';
import { createServer, ServerResponse, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { webhookReceiver } from '../../../../examples/webhook-receiver/receiver';
import type { WebhookEvent, PaymentLedger } from '../../../../ledger';
import { startPaysession, type Running } from '../../../support/cli/run-paysession';
import { hostLedger } from '../../../../chaos/faults/ledger/ledger-host';
import { seededRandom, testSeed } from '../../../support/seed';
import { until } from '../../../support/wait';
import { closesLater, connectTo, openLedger } from '../../../support/ledger/test-ledger';
import { SECRET } from '../../../support/ledger/webhooks/receiver';
import { recordOpened, recordPaid } from '../../../support/ledger/webhooks/recorded';

/** 10,000 changes with WEBHOOK_SESSIONS=2500. */
const SESSIONS = Number(process.env['WEBHOOK_SESSIONS'] ?? 60);
const KILLS = Math.max(4, SESSIONS / 100);

/** Repeats `work` until the ledger is available. Entries have ids, so a repetition records nothing twice. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch {
      await sleep(100);
    }
  }
}

async function recordSession(ledger: PaymentLedger, key: string): Promise<void> {
  await insist(() => recordOpened(ledger, key));
  await insist(() => recordPaid(ledger, key));
}

test('although senders and PostgreSQL are killed and webhooks refused, each webhook takes effect once, in the order of its session', async () => {
  const random = seededRandom(testSeed());
  const host = await hostLedger();
  closesLater(() => host.stop());
  const ledger = openLedger(host.ownUrl);
  const database = connectTo(host.ownUrl);

  const delivered: string[] = [];
  const messages = new Set<string>();
  /** The entry numbers of each session's webhooks, in the order in which they took effect. */
  const came = new Map<string, number[]>();
  const receive = webhookReceiver(SECRET, { messages, deliver: (key) => void delivered.push(key) });
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const chance = random();
      // One of ten webhooks is refused, one gets no answer, and one takes effect but its answer is lost.
      if (chance < 0.1) {
        response.writeHead(503).end();
        return;
      }
      if (chance >= 0.2) {
        const before = messages.size;
        const answer = chance < 0.3 ? new ServerResponse(request) : response;
        const again = Object.assign(Readable.from([body]), { headers: request.headers });
        await receive(again as unknown as IncomingMessage, answer);
        const { key, number } = (JSON.parse(body) as WebhookEvent).data;
        if (messages.size > before) came.set(key, [...(came.get(key) ?? []), number]);
      }
      if (chance < 0.3) request.socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closesLater(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  const env = {
    PAYSESSION_LEDGER_URL: host.ownUrl,
    PAYSESSION_WEBHOOK_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    PAYSESSION_WEBHOOK_SECRET: SECRET,
    PAYSESSION_WEBHOOK_LOOPBACK: 'true',
  };
  const startSender = (): Running => startPaysession(['webhooks', 'send'], env);
  const senders = [startSender(), startSender()];
  closesLater(async () => {
    for (const sender of senders) await sender.interrupt();
  });
  await until(
    () => ledger.webhookEndpoints.all(),
    (all) => all.length > 0,
  );

  const keys = Array.from({ length: SESSIONS }, (_key, index) => `order-${index}`);
  const recording = (async () => {
    for (let from = 0; from < keys.length; from += 8)
      await Promise.all(keys.slice(from, from + 8).map((key) => recordSession(ledger, key)));
  })();
  const kill = async (index: number) => {
    await sleep(1_000);
    if (index % 4 === 3) {
      await host.kill();
      await host.start();
      return;
    }
    const [killed] = senders.splice(0, 1);
    killed?.child.kill('SIGKILL');
    senders.push(startSender());
  };
  for (let index = 0; index < KILLS; index += 1) await kill(index);
  await recording;

  // Makes the retries of refused webhooks due now.
  const hurry = async () => {
    await database.query(
      "update paysession_ledger.webhook_outbox set due_at = now() where lease is null and due_at > now() + interval '1 second' and due_at < 'infinity'",
    );
    await database.query(
      'update paysession_ledger.webhook_endpoints set probe_at = now() where probe_at is not null',
    );
    return (await ledger.webhookEndpoints.all())[0]?.waiting;
  };
  await until(hurry, (waiting) => waiting === 0, 240_000);
  expect(messages.size).toBe(SESSIONS * 4);
  expect(delivered.toSorted()).toEqual(keys.toSorted());
  for (const key of keys) expect(came.get(key)).toEqual([2, 4, 4, 5]);
});
