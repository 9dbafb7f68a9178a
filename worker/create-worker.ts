import { Client } from '@temporalio/client';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities';
import type { PaymentServiceOptions } from '../src/service';
import { PaymentSessions } from '../src/sessions';
import { DEFAULT_TASK_QUEUE } from '../workflows/protocol';
import { ensureSearchAttributes } from './search-attributes';
import type { Accounts } from '../src/settings';
import { ServiceClients } from './service-directory';
import { workflowSource } from './workflow-source';

export interface PaymentWorkerOptions {
  /** The connection to Temporal; the caller closes it. */
  readonly connection: NativeConnection;
  /** Credentials and base URL of each account; sessions that name no account use `default`. */
  readonly accounts: Accounts;
  /** @default 'default' */
  readonly namespace?: string;
  /** @default 'payment-sessions' */
  readonly taskQueue?: string;
  /** Timeouts and limits of the service client. */
  readonly service?: Omit<PaymentServiceOptions, 'account'>;
  /** Whether polls that are seconds apart share one activity execution; see `ActivityOptions`. @default true */
  readonly pollInBursts?: boolean;
  /** A workflow bundle to use in place of the one that `npm run build` made. */
  readonly bundlePath?: string;
  /** Temporal's own worker options, for instance concurrency; they win over paysession's defaults. */
  readonly temporal?: Partial<WorkerOptions>;
}

/** A worker of payment sessions. */
export interface PaymentWorker {
  /** Runs until `shutdown`, then closes the service clients. Rejects when the worker fails. */
  run(): Promise<void>;
  /** Stops taking work and lets running activities finish. */
  shutdown(): void;
  /** Whether it is polling for work. */
  isRunning(): boolean;
}

/**
 * Creates a worker. Registers missing search attributes first; throws `PaysessionError` `SEARCH_ATTRIBUTES_MISSING`
 * where the namespace does not let it.
 */
export async function createWorker(options: PaymentWorkerOptions): Promise<PaymentWorker> {
  const { connection, accounts, namespace = 'default', taskQueue = DEFAULT_TASK_QUEUE, bundlePath } = options;
  await ensureSearchAttributes(connection, namespace);
  const services = new ServiceClients(accounts, options.service);
  const sessions = new PaymentSessions(new Client({ connection, namespace }), { taskQueue });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    activities: createActivities(
      (account) => services.of(account),
      (key) => sessions.get(key).state(),
      { pollInBursts: options.pollInBursts ?? true },
    ),
    ...workflowSource(bundlePath),
    shutdownGraceTime: '10s',
    ...options.temporal,
  });
  return {
    run: async () => {
      try {
        await worker.run();
      } finally {
        await services.close();
      }
    },
    shutdown: () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    },
    isRunning: () => worker.getState() === 'RUNNING',
  };
}
