import { DefaultLogger, type Logger } from '@temporalio/worker';
import type { LogFormat, LogLevel } from '../../src/settings';
import { formatLine } from './format-line';
import { isEcho, toLine, type LogLine } from './log-line';
import { Repeats } from './repeats';

/** How a worker logs. */
export interface WorkerLogOptions {
  /** The least urgent lines that are written. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Takes each line, with its end. @default standard error */
  readonly write?: (text: string) => void;
}

/** The log of a worker: one for Temporal's SDK, its native part, and paysession. */
export interface WorkerLog {
  /** For `Runtime.install`. */
  readonly logger: Logger;
  /** Writes what has not been written yet, when the worker has ended. */
  close(): void;
}

/** Makes the log. At `debug` every line is written; otherwise repetitions are counted. */
export function workerLog({ level, format, write = toStandardError }: WorkerLogOptions): WorkerLog {
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

function toStandardError(text: string): void {
  process.stderr.write(text);
}
