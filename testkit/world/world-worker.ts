import { defined } from '../../src/contract/values/json';
import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo, type Info } from '@temporalio/activity';
import {
  NativeConnection,
  Worker,
  type ActivityInboundCallsInterceptor,
  type WorkerOptions,
} from '@temporalio/worker';
import { createWorker } from '../../worker';
import type { PaymentLedger } from '../../ledger';
import { encryptedDataConverter, type EncryptionKeys } from '../../src/encryption';
import type { Accounts } from '../../src/settings';
import { PaysessionError } from '../../src/errors';
import { unregistered, type TestedCode } from './tested-code';
import { type VirtualTime, tasksOf, type StatusOf } from './virtual-time';

/** A bundle of workflows: the option `workflowBundle` of Temporal's `Worker`. */
export type WorkflowBundle = { readonly codePath: string } | { readonly code: string };

/** The test's own workflows and activities. A second worker runs them. */
interface OwnWorkflows {
  readonly taskQueue: string;
  readonly workflowBundle: WorkflowBundle;
  readonly activities: NonNullable<WorkerOptions['activities']>;
}

export interface WorldWorkersOptions {
  readonly address: string;
  readonly namespace: string;
  readonly time: VirtualTime;
  /** Watches the test's own activities. */
  readonly code: TestedCode;
  readonly accounts: Accounts;
  /** @default the prebuilt bundle */
  readonly bundlePath?: string;
  /** @default stored in plain text */
  readonly encryption?: EncryptionKeys;
  /** @default none */
  readonly ledger?: PaymentLedger | undefined;
  readonly own?: OwnWorkflows;
}

/** The workers of a world. */
export interface WorldWorkers {
  readonly statuses: readonly StatusOf[];
  /**
   * Stops the workers. Rejects with the error of a worker that failed. Rejects with `PaysessionError` `TESTED_CODE_FAILED` if an activity does
   * not end.
   */
  stop(): Promise<void>;
}

/** The timeout of calls to the payment service. It is short, because virtual time does not skip during a call. */
const SERVICE_TIMEOUT_MS = 5_000;

/** The time that workers may take to end after their activities were cancelled. */
const ENDS_WITHIN_MS = 30_000;

/** Starts the worker for payment sessions. If the test has workflows of its own, starts a second worker for them. */
export async function startWorkers(options: WorldWorkersOptions): Promise<WorldWorkers> {
  const connection = await NativeConnection.connect({ address: options.address });
  const started: (Runnable & { readonly done: Promise<void> })[] = [];
  const stop = async () => {
    for (const worker of started) worker.shutdown();
    const ending = Promise.allSettled(started.map(({ done }) => done));
    const ends = await Promise.race([ending, sleep(ENDS_WITHIN_MS, undefined, { ref: false })]);
    if (ends === undefined) {
      // The connection is closed when the activity ends. Until then it keeps the process alive.
      void ending.then(() => connection.close());
      throw notEnding(tasksOf(started.map(({ status }) => status)));
    }
    await connection.close();
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
  try {
    const creating = [createPaymentWorker(connection, options), createOwnWorker(connection, options)];
    for (const worker of await Promise.all(creating)) {
      if (worker !== undefined) started.push({ ...worker, done: worker.run() });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop, statuses: started.map(({ status }) => status) };
}

const notEnding = (tasks: number) =>
  new PaysessionError(
    'TESTED_CODE_FAILED',
    `The world’s workers have not ended within ${ENDS_WITHIN_MS / 1_000} s; tasks under way: ${tasks}. An activity of yours goes on although it is cancelled: have it end when \`Context.current().cancelled\` rejects.`,
  );

interface Runnable {
  run(): Promise<void>;
  shutdown(): void;
  readonly status: StatusOf;
}

async function createPaymentWorker(
  connection: NativeConnection,
  { namespace, time, accounts, bundlePath, encryption, ledger }: WorldWorkersOptions,
): Promise<Runnable> {
  return createWorker({
    connection,
    namespace,
    accounts,
    maxHeldSessions: 0,
    // Virtual time does not skip while an activity runs. So the worker never waits in an activity: the workflow's timers wait instead.
    waitsForTurn: false,
    checksAccounts: false,
    ...defined({ bundlePath, encryption, ledger }),
    service: { now: () => time.now(), headersTimeoutMs: SERVICE_TIMEOUT_MS },
    temporal: {
      interceptors: { activity: [({ info }) => ({ inbound: timeInterceptor(time, info) })] },
      shutdownGraceTime: 0,
    },
  });
}

/**
 * Returns an interceptor that updates the virtual time before each attempt of an activity.
 *
 * For a first attempt, the time at which it was scheduled is enough, because the server's clock has not skipped since. A retry's schedule time
 * is the time at which the attempt before it failed, and the clock may have skipped since. So for a retry, the interceptor reads the clock.
 */
function timeInterceptor(time: VirtualTime, info: Info): ActivityInboundCallsInterceptor {
  return {
    execute: async (input, next) => {
      if (info.attempt === 1) time.hasReached(info.currentAttemptScheduledTimestampMs);
      else await time.sync();
      return next(input);
    },
  };
}

async function createOwnWorker(
  connection: NativeConnection,
  { namespace, own, encryption, code }: WorldWorkersOptions,
): Promise<Runnable | undefined> {
  if (own === undefined) return undefined;
  const { activities, ...ownOptions } = own;
  const worker = await Worker.create({
    connection,
    namespace,
    ...ownOptions,
    // The SDK calls the activity `default` if no activity has the requested name.
    activities: {
      default: () => unregistered(activityInfo().activityType, Object.keys(activities)),
      ...activities,
    },
    interceptors: { activity: [({ info }) => ({ inbound: code.failureInterceptor(info) })] },
    ...(encryption !== undefined && { dataConverter: encryptedDataConverter(encryption) }),
    shutdownGraceTime: 0,
  });
  return {
    run: () => worker.run(),
    shutdown: () => {
      worker.shutdown();
    },
    status: () => worker.getStatus(),
  };
}
