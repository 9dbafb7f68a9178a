// First, because everything below needs these packages.
import '../../worker/packages';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { Client } from '@temporalio/client';
import { createSandbox, DEFAULT_CLIENT, type Sandbox, type SandboxOptions } from '../../sandbox';
import { createWorker } from '../../worker';
import { startNews } from '../../worker/news/worker-news';
import { metricsTelemetry, type MetricsAddress } from '../../worker/runtime';
import { PaysessionError } from '../../src/errors';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/names';
import { resolveEngine, startEngine, type StartEngineOptions } from '../../engine';
import { OWNER_ONLY_UMASK } from '../../src/files/owner-only';
import { encryptedDataConverter } from '../../src/encryption';
import { PaymentSessions } from '../../src/sessions';
import type { EncryptionSettings, NewsSettings } from '../../src/settings';
import { serveGuardedUi } from './guarded-ui';
import { printProgress } from './screen/output';
import { startStackLedger, type StackLedger, type StackLedgerOptions } from './stack-ledger';

/** A Temporal server that the stack starts. */
interface OwnEngine {
  readonly port?: number;
  readonly uiPort?: number;
  readonly databaseFile?: string;
}

/** A Temporal server that runs already. */
interface RunningServer {
  /** HOST:PORT. */
  readonly address: string;
}

export interface StackOptions {
  readonly engine?: OwnEngine | RunningServer;
  readonly sandbox?: SandboxOptions;
  readonly sandboxPort?: number;
  /** The port that controls the sandbox over HTTP. @default none */
  readonly controlPort?: number;
  /** Where the worker's metrics are served. @default nowhere */
  readonly metrics?: MetricsAddress;
  /** How what the engine stores is encrypted. @default not at all */
  readonly encryption?: EncryptionSettings;
  /** @default none */
  readonly ledger?: StackLedgerOptions;
  /** Where news is sent, where there is a ledger. @default nowhere */
  readonly news?: NewsSettings | undefined;
}

/** Engine, ledger, sandbox and worker, running on this machine. */
export interface Stack {
  readonly engineAddress: string;
  readonly uiUrl?: string;
  readonly sandbox: Sandbox;
  readonly sandboxUrl: string;
  readonly controlUrl?: string;
  /** Absent where none was asked for. */
  readonly ledger?: Omit<StackLedger, 'stop'>;
  readonly client: Client;
  readonly sessions: PaymentSessions;
  /** Settles when the worker has stopped; rejects when it failed. */
  readonly workerDone: Promise<void>;
  /** Stops all of it, the last started first. */
  stop(): Promise<void>;
}

/** Starts what a session needs, on this machine; stops what it has started when a part fails. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  // The command line decides what a signal stops, and in which order.
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: {
      ...(options.metrics && { metrics: metricsTelemetry(options.metrics) }),
      // To the logger, because its native part would write to standard output, which is for what was asked for.
      logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} },
    },
  });
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  try {
    return { ...(await startParts(options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  options: StackOptions,
  stops: (() => Promise<unknown>)[],
): Promise<Omit<Stack, 'stop'>> {
  const server = await serverOf(options.engine);
  // From here on this process makes no files but its own data: a program that was downloaded may be for others, too.
  process.umask(OWNER_ONLY_UMASK);

  const sandbox = createSandbox(options.sandbox);
  const { url: sandboxUrl } = await sandbox.listen({ port: options.sandboxPort ?? 0 });
  stops.push(() => sandbox.close());
  const control = await openControl(sandbox, options.controlPort);

  const { encryption, encryptionRequired: required = false } = options.encryption ?? {};
  const ledgerStarting = options.ledger && startStackLedger(options.ledger, encryption);
  // Beside the engine, which takes as long: it is awaited below, and may fail before.
  ledgerStarting?.catch(() => undefined);
  stops.push(async () => (await ledgerStarting?.catch(() => undefined))?.stop());
  const engine = await server.start();
  stops.push(() => engine.stop());
  const ledger = await ledgerStarting;

  const connection = await connectTo(engine.address);
  stops.push(() => connection.close());
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  const accounts = { default: { baseUrl: sandboxUrl, clientId, clientSecret } };
  const worker = await createWorker({
    connection,
    accounts,
    ...(encryption && { encryption, encryptionOptions: { required } }),
    ...(ledger?.ledger && { ledger: ledger.ledger }),
  });
  const workerDone = worker.run();
  stops.push(async () => {
    worker.shutdown();
    await workerDone;
  });

  if (ledger?.ledger !== undefined && options.news !== undefined) {
    const { logger: log, metricMeter: meter } = Runtime.instance();
    const news = startNews({ ...options.news, ledger: ledger.ledger, log, meter });
    stops.push(() => news.stop());
  }

  // The worker's connection, for what is closed while a call waits to be repeated fails that call and nothing else.
  const dataConverter = encryption && encryptedDataConverter(encryption, { required });
  const client = new Client({ connection, ...(dataConverter && { dataConverter }) });
  const sessions = new PaymentSessions(client, { ledger: ledger?.ledger });
  const { address: engineAddress, uiUrl } = engine;
  const ui = uiUrl !== undefined && { uiUrl };
  const told = ledger && { ledger };
  return { engineAddress, ...ui, sandbox, sandboxUrl, ...control, ...told, client, sessions, workerDone };
}

async function openControl(sandbox: Sandbox, port: number | undefined): Promise<Pick<Stack, 'controlUrl'>> {
  if (port === undefined) return {};
  return { controlUrl: (await sandbox.listenControl({ port })).url };
}

/** A Temporal server to start, or one that runs. */
interface Server {
  start(): Promise<{ readonly address: string; readonly uiUrl?: string; stop(): Promise<void> }>;
}

/** A server of our own, unless the caller names one: a demonstration leaves no trace in a cluster that a setting names. */
async function serverOf(options: StackOptions['engine'] = {}): Promise<Server> {
  if ('address' in options) {
    const { address } = options;
    return { start: () => Promise.resolve({ address, stop: () => Promise.resolve() }) };
  }
  const { executable } = await resolveEngine({ onProgress: printProgress, ignoreAddress: true });
  const searchAttributes = Object.values(SEARCH_ATTRIBUTES);
  return { start: () => startOwnServer({ executable, searchAttributes, ...options }) };
}

/** Starts a server whose web UI is behind a port of ours: by itself, it answers under any host name. */
async function startOwnServer({ uiPort, ...own }: StartEngineOptions): ReturnType<Server['start']> {
  if (uiPort === undefined) return startEngine(own);
  const engine = await startEngine({ ...own, uiPort: 0 });
  try {
    const ui = await serveGuardedUi(engine.uiUrl ?? '', uiPort);
    const stop = async () => {
      await ui.close();
      await engine.stop();
    };
    return { address: engine.address, uiUrl: ui.url, stop };
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

/** Throws `PaysessionError` `ENGINE_UNAVAILABLE`. */
async function connectTo(address: string): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect({ address });
  } catch (cause) {
    const message = `The Temporal server at ${address} does not answer. Correct the address, or leave --address out: \`paysession dev\` then starts a server.`;
    throw new PaysessionError('ENGINE_UNAVAILABLE', message, { cause });
  }
}
