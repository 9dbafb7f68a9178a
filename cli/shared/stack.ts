// First, because everything below needs the packages that this module checks for.
import '../../worker/packages';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { Client } from '@temporalio/client';
import {
  resolveTemporalServer,
  startTemporalServer,
  type StartTemporalServerOptions,
} from '../../src/temporal-server';
import { PaymentLedger } from '../../ledger';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../sandbox';
import { encryptedDataConverter, type EncryptionKeys } from '../../src/encryption';
import { createWorker } from '../../worker';
import { metricsTelemetry, type MetricsAddress } from '../../worker/runtime';
import { PaysessionError } from '../../src/errors';
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
import { closedFolderAround } from '../../src/temporal-server/postgres-programs';
import { needLedgerPackages, startLedgerServer } from '../../testkit/ledger-server';
import { DEFAULT_CLIENT } from '../../sandbox/default-client';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/temporal/search-attributes';

type OwnTemporal = Pick<StartTemporalServerOptions, 'port' | 'uiPort' | 'databaseFile'>;

/** Options of `startStack`. */
export interface StackOptions {
  /** The Temporal server to start, or the address (HOST:PORT) of a running one. */
  readonly temporal?: OwnTemporal | { readonly address: string };
  readonly sandbox?: SandboxOptions;
  readonly sandboxPort?: number;
  /** The port at which the sandbox can be controlled over HTTP. @default none */
  readonly controlPort?: number;
  /** The address at which the worker's metrics are served. @default not served */
  readonly metrics?: MetricsAddress;
  /** Encryption of the data that the Temporal server stores. @default the data is not encrypted */
  readonly encryption?: EncryptionSettings;
  /** The ledger. @default none */
  readonly ledger?: StackLedgerOptions;
  /** Endpoints that receive webhooks, if there is a ledger. @default none */
  readonly webhooks?: WebhookSettings | undefined;
}

/** A sandbox and a worker that run in this process, and the Temporal server and ledger that they use. */
export interface Stack {
  readonly temporalAddress: string;
  readonly uiUrl: string | undefined;
  readonly sandbox: Sandbox;
  readonly sandboxUrl: string;
  readonly controlUrl: string | undefined;
  /** The ledger. `undefined` if the options ask for none. */
  readonly ledger: Omit<StackLedger, 'stop'> | undefined;
  readonly client: Client;
  readonly sessions: PaymentSessions;
  /** Resolves when the worker has stopped. Rejects if the worker failed. */
  readonly workerDone: Promise<void>;
  /** Stops all parts in the reverse order of their start. If the worker failed, rejects with the worker's error. */
  stop(): Promise<void>;
}

/** Starts all parts that a session needs. If the options name a running Temporal server, uses it. If a part fails to start, stops the others. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  // No signals: the command line itself handles signals, and decides in which order the parts stop.
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: {
      ...(options.metrics && { metrics: metricsTelemetry(options.metrics) }),
      // The SDK's native part logs through the logger. By itself it would write to standard output, which is for the command's answer.
      logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} },
    },
  });
  const stops: (() => Promise<unknown>)[] = [];
  const stop = () => stopAll(stops);
  try {
    return { ...(await startParts(options, stops)), stop };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

/** Stops all parts in the reverse order of their start. If a part fails to stop, stops the others all the same, and then throws the first error. */
export async function stopAll(stops: (() => Promise<unknown>)[]): Promise<void> {
  const stopped: Promise<unknown>[] = [];
  for (const stopOne of stops.splice(0).reverse()) {
    stopped.push(stopOne());
    await Promise.allSettled(stopped);
  }
  await Promise.all(stopped);
}

async function startParts(
  options: StackOptions,
  stops: (() => Promise<unknown>)[],
): Promise<Omit<Stack, 'stop'>> {
  const startTemporal = await temporalStarter(options.temporal);
  // From here on, files that this process creates are private. Downloaded programs, which several users may share, already exist.
  process.umask(OWNER_ONLY_UMASK);

  const sandbox = createSandbox(options.sandbox);
  const { url: sandboxUrl } = await sandbox.listen({ port: options.sandboxPort ?? 0 });
  stops.push(() => sandbox.close());
  const { controlPort: port } = options;
  const controlUrl = port === undefined ? undefined : (await sandbox.listenControl({ port })).url;

  const { encryption, encryptionRequired: required = false } = options.encryption ?? {};
  const ledgerStarting = options.ledger && startStackLedger(options.ledger, encryption);
  // The ledger starts while the Temporal server starts, and is awaited below. If it fails before, this handler keeps Node from reporting an
  // unhandled rejection.
  ledgerStarting?.catch(() => undefined);
  stops.push(async () => (await ledgerStarting?.catch(() => undefined))?.stop());
  const temporal = await startTemporal();
  stops.push(() => temporal.stop());
  const ledger = await ledgerStarting;

  const connection = await connectTo(temporal.address);
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
  // The caller awaits `workerDone` later. If the worker fails before, this handler keeps Node from reporting an unhandled rejection.
  workerDone.catch(() => undefined);
  stops.push(async () => {
    worker.shutdown();
    await workerDone;
  });

  if (ledger?.ledger !== undefined && options.webhooks !== undefined) {
    const webhooks = startWebhooks(ledger.ledger, options.webhooks);
    stops.push(() => webhooks.stop());
  }

  // The client shares the worker's connection.
  const dataConverter = encryption && encryptedDataConverter(encryption, { required });
  const client = new Client({ connection, ...(dataConverter && { dataConverter }) });
  const sessions = new PaymentSessions(client, { ledger: ledger?.ledger });
  const { address: temporalAddress, uiUrl } = temporal;
  return { temporalAddress, uiUrl, sandbox, sandboxUrl, controlUrl, ledger, client, sessions, workerDone };
}

/** The Temporal server that the stack uses. */
interface StackTemporal {
  readonly address: string;
  readonly uiUrl?: string;
  stop(): Promise<void>;
}

/**
 * Returns a function that starts a Temporal server. If the options name a running server, the function returns that one instead. A server that is
 * named only in the environment's settings is not used, so that a demonstration does not change it.
 */
async function temporalStarter(
  options: StackOptions['temporal'] = {},
): Promise<() => Promise<StackTemporal>> {
  if ('address' in options) {
    const { address } = options;
    return () => Promise.resolve({ address, stop: () => Promise.resolve() });
  }
  const { executable } = await resolveTemporalServer({ onProgress: printProgress });
  const searchAttributes = Object.values(SEARCH_ATTRIBUTES);
  return () => startOwnServer({ executable, searchAttributes, ...options });
}

/** Starts a server. With `uiPort`, its web UI is behind a guarded port, because by itself the web UI answers under any host name. */
async function startOwnServer({ uiPort, ...own }: StartTemporalServerOptions): Promise<StackTemporal> {
  if (uiPort === undefined) return startTemporalServer(own);
  const temporal = await startTemporalServer({ ...own, uiPort: 0 });
  try {
    const ui = await serveGuardedUi(temporal.uiUrl ?? '', uiPort);
    const stop = async () => {
      await ui.close();
      await temporal.stop();
    };
    return { address: temporal.address, uiUrl: ui.url, stop };
  } catch (error) {
    await temporal.stop();
    throw error;
  }
}

/** Connects to a Temporal server. Throws `PaysessionError` `TEMPORAL_UNAVAILABLE` if the connection fails. */
async function connectTo(address: string): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect({ address });
  } catch (cause) {
    const message = `The Temporal server at ${address} does not answer. Correct the address, or leave --address out: \`paysession dev\` then starts a server.`;
    throw new PaysessionError('TEMPORAL_UNAVAILABLE', message, { cause });
  }
}

/** Options of a stack's ledger. If the settings name a ledger, the stack uses it. Otherwise the stack starts a ledger of its own. */
export interface StackLedgerOptions {
  /** The environment variables with the settings, which may name a ledger. */
  readonly env: Environment;
  /** The folder for the data of the stack's own ledger. It is created if it does not exist. */
  readonly folder: string;
  /** The port of the stack's own ledger. @default a free port */
  readonly port?: number;
}

/** The ledger that a stack uses. */
export interface StackLedger {
  /** The ledger. `undefined` if there is none: `missing` says why. */
  readonly ledger: PaymentLedger | undefined;
  /** The URL of the stack's own ledger, including the password. */
  readonly ownUrl?: string;
  /** In one line, the reason why there is no ledger, and how to get one. */
  readonly missing?: string;
  /** Closes the connections, and stops the server of the stack's own ledger. */
  stop(): Promise<void>;
}

/** The namespace of a stack's Temporal server. */
const NAMESPACE = 'default';

/**
 * Opens the ledger that the settings name, and does not migrate it. If the settings name none, starts a ledger on this machine and migrates its
 * tables. If packages or rights for that are missing, returns the reason in `missing`. Throws `SettingsError`. For the stack's own ledger, also throws
 * the errors of `startPostgres` and `migrate`.
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
  // The stack opens its own ledger as other commands would: through a setting with the URL.
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

/** Starts the stack's own ledger. If packages or rights are missing, returns the reason instead, in one line. */
async function startOwnLedger({ folder, port }: StackLedgerOptions) {
  try {
    needLedgerPackages();
    const closed = await closedFolderAround(folder);
    if (closed !== undefined)
      return `as root, PostgreSQL runs as an unprivileged user, who may not pass through ${closed}: let others pass (chmod o+x), or choose another folder.`;
    return await startLedgerServer({
      folder,
      ...(port !== undefined && { port }),
      onProgress: printProgress,
    });
  } catch (error) {
    if (error instanceof MissingPackagesError) return error.message;
    throw error;
  }
}
