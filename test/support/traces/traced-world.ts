import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { createSandbox, type Sandbox } from '../../../sandbox';
import { PaymentSessions } from '../../../src';
import { createWorker } from '../../../worker';
import { clientTracing } from '../../../worker/traces';
import { startTracing } from '../../../worker/traces/from-environment';
import { globalValue, testBundle } from '../setup/global-values';
import { startCollector, type Collector } from './collector';
import { startListeningProxy, type ListeningProxy } from './listening-proxy';
import { quietRuntime } from '../../../testkit/histories/replay-worker';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

/** A worker with the same tracing as `paysession worker`, a caller with tracing, and the collector that receives their spans. */
export interface TracedWorld {
  readonly collector: Collector;
  readonly sandbox: Sandbox;
  /** The proxy of the account `default`. */
  readonly plain: ListeningProxy;
  /** The proxy of the account `linked`, whose requests to the service carry the trace. */
  readonly linked: ListeningProxy;
  readonly sessions: PaymentSessions;
  close(): Promise<void>;
}

export async function createTracedWorld(): Promise<TracedWorld> {
  quietRuntime();
  const collector = await startCollector();
  Object.assign(process.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const traces = await startTracing('changes');
  const sandbox = createSandbox({ paceMs: 50 });
  const { url } = await sandbox.listen();
  const [plain, linked] = [await startListeningProxy(url), await startListeningProxy(url)];
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  const credentials = { clientId, clientSecret };
  const taskQueue = `traces-${randomUUID()}`;
  const address = globalValue('PAYSESSION_TEST_TEMPORAL');
  const native = await NativeConnection.connect({ address });
  const worker = await createWorker({
    connection: native,
    taskQueue,
    accounts: {
      default: { baseUrl: plain.url, ...credentials },
      linked: { baseUrl: linked.url, ...credentials, sendTraceparent: true },
    },
    bundlePath: testBundle(),
    tracing: traces.tracing,
    // The worker requests no token at its start. So the first create request needs one, and its trace contains the token request.
    checksAccounts: false,
  });
  const done = worker.run();
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, interceptors: clientTracing() });
  return {
    collector,
    sandbox,
    plain,
    linked,
    sessions: new PaymentSessions(client, { taskQueue }),
    close: async () => {
      worker.shutdown();
      await done;
      await traces.stop();
      await Promise.all([native.close(), connection.close(), plain.close(), linked.close()]);
      await sandbox.close();
      await collector.close();
    },
  };
}
