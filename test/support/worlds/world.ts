import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, makeTelemetryFilterString, NativeConnection, Runtime } from '@temporalio/worker';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox';
import {
  encryptedDataConverter,
  PaymentSessions,
  type EncryptionKeys,
  type PaymentSessionInput,
  type SessionPolicy,
  type SessionRequest,
} from '../../../src';
import type { PaymentLedger } from '../../../ledger';
import type { ServiceAccount } from '../../../src/service';
import {
  createWorker,
  type PaymentWorker,
  type PaymentWorkerOptions,
  type WorkerDeployment,
} from '../../../worker';
import { globalValue, testBundle } from '../setup/global-values';
import { connectTemporal } from '../../../src/settings';
import type { PlainEvent } from '../../../sandbox/sessions/transitions';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

/** The complete system on one machine: a real Temporal server, the sandbox over real HTTP, a worker and a client. */
export interface World {
  readonly sandbox: Sandbox;
  readonly sessions: PaymentSessions;
  readonly client: Client;
  readonly account: ServiceAccount;
  readonly temporalAddress: string;
  readonly taskQueue: string;
  /** Returns a session’s input with a new key. By default, polls are frequent. A policy with `fastestPoll` replaces that. */
  input(request: SessionRequest, policy?: SessionPolicy): PaymentSessionInput;
  /** Returns the payor of the session with this id at the payment service. */
  payor(sessionId: string): SandboxPayor;
  startWorker(options?: StartWorkerOptions): Promise<void>;
  stopWorker(): Promise<void>;
  close(): Promise<void>;
}

/** For each act of a payor, the sandbox’s event. The acts have the same names as in the testing kit. */
const PAYOR_ACTS = {
  arrives: 'payorStarted',
  completes: 'completed',
  validatesBank: 'bankValidated',
  signsPad: 'padSigned',
} as const satisfies Readonly<Record<string, PlainEvent>>;

/** A payor of the sandbox. Each act takes effect at once, or throws an `Error` if the session refuses it. */
type SandboxPayor = Readonly<Record<keyof typeof PAYOR_ACTS, () => void>>;

export interface StartWorkerOptions {
  /** An account that this worker does not have. */
  readonly without?: string;
  /** @default the bundle of the current code */
  readonly bundlePath?: string;
  /** The maximum number of activities that run at once. @default the worker’s own default */
  readonly activitySlots?: number;
  /** True if the worker runs activities. Otherwise they stay in the task queue. @default true */
  readonly takesActivities?: boolean;
  /** True if the worker has the world's ledger. @default true */
  readonly hasLedger?: boolean;
  /** @default not versioned */
  readonly deployment?: WorkerDeployment;
}

export interface WorldOptions {
  readonly sandbox?: SandboxOptions;
  readonly account?: Partial<ServiceAccount>;
  /** Accounts in addition to `default`. */
  readonly otherAccounts?: Readonly<Record<string, ServiceAccount>>;
  readonly service?: PaymentWorkerOptions['service'];
  /** True if calls wait for their turn inside the worker. @default true */
  readonly waitsForTurn?: boolean;
  /** @default stored in plain text */
  readonly encryption?: EncryptionKeys;
  /** @default the Temporal server that all tests share */
  readonly temporalAddress?: string;
  /** @default none */
  readonly ledger?: PaymentLedger;
  /** The worker’s endpoint for hints (webhooks of the payment service). @default none */
  readonly hints?: PaymentWorkerOptions['hints'];
  /** True if the world starts with a running worker. @default true */
  readonly startsWorker?: boolean;
}

/** Short polling intervals, so that tests do not wait long for the next poll. */
export const QUICK: SessionPolicy = {
  fastestPoll: '100ms',
  slowestPoll: '200ms',
  slowestUnsignedPoll: '100ms',
};

/** Longer time limits for a world’s calls than the defaults, for a busy machine. */
const PATIENT_CALLS = {
  startTimeoutMs: 60_000,
  openTimeoutMs: 60_000,
  queryTimeoutMs: 60_000,
  refreshTimeoutMs: 60_000,
  updateTimeoutMs: 60_000,
};
export const PATIENT_CONNECT = { connectTimeoutMs: 60_000 };
const PATIENT_SERVICE = { headersTimeoutMs: 60_000, exchangeTimeoutMs: 60_000, callTimeoutMs: 60_000 };

/** Makes the sandbox keep all calls of a test. On a busy machine, a test takes longer, so its sessions poll more often. */
const QUICK_SANDBOX: SandboxOptions = { paceMs: 50, maxCalls: 100_000 };

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const address = options.temporalAddress ?? globalValue('PAYSESSION_TEST_TEMPORAL');
  const sandbox = createSandbox({ ...QUICK_SANDBOX, ...options.sandbox });
  const { url: baseUrl } = await sandbox.listen();
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  const account = { baseUrl, clientId, clientSecret, ...options.account };
  const taskQueue = `test-${randomUUID()}`;
  const { connection } = await connectTemporal(
    { connection: { address }, namespace: 'default' },
    PATIENT_CONNECT,
  );
  const { encryption, service = PATIENT_SERVICE, waitsForTurn = true, ledger, hints } = options;
  const client = new Client({
    connection,
    ...(encryption !== undefined && { dataConverter: encryptedDataConverter(encryption) }),
  });
  const workers = workerOf({
    address,
    taskQueue,
    accounts: { ...options.otherAccounts, default: account },
    service,
    waitsForTurn,
    encryption,
    ledger,
    hints,
  });
  if (options.startsWorker ?? true) await workers.start();
  return {
    sandbox,
    client,
    account,
    temporalAddress: address,
    taskQueue,
    sessions: new PaymentSessions(client, { taskQueue, ...PATIENT_CALLS }),
    input: (request, policy) => ({
      key: `test-${randomUUID()}`,
      request,
      // A test that sets `fastestPoll` chooses all intervals itself.
      policy: { ...(policy?.fastestPoll === undefined && QUICK), ...policy },
    }),
    payor: (sessionId) => payorOf(sandbox, sessionId),
    startWorker: workers.start,
    stopWorker: workers.stop,
    close: async () => {
      await workers.stop();
      await connection.close();
      await sandbox.close();
    },
  };
}

/** Returns the payor of a session of this sandbox. */
export function payorOf(sandbox: Sandbox, sessionId: string): SandboxPayor {
  const does = (act: keyof typeof PAYOR_ACTS) => () => {
    const result = sandbox.act(sessionId, PAYOR_ACTS[act]);
    if (!result.accepted) throw new Error(`the session refuses that its payor ${act}: ${result.reason}`);
  };
  return {
    arrives: does('arrives'),
    completes: does('completes'),
    validatesBank: does('validatesBank'),
    signsPad: does('signsPad'),
  };
}

interface WorkerPlace {
  readonly address: string;
  readonly taskQueue: string;
  readonly accounts: PaymentWorkerOptions['accounts'];
  readonly service: PaymentWorkerOptions['service'];
  readonly waitsForTurn: boolean;
  readonly encryption: EncryptionKeys | undefined;
  readonly ledger: PaymentLedger | undefined;
  readonly hints: PaymentWorkerOptions['hints'];
}

function workerOf(place: WorkerPlace) {
  const { address, taskQueue, accounts, service, waitsForTurn, encryption, ledger, hints } = place;
  let running: { worker: PaymentWorker; done: Promise<void>; connection: NativeConnection } | undefined;
  return {
    start: async (options: StartWorkerOptions = {}): Promise<void> => {
      const {
        without,
        bundlePath = testBundle(),
        deployment,
        activitySlots,
        takesActivities = true,
        hasLedger = true,
      } = options;
      const connection = await NativeConnection.connect({ address });
      const worker = await createWorker({
        connection,
        taskQueue,
        accounts: Object.fromEntries(Object.entries(accounts).filter(([name]) => name !== without)),
        bundlePath,
        waitsForTurn,
        // The worker requests no token at its start. So each test controls when a token is requested.
        checksAccounts: false,
        ...(deployment !== undefined && { deployment }),
        ...(service !== undefined && { service }),
        ...(encryption !== undefined && { encryption }),
        ...(ledger !== undefined && hasLedger && { ledger }),
        ...(hints !== undefined && { hints }),
        temporal: {
          stickyQueueScheduleToStartTimeout: '500ms',
          enableNonLocalActivities: takesActivities,
          ...(activitySlots !== undefined && { maxConcurrentActivityTaskExecutions: activitySlots }),
        },
      });
      running = { worker, done: worker.run(), connection };
    },
    stop: async (): Promise<void> => {
      running?.worker.shutdown();
      await running?.done;
      await running?.connection.close();
      running = undefined;
    },
  };
}

try {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    // Without this filter, each retry would log a warning while a test’s Temporal server is unavailable.
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }), console: {} },
    },
  });
} catch (error) {
  // This error means that an earlier test file of this process has installed a runtime, which is still in use.
  if (!(error instanceof IllegalStateError)) throw error;
}
