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
import { WaitingRoom, type PaymentServiceOptions, type ServiceObserver } from '../src/service';
import { PaymentSessions, readClaim, readNamespace } from '../src/sessions';
import { DEFAULT_TASK_QUEUE, keyOfWorkflow } from '../src/protocol/names';
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
   * The version of this worker, for Temporal's worker versioning. Sessions move to the current version automatically.
   * A session may wait weeks for a signature: pinned to its version, it would need that version's workers all the
   * time. @default not versioned
   */
  readonly deployment?: WorkerDeployment;
  /**
   * The maximum number of open sessions that the worker holds between polls. Held sessions need no activity slots. For further
   * sessions, the Temporal server schedules each poll. @default 20000
   */
  readonly maxBursts?: number;
  /**
   * True if calls wait in the worker for the account's pauses and rate limits. Otherwise calls that would have to wait
   * fail at once with `SERVICE_PAUSED`, and the workflow waits. Set it to false if `service.now` is a clock that skips.
   * @default true
   */
  readonly waitsForTurn?: boolean;
  /**
   * True if the worker asks for an access token of each account as it starts. Its log then shows at once which client
   * ids and secrets are refused. @default true
   */
  readonly checksAccounts?: boolean;
  /**
   * The number of workers that share the accounts' `callsPerSecond`. If absent, the worker counts the workers that
   * poll its task queue. A worker that joins counts within seconds. One that is gone counts for about two minutes.
   * @default counted
   */
  readonly workers?: number;
  /**
   * Claims each session's key before the session is created, and keeps its records for longer than Temporal does.
   * The caller closes the ledger. @default no record outlives Temporal's retention
   */
  readonly ledger?: PaymentLedger;
  /**
   * Serves an endpoint of hints, `POST /hints`. A request that names an open session by its id at the payment service
   * makes a worker poll that session soon. The worker reads nothing else in the request's body. @default none
   */
  readonly hints?: HintOptions;
  /** Traces sessions down to their calls to the payment service: `workerTracing()` of `paysession/opentelemetry`. @default none */
  readonly tracing?: WorkerTracing;
  /** The path of a workflow bundle to use instead of the one in the package. */
  readonly bundlePath?: string;
  /**
   * Temporal's own worker options, for instance concurrency. They override paysession's defaults. Interceptors of
   * workflows and activities, and sinks with other names, are added to paysession's own. The `identity` also gets a
   * suffix with which the worker announces its ledger and its encryption.
   */
  readonly temporal?: Omit<Partial<WorkerOptions>, 'connection' | 'namespace' | 'taskQueue'>;
}

/** A worker of payment sessions. */
export interface PaymentWorker {
  /**
   * Runs until `shutdown`, or until Temporal's runtime receives one of its shutdown signals. Then closes the service
   * clients. Rejects when the worker fails.
   */
  run(): Promise<void>;
  /**
   * Stops taking work and lets running activities finish. Cancels them after `temporal.shutdownGraceTime`, by default ten
   * seconds.
   */
  shutdown(): void;
  /** The status of Temporal's worker: tasks in flight, pollers, cached workflows. */
  status(): WorkerStatus;
  /**
   * Begins to check that the worker can work. The caller stops the checks before it closes the connection.
   *
   * @example
   * ```ts
   * const watch = worker.watchHealth();
   * const probes = await serveProbes({ port: 8080, checks: () => watch.checks() });
   * ```
   */
  watchHealth(): HealthWatch;
}

/** The default number of activity slots. Most activities wait for a call's turn or its answer. */
const ACTIVITY_SLOTS = 500;
/**
 * The share of the slots that waiting calls may hold before a poll finds no place to wait for its turn. Creates and
 * cancels still find one.
 */
const POLLS_SHARE = 0.8;
/** The share that waiting calls may hold before a create finds no place. The rest is for cancels and calls under way. */
const WAITING_SHARE = 0.9;
/** The longest time for which the SDK holds a heartbeat back. It is short, because heartbeats bring cancels. */
const HEARTBEAT_EVERY = '1s';

/**
 * Creates a worker. Registers missing search attributes first.
 *
 * @throws {@link PaysessionError} `SEARCH_ATTRIBUTES_MISSING` if the namespace does not allow the worker to register
 * them, or does not list them soon
 * @throws {@link PaysessionError} `SEARCH_ATTRIBUTES_MISTYPED` if the namespace has one of them with another type
 * @throws {@link PaysessionError} `LEDGER_REFUSED`, `LEDGER_DATABASE_UNFIT`, `LEDGER_SCHEMA_OUTDATED` or
 * `LEDGER_SCHEMA_NEWER` if the ledger cannot be used
 * @throws {@link PaysessionError} `ENCRYPTION_KEY_MISSING` if the function in `encryption` does not return usable keys
 * @throws {@link SettingsError} `INVALID_SETTINGS` if an account or `service` is malformed or has an unknown member, if `workers` or
 * the URL of the accounts' proxy is malformed, if a given key cannot be used, or if encryption is required without keys or with a data
 * converter of your own
 * @throws {@link PaysessionError} `PORT_IN_USE` if another program has the port of `hints`, or `INVALID_SETTINGS` if the
 * options of `hints` are invalid or the worker may not listen there
 * @throws `MissingPackagesError` if the endpoint of hints needs a package that is not installed
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
  const encrypts = converter.tells !== undefined;
  const user = options.ledger && { namespace: await readNamespace(connection, namespace), encrypts };
  const warn = warnOnce((message) => {
    logger.warn(message);
  });
  if (options.ledger && user) await checkLedger(options.ledger, user, warn);
  const slots = options.temporal?.maxConcurrentActivityTaskExecutions ?? ACTIVITY_SLOTS;
  const { dataConverter, tells } = converter;
  const client = new Client({ connection, namespace, ...(dataConverter && { dataConverter }) });
  const sessions = new PaymentSessions(client, { taskQueue });
  const readable = new PaymentSessions(client, { taskQueue, ledger: options.ledger });
  const held = new HeldSessions({ completion: client.activity, most: options.maxBursts });
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
  const services = servicesOf(options, [metrics.observer, pauses.observer], slots);
  const identity = workerIdentity(options.temporal?.identity ?? `${process.pid}@${hostname()}`, {
    encryption: tells,
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
      // Temporal refuses this option together with a tuner, which sets its own limit.
      ...(options.temporal?.tuner === undefined && { maxConcurrentActivityTaskExecutions: slots }),
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
 * Returns the function that resumes a cancel: a refresh makes a waiting session cancel again as soon as the service and
 * the policy allow. If the refresh fails, the session waits for its back-off.
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

/** Starts the endpoint of hints. Loads its modules here, because a worker without hints needs none of them. */
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
    // The message of the error may hold the request, so it is not logged.
    onCheckFailed: (error) => {
      logger.warn('the check of a hint failed, so the hint was refused', { code: shown(error) });
    },
  });
}

const shown = (error: unknown): string => (isPaysessionError(error) ? error.code : nameOf(error));

/** Returns the clients of the payment service. Their waiting calls leave activity slots to others. */
function servicesOf(
  options: PaymentWorkerOptions,
  own: readonly ServiceObserver[],
  slots: number,
): ServiceClients {
  const { accounts, service, waitsForTurn, tracing } = options;
  const room = new WaitingRoom({
    polls: Math.floor(slots * POLLS_SHARE),
    all: Math.floor(slots * WAITING_SHARE),
  });
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
        // In this order, so that no workflow receives a failure for a held session's poll that is turned away.
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
 * Returns the settings of workflow pollers. A new session's first task comes from the queue of all workers, which
 * Temporal splits into four parts by default. With few pollers, a part may have no poller for a while, and its tasks wait
 * two seconds. In tests with bursts of thirty sessions, that happened in every fourth burst with five pollers, and in none
 * of forty bursts with twelve.
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
 * Resolves when a stopping worker polls for no more tasks. A task that reaches a poller while the poller ends is lost
 * for a while. So sessions are handed over only after all pollers have ended.
 */
async function pollersEnded(worker: Worker): Promise<void> {
  while (['RUNNING', 'STOPPING'].includes(worker.getState())) await sleep(CHECK_EVERY_MS);
}

/**
 * Registers the search attributes that are missing. Without them, a session's workflow is blocked as soon as it sets one.
 *
 * @throws {@link PaysessionError} `SEARCH_ATTRIBUTES_MISSING` if the namespace does not allow that, or does not list them soon
 * @throws {@link PaysessionError} `SEARCH_ATTRIBUTES_MISTYPED` if the namespace has one of them with another type
 *
 * @example
 * ```ts
 * await ensureSearchAttributes(await NativeConnection.connect(), 'payments');
 * ```
 */
export function ensureSearchAttributes(connection: NativeConnection, namespace: string): Promise<void> {
  return ensureAttributes(connection, { namespace });
}
