import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import {
  Runtime,
  Worker,
  type NativeConnection,
  type WorkerOptions,
  type WorkerStatus,
} from '@temporalio/worker';
import { createActivities, HeldSessions } from '../activities';
import { workerDataConverter } from '../src/encryption';
import type { PaymentServiceOptions, ServiceObserver } from '../src/service';
import { PaymentSessions, readClaim, readNamespace } from '../src/sessions';
import { DEFAULT_TASK_QUEUE, keyOfWorkflow } from '../src/protocol/names';
import { slotOptions, waitingRoomOf } from './activity-slots';
import { warnOnce, workerConverter, type EncryptionOfWorker } from './encryption';
import { checkAccounts, watchHealth, type AccountLogin, type HealthWatch, type PollingPlace } from './health';
import { checkLedger, ledgerSinks, registerUse, sessionLedger } from './session-ledger';
import { credentialsLog, withActivityAttributes } from './observing/worker-log';
import { workerMetrics, type WorkerMetrics } from './observing/worker-metrics';
import { paymentSessionHandlers } from './nexus-handlers';
import { TemporalClaims } from './one-payment-one-key';
import type { PaymentLedger } from '../ledger';
import type { Accounts } from '../src/settings';
import { ServiceClients, shareRates } from './service-clients';
import type { HintOptions, HintServer } from './hints';
import { needOptionalPackages } from '../src/files';
import { withTracing, type WorkerTracing } from './traces/worker-tracing';
import { workerIdentity } from '../src/encryption/worker-encryption';
import { isPaysessionError, nameOf } from '../src/errors';
import { pauseReports } from './webhooks/report-pauses';
import { versioned, workflowSource, type WorkerDeployment } from './workflow-source';
import { withoutWatchdog, WORKFLOW_TIME } from './sdk-internals';
import { ensureAttributes } from '../src/settings/register-search-attributes';

/** Options of `createWorker`. */
export interface PaymentWorkerOptions extends EncryptionOfWorker {
  /** The connection to Temporal. The caller closes it. */
  readonly connection: NativeConnection;
  /** Credentials and base URL of each account. Sessions that name no account use `default`. */
  readonly accounts: Accounts;
  /** The Temporal namespace of the sessions. @default 'default' */
  readonly namespace?: string;
  /** The task queue that the worker polls. @default 'payment-sessions' */
  readonly taskQueue?: string;
  /** Timeouts and limits of the service client. */
  readonly service?: Omit<PaymentServiceOptions, 'account'>;
  /**
   * The version of this worker, for Temporal's worker versioning. Open sessions move to the code of the current version
   * automatically. So you can stop the workers of an old version while sessions still wait for signatures.
   * @default not versioned
   */
  readonly deployment?: WorkerDeployment;
  /**
   * The maximum number of open sessions that the worker keeps in memory between their polls ("held" sessions). A held session
   * occupies no activity slot. If more sessions are open, the Temporal server schedules each of their polls. @default 20000
   */
  readonly maxHeldSessions?: number;
  /**
   * True if a call waits in the worker until the account's rate limit allows the call and the account is not paused. If false,
   * the call fails at once with `SERVICE_PAUSED`, and the workflow waits instead. Set the option to false if `service.now` is
   * a clock that skips time. @default true
   */
  readonly waitsForTurn?: boolean;
  /**
   * True if the worker requests an access token for each account when the worker starts. The log then shows at once if the
   * payment service refuses a client id or a secret. @default true
   */
  readonly checksAccounts?: boolean;
  /**
   * The number of workers that share the accounts' `callsPerSecond`. By default, the worker counts the workers that poll its
   * task queue. The count includes a new worker within seconds, and a stopped worker for about two more minutes.
   * @default the count
   */
  readonly workers?: number;
  /**
   * The ledger, a PostgreSQL database that keeps keys and payments for longer than Temporal does. Before the worker creates
   * a session, it records in the ledger that the session's key is taken. The caller closes the ledger.
   * @default no ledger: nothing is kept after Temporal's retention
   */
  readonly ledger?: PaymentLedger;
  /**
   * Makes the worker serve `POST /hints`. A hint is a request that contains session ids of the payment service, such as a
   * webhook of the service. Workers poll the open sessions with these ids soon. The rest of the request's body is ignored.
   * @default no endpoint
   */
  readonly hints?: HintOptions;
  /** Traces sessions and their calls to the payment service. Pass `workerTracing()` of `paysession/opentelemetry`. @default not traced */
  readonly tracing?: WorkerTracing;
  /** The path of a workflow bundle to use instead of the one in the package. */
  readonly bundlePath?: string;
  /**
   * Temporal's own worker options, for instance concurrency. They override paysession's defaults. Interceptors and sinks are
   * added to those of paysession. A sink named `paymentLedger` or `traces` replaces paysession's sink of that name. The worker
   * appends a suffix to `identity`. The suffix shows other programs if this worker has a ledger and if it encrypts.
   */
  readonly temporal?: Omit<Partial<WorkerOptions>, 'connection' | 'namespace' | 'taskQueue'>;
}

/** A worker of payment sessions. */
export interface PaymentWorker {
  /**
   * Runs until `shutdown` is called, or until the process receives one of the `shutdownSignals` of Temporal's runtime. Then
   * closes the connections to the payment service. Rejects if the worker fails.
   */
  run(): Promise<void>;
  /**
   * Stops taking work and lets running activities finish. After `temporal.shutdownGraceTime`, by default ten seconds, cancels
   * the activities that still run.
   */
  shutdown(): void;
  /** The status of Temporal's worker: tasks in flight, pollers, cached workflows. */
  status(): WorkerStatus;
  /**
   * Starts the health checks of this worker. The caller stops them before it closes the connection.
   *
   * @example
   * ```ts
   * const watch = worker.watchHealth();
   * const probes = await serveProbes({ port: 8080, checks: () => watch.checks() });
   * ```
   */
  watchHealth(): HealthWatch;
}

/**
 * The longest time for which the SDK delays a heartbeat. It is short, because an activity learns from the answer to its
 * heartbeat that it is cancelled.
 */
const HEARTBEAT_EVERY = '1s';

/**
 * Creates a worker. If the namespace lacks search attributes of sessions, registers them first.
 *
 * @throws {@link PaysessionError} `SEARCH_ATTRIBUTES_MISSING` if the worker may not register search attributes, or if the
 * namespace does not list them about five seconds after the registration
 * @throws {@link PaysessionError} `SEARCH_ATTRIBUTES_MISTYPED` if the namespace has a search attribute of that name with another
 * type
 * @throws {@link PaysessionError} `LEDGER_REFUSED`, `LEDGER_DATABASE_UNFIT`, `LEDGER_SCHEMA_OUTDATED` or
 * `LEDGER_SCHEMA_NEWER` if the ledger cannot be used
 * @throws {@link PaysessionError} `ENCRYPTION_KEY_MISSING` if the function in `encryption` does not return usable keys
 * @throws {@link SettingsError} `INVALID_SETTINGS` if an account or `service` is malformed or has an unknown member
 * @throws {@link SettingsError} `INVALID_SETTINGS` if `workers` or the URL of the accounts' proxy is malformed
 * @throws {@link SettingsError} `INVALID_SETTINGS` if a key in `encryption` cannot be used
 * @throws {@link SettingsError} `INVALID_SETTINGS` if encryption is required, and `encryption` is absent or `temporal` has a data
 * converter
 * @throws {@link PaysessionError} `PORT_IN_USE` if another program uses the port of `hints`
 * @throws {@link SettingsError} `INVALID_SETTINGS` if the options of `hints` are invalid, or the worker may not listen at their
 * address and port
 * @throws `MissingPackagesError` if `hints` is set and a package that the endpoint needs is not installed
 *
 * @example
 * ```ts
 * const worker = await createWorker({
 *   connection: await NativeConnection.connect(),
 *   accounts: { default: { baseUrl: 'https://pay.example', clientId: '…', clientSecret: '…' } },
 * });
 * await worker.run();
 * ```
 */
export async function createWorker(options: PaymentWorkerOptions): Promise<PaymentWorker> {
  const { connection, accounts, namespace = 'default', taskQueue = DEFAULT_TASK_QUEUE } = options;
  const { bundlePath, deployment, tracing } = options;
  const { logger, metricMeter } = Runtime.instance();
  const converter = await workerConverter(options, options.temporal?.dataConverter);
  await ensureSearchAttributes(connection, namespace);
  const encrypts = converter.shown !== undefined;
  const user = options.ledger && { namespace: await readNamespace(connection, namespace), encrypts };
  const warn = warnOnce((message) => {
    logger.warn(message);
  });
  if (options.ledger && user) await checkLedger(options.ledger, user, warn);
  const { dataConverter, shown: shownEncryption } = converter;
  const client = new Client({ connection, namespace, ...(dataConverter && { dataConverter }) });
  const sessions = new PaymentSessions(client, { taskQueue });
  const readable = new PaymentSessions(client, { taskQueue, ledger: options.ledger });
  const held = new HeldSessions({ completion: client.activity, most: options.maxHeldSessions });
  const metrics = workerMetrics({
    meter: metricMeter,
    namespace,
    taskQueue,
    accounts: Object.keys(accounts),
    client,
    held,
    ledger: options.ledger,
  });
  const pauses = pauseReports(options.ledger, metrics.showPaused);
  const services = servicesOf(options, [metrics.observer, pauses.observer]);
  const identity = workerIdentity(options.temporal?.identity ?? `${process.pid}@${hostname()}`, {
    encryption: shownEncryption,
    hasLedger: options.ledger !== undefined,
  });
  const count = shareRates(services, options, { client, taskQueue, identity });
  await count?.look();
  const now = options.service?.now;
  const ledger =
    options.ledger &&
    sessionLedger({
      ledger: options.ledger,
      register: async () => user && registerUse(options.ledger, user.namespace, warn),
      readClaim: (claim) => readClaim(client, claim),
      log: logger,
      observer: metrics.ledgerObserver,
    });
  const source = workflowSource({ encrypts, codePath: bundlePath });
  const traced = withTracing(tracing, source, options.temporal);
  const hints = options.hints && (await startHints(options.hints, { client, sessions, taskQueue, metrics }));
  const worker: Worker = await withoutWatchdog(Worker)
    .create({
      activities: createActivities({
        serviceOf: (account) => services.of(account),
        readState: (key) => readable.get(key).state(),
        completion: client.activity,
        resumeCancel: cancelResumer(sessions),
        claims: new TemporalClaims({ client, sessions, taskQueue }),
        isStopping: () => worker.getState() !== 'RUNNING',
        held,
        onChange: metrics.onChange,
        tracePoll: tracing?.tracePoll,
        ...(now !== undefined && { now }),
        ...(ledger !== undefined && { ledger }),
      }),
      nexusServices: [paymentSessionHandlers(options.ledger)],
      ...(deployment && versioned(deployment)),
      ...WORKFLOW_TIME,
      shutdownGraceTime: '10s',
      maxHeartbeatThrottleInterval: HEARTBEAT_EVERY,
      defaultHeartbeatThrottleInterval: HEARTBEAT_EVERY,
      // The time that a session, or a query of it, waits for a worker that died. Temporal's default of 10 s would fail
      // queries.
      stickyQueueScheduleToStartTimeout: '2s',
      ...workflowPollers(options.temporal),
      ...slotOptions(options.temporal),
      ...options.temporal,
      connection,
      namespace,
      taskQueue,
      identity,
      ...traced,
      interceptors: withActivityAttributes(traced.interceptors),
      sinks: { ...ledgerSinks(ledger), ...traced.sinks },
      dataConverter: workerDataConverter(dataConverter, (reason, code) => {
        if (code === 'ENCRYPTION_KEY_MISSING') metrics.onUndecryptable();
        warn(reason);
      }),
    })
    .catch(async (error: unknown) => {
      await hints?.close();
      throw error;
    });
  const place = { connection, namespace, taskQueue };
  const watching = [metrics, pauses, ledger, count];
  return asPaymentWorker(worker, { place, options, held, metrics, watching, services, hints });
}

/**
 * Returns a function that makes a session send its cancel request again early, because the payment service is back. The
 * function refreshes the session for that. If the refresh fails, the session sends the request at the end of its back-off.
 */
function cancelResumer(sessions: PaymentSessions): (workflowId: string) => void {
  return (workflowId) => {
    const session = sessions.get(keyOfWorkflow(workflowId) ?? '');
    session.refresh().catch((error: unknown) => {
      Runtime.instance().logger.debug('a cancellation was not resumed early', {
        workflowId,
        error: String(error),
      });
    });
  };
}

interface HintContext {
  readonly client: Client;
  readonly sessions: PaymentSessions;
  readonly taskQueue: string;
  readonly metrics: WorkerMetrics;
}

/** Starts the endpoint of hints. Loads the endpoint's modules here, because a worker without hints does not need them. */
async function startHints(
  options: HintOptions,
  { client, sessions, taskQueue, metrics }: HintContext,
): Promise<HintServer> {
  needOptionalPackages('The endpoint of hints', ['fastify']);
  const [{ serveHints }, { HintedRefreshes, hintedSessions }] = await Promise.all([
    import('./hints.js'),
    import('./hinted-refreshes.js'),
  ]);
  const { logger } = Runtime.instance();
  const refreshes = new HintedRefreshes({
    ...hintedSessions(client, sessions, taskQueue),
    onOutcome: metrics.hints.session,
    onFailure: (error) => {
      logger.warn('sessions that hints name could not be refreshed', { code: shown(error) });
    },
  });
  metrics.hints.began();
  return serveHints(options, {
    refreshes,
    onHint: metrics.hints.hint,
    // The error's message may quote the request. So the message is not logged.
    onCheckFailed: (error) => {
      logger.warn('the check of a hint failed, so the hint was refused', { code: shown(error) });
    },
  });
}

const shown = (error: unknown): string => (isPaysessionError(error) ? error.code : nameOf(error));

/** Returns the clients of the payment service. Limits their waiting calls, so that these do not occupy all activity slots. */
function servicesOf(options: PaymentWorkerOptions, own: readonly ServiceObserver[]): ServiceClients {
  const { accounts, service, waitsForTurn, tracing } = options;
  const room = waitingRoomOf(options.temporal);
  return new ServiceClients(accounts, {
    service,
    waiting: { room, ...(waitsForTurn !== undefined && { waitsForTurn }) },
    observers: [...own, credentialsLog(Runtime.instance().logger)],
    tracerOf: (name, account) => tracing?.exchangesOf(name, account),
  });
}

/** The parts that run and stop with Temporal's worker. */
interface RunningParts {
  readonly place: PollingPlace;
  readonly options: PaymentWorkerOptions;
  readonly held: HeldSessions;
  readonly metrics: WorkerMetrics;
  /** Parts that check or measure something until the signal aborts. */
  readonly watching: readonly ({ watch(signal: AbortSignal): void } | undefined)[];
  readonly services: ServiceClients;
  readonly hints: HintServer | undefined;
}

function asPaymentWorker(
  worker: Worker,
  { place, options, held, metrics, watching, services, hints }: RunningParts,
): PaymentWorker {
  const over = new AbortController();
  const login: AccountLogin = {
    accounts: Object.keys(options.accounts),
    authenticate: async (account) => services.of(account).authenticate(),
  };
  return {
    run: async () => {
      for (const part of watching) part?.watch(over.signal);
      try {
        if (options.checksAccounts !== false) checkAccounts(login, over.signal);
        await worker.run();
      } finally {
        over.abort();
        await hints?.close();
        await held.stop();
        await services.close();
      }
    },
    shutdown: () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      void hints?.close();
      void pollersEnded(worker).then(() => {
        // The held sessions are released first. `stopWaiting` refuses waiting calls, and the workflow of a session that is still
        // held would receive that refusal as a failed poll.
        void held.stop();
        services.stopWaiting();
      });
    },
    status: () => worker.getStatus(),
    watchHealth: () => {
      const watch = watchHealth({ ...place, ...login, isPolling: () => worker.getState() === 'RUNNING' });
      metrics.showHealth(watch);
      return watch;
    },
  };
}

/**
 * Returns the settings of workflow pollers. A new session's first task comes from the queue of all workers. By default,
 * Temporal splits this queue into four parts. With few pollers, a part may have no poller for a while, and tasks in that part
 * are delayed for two seconds. In tests, thirty sessions were started at once, again and again. With five pollers, a quarter
 * of these bursts had a delayed task. With twelve pollers, none of forty bursts had one.
 */
function workflowPollers({
  maxConcurrentWorkflowTaskExecutions: most = Infinity,
}: Partial<WorkerOptions> = {}): Partial<WorkerOptions> {
  return {
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: Math.min(20, most) },
    nonStickyToStickyPollRatio: 0.6,
  };
}

const CHECK_EVERY_MS = 10;

/**
 * Resolves when all pollers of a stopping worker have ended. Only then does the worker hand its sessions over, because a task
 * that reaches a poller while the poller ends is delayed.
 */
async function pollersEnded(worker: Worker): Promise<void> {
  while (['RUNNING', 'STOPPING'].includes(worker.getState())) await sleep(CHECK_EVERY_MS);
}

/**
 * Registers the search attributes of sessions that the namespace lacks. If one is missing, a session's workflow stops at the
 * point where it sets that attribute.
 *
 * @throws {@link PaysessionError} `SEARCH_ATTRIBUTES_MISSING` if the caller may not register search attributes, or if the namespace
 * does not list them about five seconds after the registration
 * @throws {@link PaysessionError} `SEARCH_ATTRIBUTES_MISTYPED` if the namespace has a search attribute of that name with another
 * type
 *
 * @example
 * ```ts
 * await ensureSearchAttributes(await NativeConnection.connect(), 'payments');
 * ```
 */
export function ensureSearchAttributes(connection: NativeConnection, namespace: string): Promise<void> {
  return ensureAttributes(connection, { namespace });
}
