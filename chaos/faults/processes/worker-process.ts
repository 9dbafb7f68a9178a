import { putClock } from './clock';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection, type ActivityInterceptorsFactory } from '@temporalio/worker';
import { WORKFLOW_ID_PREFIX } from '../../../src/protocol/names';
import { PaymentLedger } from '../../../ledger';
import { createWorker } from '../../../worker/create-worker';
import { installRuntime } from '../../../worker/runtime';
import {
  LEDGER_ENVIRONMENT,
  type FromWorker,
  type PassRequest,
  type ToWorker,
  type WorkerEnvironment,
} from './worker-messages';

/**
 * The program of a worker's process in a campaign. Before and after each activity that calls the payment service about a session, the
 * worker waits until the campaign lets it continue.
 */

const {
  temporal,
  namespace,
  taskQueue,
  accounts,
  keys,
  logFile,
  version,
  hints,
  ledger: url,
} = JSON.parse(process.env['FAULTS_WORKER'] ?? '{}') as WorkerEnvironment;

const report = (message: FromWorker): void => {
  // If the campaign has ended, nothing receives the message. The error is ignored, because this process then ends, too.
  process.send?.(message, undefined, undefined, () => undefined);
};

const waiting = new Map<number, () => void>();
let asked = 0;

/** Waits until the campaign lets the call continue. If the campaign kills the process at this stage, the wait never ends. */
function pass(request: Omit<PassRequest, 'pass'>): Promise<void> {
  asked += 1;
  const pass = asked;
  report({ pass, ...request });
  return new Promise((resolve) => waiting.set(pass, resolve));
}

process.on('message', (message: ToWorker) => {
  if ('clockOffMs' in message) {
    putClock(message.clockOffMs);
    return;
  }
  waiting.get(message.passed)?.();
  waiting.delete(message.passed);
});

const CONNECT_ATTEMPTS = 30;

/** The call to the payment service that each activity makes. */
const CALL_OF: Readonly<Record<string, PassRequest['call']>> = {
  createSession: 'create',
  followSession: 'details',
  pollSession: 'details',
  findSession: 'details',
  cancelSession: 'cancel',
};

const atStages: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute: async (input, next) => {
      const call = CALL_OF[info.activityType];
      const session = info.workflowExecution?.workflowId.replace(WORKFLOW_ID_PREFIX, '');
      if (call === undefined || session === undefined) return next(input);
      await pass({ session, call, stage: 'beforeSend' });
      const result: unknown = await next(input);
      await pass({ session, call, stage: 'beforeReturn' });
      return result;
    },
  },
});

/** Connects to the Temporal server. Repeats this while the server restarts, in place of a supervisor that would restart the process. */
async function connect(address: string): Promise<NativeConnection> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await NativeConnection.connect({ address });
    } catch (error) {
      if (tries === CONNECT_ATTEMPTS) throw error;
      await sleep(1_000);
    }
  }
}

async function main(): Promise<void> {
  installRuntime(
    { log: { level: 'info', format: 'json' } },
    {
      write: (text) => {
        appendFileSync(logFile, text);
      },
    },
  );
  const connection = await connect(temporal);
  const [current, ...earlier] = keys.map(({ id, secret }) => ({ id, secret: Buffer.from(secret, 'base64') }));
  if (current === undefined) throw new Error('a worker needs a key');
  const encryption = { current, earlier };
  const ledger =
    url === undefined ? undefined : new PaymentLedger({ url, environment: LEDGER_ENVIRONMENT, encryption });
  const worker = await createWorker({
    connection,
    namespace,
    taskQueue,
    accounts,
    encryption,
    ...(ledger !== undefined && { ledger }),
    encryptionOptions: { required: true },
    hints,
    workers: 1,
    ...(version !== undefined && { deployment: version }),
    ...(version?.bundlePath !== undefined && { bundlePath: version.bundlePath }),
    service: {
      connectTimeoutMs: 1_000,
      headersTimeoutMs: 1_500,
      bodyTimeoutMs: 1_500,
      exchangeTimeoutMs: 2_500,
      callTimeoutMs: 6_000,
      longestRetryAfterMs: LONGEST_RETRY_AFTER_MS,
    },
    temporal: { interceptors: { activity: [atStages] } },
  });
  process.on('SIGTERM', () => {
    worker.shutdown();
  });
  report({ ready: true });
  await worker.run();
  await ledger?.close();
  await connection.close();
  process.exit(0);
}

/** The longest `Retry-After` that workers respect. The campaign's proxy in front of the payment service has the same value. */
const LONGEST_RETRY_AFTER_MS = 2_500;

process.on('disconnect', () => process.exit(1));
process.on('SIGINT', () => undefined);

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
