import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { DEVELOPMENT_DYNAMIC_CONFIG, startTemporalServer } from '../../../src/temporal-server';
import {
  encryptedDataConverter,
  PaymentSessions,
  SEARCH_ATTRIBUTES,
  type EncryptionKeys,
  type SessionRequest,
} from '../../../src';
import { createWorker } from '../../../worker';
import { installRuntime } from '../../../worker/runtime';
import { startTracing, type RunningTracing } from '../../../worker/traces/from-environment';
import { globalValue, testBundle } from '../setup/global-values';
import { stateOf, until } from '../wait';
import { startCollector, type Collector } from '../traces/collector';
import type { plantCanaries } from './canaries';
import { echoingService } from './echoing-service';
import type { Traces } from './places';
import { freePort } from '../../../src/temporal-server/start-server';

/** The log lines of all workers of this process. */
const lines: string[] = [];

/** The metrics and traces of all workers of this process. */
interface Observers {
  readonly metricsUrl: string;
  readonly collector: Collector;
  readonly traces: RunningTracing;
}

let observers: Promise<Observers> | undefined;

/** Starts logs, metrics and traces as `paysession worker` does, at the most detailed level. */
async function startObservers(): Promise<Observers> {
  const port = await freePort(0);
  const write = (line: string) => lines.push(line);
  installRuntime(
    { log: { level: 'debug', format: 'json' }, metrics: { port, host: '127.0.0.1' } },
    { write },
  );
  const collector = await startCollector();
  Object.assign(process.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  return { metricsUrl: `http://127.0.0.1:${port}/metrics`, collector, traces: await startTracing('all') };
}

/** Stops the observers that `play` has started for all scenes. */
export async function stopObservers(): Promise<void> {
  const started = await observers;
  await started?.traces.stop();
  await started?.collector.close();
}

/** Runs a paid, a rejected and a parked session, and a worker that crashes. Returns everything that they left behind. */
export async function play(
  canaries: ReturnType<typeof plantCanaries>,
  encryption?: EncryptionKeys,
): Promise<Traces & { close(): Promise<void> }> {
  const { metricsUrl, collector, traces: tracing } = await (observers ??= startObservers());
  const spansFrom = collector.text().length;
  const folder = await mkdtemp(join(tmpdir(), 'paysession-canary-'));
  const temporal = await startTemporalServer({
    executable: globalValue('PAYSESSION_TEST_TEMPORAL_EXECUTABLE'),
    databaseFile: join(folder, 'temporal.db'),
    searchAttributes: Object.values(SEARCH_ATTRIBUTES),
    dynamicConfig: DEVELOPMENT_DYNAMIC_CONFIG,
  });
  const { address } = temporal;
  const clientSecret = canaries['client secret'][0] ?? '';
  const service = await echoingService(canaries);
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const dataConverter = encryption && encryptedDataConverter(encryption, { required: true });
  const keyed = new Client({ connection, ...(dataConverter && { dataConverter }) });
  const from = lines.length;
  const native = await NativeConnection.connect({ address });
  const worker = await createWorker({
    connection: native,
    accounts: {
      default: {
        baseUrl: service.baseUrl,
        clientId: 'canary',
        clientSecret,
      },
    },
    bundlePath: testBundle(),
    tracing: tracing.tracing,
    ...(encryption && { encryption, encryptionOptions: { required: true } }),
  });
  const running = worker.run();
  const settings = { address, baseUrl: service.baseUrl, clientSecret, encryption };
  const other = crashingWorker(settings);
  await other.ready();
  const keys = await sessionsOf(new PaymentSessions(keyed), canaries);
  const crash = await other.crash();
  const doctor = await command('doctor', settings).written;
  const metrics = await (await fetch(metricsUrl)).text();
  const spans = await until(
    () => Promise.resolve(collector.text().slice(spansFrom)),
    (sent) => sent !== '',
  );
  worker.shutdown();
  await running;
  await native.close();
  const traces = { folder, client, keyed, keys, log: lines.slice(from), metrics, spans, crash, doctor };
  return {
    ...traces,
    close: async () => {
      await connection.close();
      await temporal.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Runs three sessions, and returns their keys. One is paid, one is rejected, and one is parked after a server error. */
async function sessionsOf(
  sessions: PaymentSessions,
  { payor, payee, 'payor’s name': names, email: [email = ''] }: ReturnType<typeof plantCanaries>,
): Promise<string[]> {
  const start = (referenceId: string) =>
    sessions.start({
      key: referenceId,
      request: {
        type: 'EFT',
        direction: 'DEBIT',
        amount: 25,
        referenceId,
        options: { guarantee: { enable: true } },
        payor,
        payee,
      } as SessionRequest,
      metadata: { name: names.join(' '), email },
      policy: { fastestPoll: '100ms', slowestPoll: '200ms', onUnknownCreate: 'park' },
    });
  const paid = await start('paid');
  const refused = await start('refused');
  const lost = await start('lost');
  await paid.result();
  await refused.result().catch(() => undefined);
  await stateOf(lost, ({ phase }) => phase === 'parked');
  return ['paid', 'refused', 'lost'];
}

/** Starts a command of the built command line in its own process, with the settings of the scene. */
function command(name: string, { address, baseUrl, clientSecret, encryption }: SceneSettings, imports = '') {
  const main = join(__dirname, '..', '..', '..', 'dist', 'cli', 'main.js');
  const keys =
    encryption && `${encryption.current.id}:${Buffer.from(encryption.current.secret).toString('base64')}`;
  const child = spawn(process.execPath, [...(imports === '' ? [] : ['--import', imports]), main, name], {
    env: {
      PATH: process.env['PATH'],
      TEMPORAL_ADDRESS: address,
      PAYSESSION_BASE_URL: baseUrl,
      PAYSESSION_CLIENT_ID: 'canary',
      PAYSESSION_CLIENT_SECRET: clientSecret,
      // Both workers send their traces to the same collector, because each of them may run the sessions.
      OTEL_EXPORTER_OTLP_ENDPOINT: process.env['OTEL_EXPORTER_OTLP_ENDPOINT'],
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      PAYSESSION_TRACED_POLLS: 'all',
      ...(keys !== undefined && { PAYSESSION_ENCRYPTION_KEYS: keys, PAYSESSION_ENCRYPTION: 'required' }),
    },
  });
  const written = Promise.all([text(child.stdout), text(child.stderr)]).then((both) => both.join('\n'));
  return { child, written };
}

/** Starts a worker. Its function `crash` ends the worker with an uncaught error, and returns the output. */
function crashingWorker(settings: SceneSettings) {
  const throwing = `data:text/javascript,process.on('SIGUSR2',()=>{throw new Error('crash')})`;
  const { child, written } = command('worker', settings, throwing);
  const ready = once(child.stdout, 'data');
  return {
    ready: () => Promise.race([ready, once(child, 'close')]),
    crash: () => {
      child.kill('SIGUSR2');
      return written;
    },
  };
}

interface SceneSettings {
  readonly address: string;
  readonly baseUrl: string;
  readonly clientSecret: string;
  readonly encryption: EncryptionKeys | undefined;
}
