import {
  DefaultLogger,
  type ActivityInterceptorsFactory,
  type Logger,
  type WorkerInterceptors,
} from '@temporalio/worker';
import type { LogFormat, LogLevel } from '../../src/settings';
import { formatLine, isEcho, toLine, type LogLine } from './log-line';
import { Repeats } from './repeats';
import type { ErrorCode } from '../../src/errors';
import type { ServiceObserver } from '../../src/service';

/** Options of a worker's log. */
export interface WorkerLogOptions {
  /** The lowest level that is written. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Receives each line, including its line break. @default standard error */
  readonly write?: (text: string) => void;
}

/** The log of a worker, which Temporal's SDK, its native part and paysession share. */
export interface WorkerLog {
  /** For `Runtime.install`. */
  readonly logger: Logger;
  /** Writes the remaining counts of repeated lines. Call it once the worker has ended. */
  close(): void;
}

/** Makes the log. At `debug` it writes every line. Otherwise it drops echoes and counts repetitions. */
export function workerLog({
  level,
  format,
  write = (text) => process.stderr.write(text),
}: WorkerLogOptions): WorkerLog {
  const writeLine = (line: LogLine) => {
    write(`${formatLine(line, format)}\n`);
  };
  const repeats = new Repeats(writeLine);
  const isWhole = level === 'debug';
  const logger = new DefaultLogger(level.toUpperCase() as Uppercase<LogLevel>, (entry) => {
    const line = toLine(entry);
    if (isWhole) writeLine(line);
    else if (!isEcho(line)) repeats.take(line);
  });
  return {
    logger,
    close: () => {
      repeats.close();
    },
  };
}

const CODE: ErrorCode = 'SERVICE_CREDENTIALS_REJECTED';

/** Logs once that the service refuses an account's credentials, and once that it accepts them again. */
export function credentialsLog(logger: Pick<Logger, 'warn'>): ServiceObserver {
  const refused = new Set<string>();
  return {
    credentialsRefused: ({ account }) => {
      if (refused.has(account)) return;
      refused.add(account);
      logger.warn(
        'the payment service refuses the account’s client id and secret: once its token has expired, this worker creates, polls and cancels none of its sessions until they are accepted',
        { account, code: CODE },
      );
    },
    tokenRenewed: ({ account }) => {
      if (refused.delete(account))
        logger.warn('the payment service accepts the account’s client id and secret', { account });
    },
  };
}

/** Returns a worker's interceptors, with the one that adds the account to lines about activities. */
export function withActivityAttributes(interceptors: WorkerInterceptors = {}): WorkerInterceptors {
  return { ...interceptors, activity: [activityAttributes, ...(interceptors.activity ?? [])] };
}

/** Adds the account to each line that is logged about an activity. The SDK adds the session and its run. */
const activityAttributes: ActivityInterceptorsFactory = () => {
  let account: string | undefined;
  return {
    inbound: {
      execute: (input, next) => {
        account = accountOf(input.args[0]);
        return next(input);
      },
    },
    outbound: {
      getLogAttributes: (attributes, next) =>
        next({ ...attributes, ...(account !== undefined && { account }) }),
    },
  };
};

/** Returns the account that an activity's argument names. Workflows of any version, and other SDKs, may have sent it. */
export function accountOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('account' in input)) return undefined;
  return typeof input.account === 'string' ? input.account : undefined;
}
