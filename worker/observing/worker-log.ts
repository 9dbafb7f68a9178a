import {
  DefaultLogger,
  type ActivityInterceptorsFactory,
  type Logger,
  type WorkerInterceptors,
} from '@temporalio/worker';
import type { LogFormat, LogLevel } from '../../src/settings';
import { formatLine, addsNothing, toLine, type LogLine } from './log-line';
import { Repeats } from './repeats';
import type { ErrorCode } from '../../src/errors';
import type { ServiceObserver } from '../../src/service';

/** Options of a worker's log. */
export interface WorkerLogOptions {
  /** The lowest level to write. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Receives each line, including its line break. @default standard error */
  readonly write?: (text: string) => void;
}

/** The log of a worker. Temporal's SDK, its native part and paysession all write to it. */
export interface WorkerLog {
  /** The logger to pass to Temporal's `Runtime.install`. */
  readonly logger: Logger;
  /** Writes the last counts of repeated lines. Call it after the worker has ended. */
  close(): void;
}

/**
 * Creates the log of a worker. At level `debug`, it writes every line. At other levels, it leaves out lines that add nothing to an
 * earlier line, and counts repeated lines instead of writing them.
 */
export function workerLog({
  level,
  format,
  write = (text) => process.stderr.write(text),
}: WorkerLogOptions): WorkerLog {
  const writeLine = (line: LogLine) => {
    write(`${formatLine(line, format)}\n`);
  };
  const repeats = new Repeats(writeLine);
  const writesAll = level === 'debug';
  const logger = new DefaultLogger(level.toUpperCase() as Uppercase<LogLevel>, (entry) => {
    const line = toLine(entry);
    if (writesAll) writeLine(line);
    else if (!addsNothing(line)) repeats.take(line);
  });
  return {
    logger,
    close: () => {
      repeats.close();
    },
  };
}

const CODE: ErrorCode = 'SERVICE_CREDENTIALS_REJECTED';

/** Logs when the payment service begins to refuse an account's credentials, and when it accepts them again. */
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

/** Adds an interceptor to a worker's interceptors, which adds the account to log lines about activities. */
export function withActivityAttributes(interceptors: WorkerInterceptors = {}): WorkerInterceptors {
  return { ...interceptors, activity: [activityAttributes, ...(interceptors.activity ?? [])] };
}

/** Adds the account to each log line about an activity. The SDK itself adds the ids of the workflow and its run. */
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

/**
 * Returns the account that an activity's argument names. Assumes nothing about the argument, because a workflow of another version or
 * another SDK may have sent it.
 */
export function accountOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('account' in input)) return undefined;
  return typeof input.account === 'string' ? input.account : undefined;
}
