import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { encryptedDataConverter, PaymentSessions } from '../../../src';
import { METRICS } from '../../../worker/observing/metrics-table';
import { startPaysession, type Running } from '../../support/cli/run-paysession';
import { park } from '../../support/park';
import { completing, eft, leftOpen, overTheLimit } from '../../support/requests';
import { newKey } from '../../support/undecryptable';
import { ownPort } from '../../support/own-port';
import { stateOf, until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';
import { SECRET, startReceiver } from '../../support/ledger/webhooks/receiver';
import { connectTo, newDatabase } from '../../support/ledger/test-ledger';
import { migrate } from '../../../ledger';
import { KEEPER_METRICS } from '../../../ledger/log/keeper-metrics';
import { namesIn, samplesOf, sumOf, type Sample } from '../../support/ops/prometheus-text';

const OPS = join(__dirname, '..', '..', '..', 'deploy');
const world = useWorld();

let port: number;
let hintPort: number;
let ledgerUrl: string;
let webhookUrl: string;
let worker: Running;
/** Texts that identify sessions or payors. No scrape may contain one of them. */
const private_: string[] = ['Avery', 'Tremblay', 'example.com'];
/** The last scrape of the first worker before it stopped, and the last scrape of the second worker, which took over its sessions. */
let first: string;
let second: string;
/** An earlier scrape of the second worker, after it first counted the sessions by phase. */
let counted: string;
let samples: readonly Sample[];

const env = (): NodeJS.ProcessEnv => ({
  TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_TEMPORAL'],
  PAYSESSION_TASK_QUEUE: world.taskQueue,
  PAYSESSION_BASE_URL: world.account.baseUrl,
  PAYSESSION_CLIENT_ID: world.account.clientId,
  PAYSESSION_CLIENT_SECRET: world.account.clientSecret,
  PAYSESSION_METRICS_PORT: String(port),
  PAYSESSION_HINT_PORT: String(hintPort),
  PAYSESSION_HINT_SECRET: 'a-secret-of-the-shop',
  PAYSESSION_LEDGER_URL: ledgerUrl,
  PAYSESSION_WEBHOOK_URL: webhookUrl,
  PAYSESSION_WEBHOOK_SECRET: SECRET,
  PAYSESSION_WEBHOOK_LOOPBACK: 'true',
});

async function startWorker(): Promise<void> {
  worker = startPaysession(['worker'], env());
  await worker.line(/^working for default/);
}

const scrape = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

/** Returns the number of open sessions by phase. */
function phasesIn(text: string): Readonly<Record<string, number>> {
  const counts = samplesOf(text).filter(({ name }) => name === 'paysession_open_sessions');
  return Object.fromEntries(counts.map(({ labels, value }) => [labels['phase'] ?? '', value]));
}

/** Scrapes until the metric is there, because a worker updates some metrics only every few seconds. */
const scrapeOnce = (name: string): Promise<string> =>
  until(scrape, (text) => samplesOf(text).some((sample) => sample.name === name));

async function start(...[request, policy]: Parameters<typeof world.input>) {
  const input = world.input(request, policy);
  private_.push(input.key);
  const session = await world.sessions.start(input);
  return { session, input };
}

/** Plays sessions with each kind of end. One more session stays open and one stays parked: they go on after the worker stops. */
async function work() {
  const reference = randomUUID();
  private_.push(reference, 'sandbox-stays-initiated', 'sandbox-completes');
  const paid = await start(completing());
  await paid.session.result();
  const cancelled = await start(leftOpen());
  await cancelled.session.opened();
  await cancelled.session.cancelAndWait();
  const refused = await start(overTheLimit(reference));
  await expect(refused.session.result()).rejects.toThrow();
  const nobody = `nobody-${randomUUID()}`;
  private_.push(nobody);
  // No worker has this session’s account. The session waits for such a worker until its deadline.
  const lost = await world.sessions.start({ ...world.input(eft(), { deadline: '1s' }), account: nobody });
  await expect(lost.result()).rejects.toThrow();
  const parked = await park(world);
  private_.push(parked.lost);
  const lasting = await start(leftOpen());
  const { sessionId } = await lasting.session.opened();
  private_.push(sessionId);
  return { parked: parked.session, lasting: lasting.session, sessionId };
}

/** Starts workflows that a worker cannot run: one of an unknown type, and one with data for which it has no key. */
async function trouble(): Promise<void> {
  const unknown = await world.client.workflow.start('noSuchWorkflow', {
    taskQueue: world.taskQueue,
    workflowId: `no-such-workflow-${randomUUID()}`,
  });
  const { connection } = world.client;
  const foreign = new Client({
    connection,
    dataConverter: encryptedDataConverter({ current: newKey('foreign') }),
  });
  const unread = await new PaymentSessions(foreign, { taskQueue: world.taskQueue }).start(world.input(eft()));
  await scrapeOnce('temporal_workflow_task_execution_failed');
  await until(scrape, (text) => sumOf(samplesOf(text), 'paysession_payloads_undecryptable_total') > 0);
  await unknown.terminate();
  await world.client.workflow.getHandle(unread.workflowId).terminate();
}

beforeAll(async () => {
  await world.stopWorker();
  port = await ownPort();
  hintPort = await ownPort();
  ledgerUrl = await newDatabase();
  await migrate(connectTo(ledgerUrl));
  webhookUrl = (await startReceiver()).endpoint.url;
  await startWorker();
  const { parked, lasting, sessionId } = await work();
  await trouble();
  await scrapeOnce('paysession_worker_check');
  await scrapeOnce('paysession_webhook_waiting');
  first = await scrapeOnce('paysession_open_sessions');
  await worker.interrupt();
  await startWorker();
  // To answer the two queries, the new worker replays the whole history.
  await lasting.state();
  await stateOf(parked, ({ phase }) => phase === 'parked');
  counted = await until(scrape, (text) => phasesIn(text)['open'] === 1);
  world.payor(sessionId).completes();
  await lasting.result();
  await parked.resolveCreate({ abandon: true });
  await expect(parked.result()).rejects.toThrow();
  second = await scrape();
  samples = [...samplesOf(first), ...samplesOf(second)];
});

afterAll(() => worker.interrupt());

describe('a file for operators uses only metrics of workers and of the ledger’s keeper:', () => {
  const files = ['grafana/paysession.json', 'prometheus/alerts.yml'];
  test.each(files)('%s', (file) => {
    const names = namesIn(readFileSync(join(OPS, file), 'utf8'));
    const ofKeeper = Object.values(KEEPER_METRICS).map(({ name }) => name);
    const seen = new Set([...samples.map(({ name }) => name), ...ofKeeper]);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !seen.has(name))).toEqual([]);
  });
});

test('the Grafana dashboard has panels for hints, late payments, returned payments and unmatched lines', () => {
  const { late, returned, unmatched } = KEEPER_METRICS;
  const shown = namesIn(readFileSync(join(OPS, 'grafana/paysession.json'), 'utf8'));
  expect(shown).toEqual(
    expect.arrayContaining([
      'paysession_hints_total',
      'paysession_hinted_sessions_total',
      ...[late, returned, unmatched].map(({ name }) => name),
    ]),
  );
});

describe('the metrics of a worker', () => {
  test('are exactly those that the reference lists, with the listed labels and the SDK’s', () => {
    const bare = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
    const seen = new Map(
      samples
        .filter(({ name }) => name.startsWith('paysession_'))
        .map(({ name, labels }) => [bare(name), Object.keys(labels)] as const),
    );
    const sdk = ['le', 'namespace', 'service_name', 'taskQueue', 'workflowType'];
    expect([...seen.keys()].sort()).toEqual(METRICS.map(({ name }) => name).sort());
    for (const { name, labels } of METRICS) {
      expect([
        name,
        seen
          .get(name)
          ?.filter((label) => !sdk.includes(label))
          .sort(),
      ]).toEqual([name, [...labels].sort()]);
    }
  });

  test('count a session once if a second worker replays and ends it', () => {
    const ofFirst = samplesOf(first);
    const ofSecond = samplesOf(second);
    const started = 'paysession_sessions_started_total';
    expect([sumOf(ofFirst, started), sumOf(ofSecond, started)]).toEqual([6, 0]);
    const ended = 'paysession_sessions_ended_total';
    const paid = { status: 'Completed', code: 'EFT0301' };
    expect([sumOf(ofFirst, ended, paid), sumOf(ofSecond, ended, paid)]).toEqual([1, 1]);
    const cancels = 'paysession_cancels_settled_total';
    expect(sumOf(samples, cancels, { outcome: 'cancelled' })).toBe(1);
    expect(sumOf(ofFirst, 'paysession_sessions_parked_total')).toBe(1);
    expect(sumOf(ofSecond, 'paysession_sessions_parked_total')).toBe(0);
    expect(sumOf(ofSecond, 'paysession_possible_orphans_total', { account: 'default' })).toBe(1);
    expect(sumOf(ofFirst, 'paysession_creates_total', { outcome: 'unknown' })).toBe(1);
    expect(sumOf(ofFirst, 'paysession_creates_total', { outcome: 'rejected' })).toBe(1);
  });

  test('have the label “other” for accounts that the worker’s settings do not name', () => {
    const accounts = new Set(samples.flatMap(({ labels: { account } }) => account ?? []));
    expect(accounts).toEqual(new Set(['default', 'other']));
    expect(sumOf(samples, 'paysession_sessions_ended_total', { account: 'other' })).toBe(1);
  });

  test('contain no session’s key or id, no payor’s data and no secret', () => {
    for (const text of [...private_, world.account.clientSecret]) {
      expect(first + second).not.toContain(text);
    }
  });

  test('measure how long sessions wait', () => {
    const waits = [
      'paysession_session_open_duration_seconds_count',
      'paysession_change_delay_seconds_count',
      'paysession_service_call_duration_seconds_count',
    ];
    for (const name of waits) expect([name, sumOf(samples, name) > 0]).toEqual([name, true]);
    expect(sumOf(samples, 'paysession_session_open_duration_seconds_count')).toBe(3);
  });

  test('show the open sessions of the task queue by phase, as the Temporal server counts them', () => {
    expect(phasesIn(counted)).toEqual({ creating: 0, parked: 1, open: 1, cancelling: 0 });
  });

  test('start at 0, so that the first event is an increase', () => {
    const anomalies = samplesOf(first).filter(({ name }) => name === 'paysession_anomalies_total');
    expect(anomalies.find(({ labels }) => labels['anomaly'] === 'wrongSession')).toMatchObject({ value: 0 });
    const deliveries = samplesOf(first).filter(({ name }) => name === 'paysession_webhook_deliveries_total');
    expect(deliveries.find(({ labels }) => labels['outcome'] === 'withheld')).toMatchObject({ value: 0 });
  });

  test('need a free port: otherwise the worker exits with a remedy', async () => {
    const third = startPaysession(['worker'], env());
    await expect(third.line(/^working/)).rejects.toThrow(
      `Port ${port} is in use by another program. Set PAYSESSION_METRICS_PORT to another port`,
    );
    expect(third.child.exitCode).toBe(2);
  });
});
