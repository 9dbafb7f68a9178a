// First, because everything below needs these packages.
import '../../worker/packages';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { Client } from '@temporalio/client';
import { resolveEngine, startEngine, type StartEngineOptions } from '../../engine';
import { PaymentLedger } from '../../ledger';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../sandbox';
import { encryptedDataConverter, type EncryptionKeys } from '../../src/encryption';
import { createWorker } from '../../worker';
import { metricsTelemetry, type MetricsAddress } from '../../worker/runtime';
import { PaysessionError } from '../../src/errors';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/names';
import { PaymentSessions } from '../../src/sessions';
import {
  type EncryptionSettings,
  readLedgerOf,
  type Environment,
  type WebhookSettings,
} from '../../src/settings';
import { startWebhooks } from '../../worker/webhooks/worker-webhooks';
import { OWNER_ONLY_UMASK, MissingPackagesError } from '../../src/files';
import { serveGuardedUi } from './http-servers';
import { warnOfOpenLedger } from './ledger';
import { printProgress } from './output';
import { closedFolderAround } from '../../engine/postgres-programs';
import { needLedgerPackages, startLedgerServer } from '../../testkit/ledger-server';
import { DEFAULT_CLIENT } from '../../sandbox/default-client';

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
  /** Where webhooks are sent, where there is a ledger. @default nowhere */
  readonly webhooks?: WebhookSettings | undefined;
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

  if (ledger?.ledger !== undefined && options.webhooks !== undefined) {
    const { logger: log, metricMeter: meter } = Runtime.instance();
    const webhooks = startWebhooks({ ...options.webhooks, ledger: ledger.ledger, log, meter });
    stops.push(() => webhooks.stop());
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
  const { executable } = await resolveEngine({ onProgress: printProgress });
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

/** The ledger of a stack: the one that is set, or else one of its own. */
export interface StackLedgerOptions {
  /** May set a ledger. */
  readonly env: Environment;
  /** Keeps the data of an own one; made if it is missing. */
  readonly folder: string;
  /** The port of an own one. @default a free one */
  readonly port?: number;
}

/** The ledger that a stack uses. */
export interface StackLedger {
  /** `undefined` where there is none. */
  readonly ledger: PaymentLedger | undefined;
  /** Where an own one is, with its password. */
  readonly ownUrl?: string;
  /** Why there is none, and how to get one: in one line. */
  readonly missing?: string;
  /** Ends the connections, and the server of an own one. */
  stop(): Promise<void>;
}

/** That of a stack's Temporal server. */
const NAMESPACE = 'default';

/**
 * Opens the ledger that is set, as it is. Where none is set, starts one on this machine and makes its tables; where that takes what is not
 * installed, there is none. Throws `SettingsError`, and `PaysessionError` `LEDGER_UNAVAILABLE` or `PORT_IN_USE` for an own one.
 */
async function startStackLedger(
  options: StackLedgerOptions,
  encryption: EncryptionKeys | undefined,
): Promise<StackLedger> {
  const open = (env: Environment): PaymentLedger | undefined => {
    const settings = readLedgerOf({ namespace: NAMESPACE, ...(encryption && { encryption }) }, env);
    if (settings === undefined) return undefined;
    warnOfOpenLedger(settings);
    return new PaymentLedger(settings);
  };
  const set = open(options.env);
  if (set !== undefined) return { ledger: set, stop: () => set.close() };
  const server = await startOwnLedger(options);
  if (typeof server === 'string')
    return { ledger: undefined, missing: server, stop: () => Promise.resolve() };
  // As the command line opens it, to which this URL is given.
  const own = open({ ...options.env, PAYSESSION_LEDGER_URL: server.url });
  return {
    ledger: own,
    ownUrl: server.url,
    stop: async () => {
      await own?.close();
      await server.stop();
    },
  };
}

/** Gives what is missing where it cannot be started. */
async function startOwnLedger({ folder, port }: StackLedgerOptions) {
  try {
    needLedgerPackages();
    const closed = await closedFolderAround(folder);
    if (closed !== undefined) return keptOutOf(closed);
    const own = { folder, ...(port !== undefined && { port }) };
    return await startLedgerServer({ ...own, onProgress: printProgress });
  } catch (error) {
    if (error instanceof MissingPackagesError) return error.message;
    throw error;
  }
}

const keptOutOf = (folder: string): string =>
  `as root, PostgreSQL runs as the user nobody, who may not pass through ${folder}: let others pass (chmod o+x), or choose another folder.`;
