import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { PaymentLedger, type WebhookEndpoint } from '../../../ledger';
import { startPostgres } from '../../../src/temporal-server/start-postgres';
import { readCacheFolder } from '../../../src/settings';
import { cpuMs } from '../../figures/process-stat';
import { spread, type Spread } from '../../figures/quantiles';
import { startChild } from '../../sides/child';
import { migrated } from '../../sides/migrated-ledger';
import { requestOf } from '../../sides/request';

export interface WebhooksWorkload {
  readonly sessions: number;
  readonly perSecond: number;
}

/** The cost of sending webhooks to an endpoint. */
export interface WebhooksFigures {
  readonly deliveries: number;
  /** The time from the commit of the ledger's entry until the receiver has the message, in milliseconds. */
  readonly webhookMs: Spread;
  /** The mean CPU time of the sender per message, in milliseconds. */
  readonly deliveryCpuMs: number;
}

const WITH_DEAD = 'with a dead endpoint';
/** The number of messages per session: about its opening, its change of state, its payment and its end. */
const MESSAGES = 4;

/**
 * Measures webhooks to a receiver. First the receiver is the only endpoint. Then there is a second endpoint, which
 * accepts connections and never answers.
 */
export async function webhooks(workload: WebhooksWorkload): Promise<{
  readonly paysession: WebhooksFigures;
  readonly [WITH_DEAD]: WebhooksFigures;
}> {
  const alone = await measureDeliveries(workload, []);
  const hanging = createServer(() => undefined);
  const url = await listen(hanging);
  const withDead = await measureDeliveries(workload, [{ name: 'dead', url, secrets: [newSecret()] }]).finally(
    () => {
      hanging.closeAllConnections();
      hanging.close();
    },
  );
  return { paysession: alone, [WITH_DEAD]: withDead };
}

async function measureDeliveries(
  workload: WebhooksWorkload,
  others: readonly WebhookEndpoint[],
): Promise<WebhooksFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-bench-webhooks-'));
  const postgres = await startPostgres({ folder, cacheFolder: readCacheFolder() });
  const receiver = startReceiver();
  const ledger = new PaymentLedger({ url: postgres.url });
  try {
    await migrated(postgres.url, () => Promise.resolve());
    const endpoint = { name: 'shop', url: await listen(receiver.server), secrets: [newSecret()] };
    await ledger.check();
    await ledger.webhookEndpoints.register([endpoint, ...others]);
    const sender = await startChild(join(__dirname, '..', '..', 'sides', 'webhooks-process.js'), {
      LEDGER_URL: postgres.url,
      ENDPOINTS: JSON.stringify([endpoint, ...others]),
    });
    try {
      const beforeMs = cpuMs(sender.pid);
      const committed = await recordSessions(ledger, workload);
      while (receiver.arrivedAt.size < workload.sessions * MESSAGES) await sleep(50);
      const deliveries = receiver.arrivedAt.size;
      const tookMs = [...receiver.arrivedAt].map(([place, at]) =>
        Math.max(0, at - (committed.get(place.slice(0, place.lastIndexOf(':'))) ?? NaN)),
      );
      return {
        deliveries,
        webhookMs: spread(tookMs),
        deliveryCpuMs: (cpuMs(sender.pid) - beforeMs) / deliveries,
      };
    } finally {
      await sender.stop();
    }
  } finally {
    await ledger.close();
    receiver.server.closeAllConnections();
    receiver.server.close();
    await postgres.stop();
    await rm(folder, { recursive: true });
  }
}

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Starts a receiver. It records when each message first arrived. Messages are identified by `key:number:type`. */
function startReceiver() {
  const arrivedAt = new Map<string, number>();
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { type, data } = body as { type: string; data: { key: string; number: number } };
      const place = `${data.key}:${data.number}:${type}`;
      if (!arrivedAt.has(place)) arrivedAt.set(place, performance.now());
      response.writeHead(204).end();
    });
  });
  return { server, arrivedAt };
}

/** Records sessions in the ledger. Returns the commit time of each entry except claims, by `key:number`. */
async function recordSessions(
  ledger: PaymentLedger,
  { sessions, perSecond }: WebhooksWorkload,
): Promise<ReadonlyMap<string, number>> {
  const committed = new Map<string, number>();
  const beganAt = performance.now();
  const recording: Promise<void>[] = [];
  for (let number = 0; number < sessions; number += 1) {
    await sleep(Math.max(0, beganAt + (number * 1_000) / perSecond - performance.now()));
    recording.push(recordSession(ledger, `order-${number}`, committed));
  }
  await Promise.all(recording);
  return committed;
}

async function recordSession(
  ledger: PaymentLedger,
  key: string,
  committed: Map<string, number>,
): Promise<void> {
  const at = new Date().toISOString();
  const done = (...numbers: readonly number[]) => {
    for (const number of numbers) committed.set(`${key}:${number}`, performance.now());
  };
  const completed = { status: 'Completed', code: 'EFT0301' } as const;
  const claim = { key, fingerprint: key, firstRunId: key, account: 'default', request: requestOf(key), at };
  await ledger.claim(claim);
  await ledger.record({ key, firstRunId: key }, [
    { kind: 'opened', at, sessionId: key, how: 'create' },
    { kind: 'state', at, number: 1, status: 'Initiated', code: 'EFT0101', source: 'create' },
  ]);
  done(2, 3);
  await sleep(500);
  await ledger.record({ key, firstRunId: key }, [
    { kind: 'state', at, number: 2, ...completed, source: 'poll' },
  ]);
  done(4);
  await ledger.record({ key, firstRunId: key }, [
    { kind: 'ended', at, firstRunId: key, paid: true, leftNothing: false, ...completed },
  ]);
  done(5);
}
