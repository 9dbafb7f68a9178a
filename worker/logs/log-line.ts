import type { LogEntry } from '@temporalio/worker';
import { WORKFLOW_TYPE } from '../../src/protocol/names';
import { describeError } from './describe-error';
import { fieldsOf, type Fields } from './fields';

/** One line of a worker's log. */
export interface LogLine {
  readonly time: Date;
  readonly level: LogEntry['level'];
  readonly message: string;
  readonly fields: Fields;
}

/** A message of the SDK is a fixed text; the bound is for one that is not. */
const LONGEST_MESSAGE = 500;
const NANOSECONDS_PER_MS = 1_000_000n;

/**
 * What is written of an entry: fields that are known to hold no payload. An entry about an error of ours says what happened in
 * our own words, whichever activity met it.
 */
export function toLine({ level, message, timestampNanos, meta = {} }: LogEntry): LogLine {
  const time = new Date(Number(timestampNanos / NANOSECONDS_PER_MS));
  const error = describeError((meta as Readonly<Record<string, unknown>>)['error']);
  const text = (error.message ?? message).slice(0, LONGEST_MESSAGE);
  return { time, level, message: text, fields: { ...fieldsOf(meta), ...error.fields } };
}

/**
 * Whether a line only repeats what another one says: a pause is logged, and the calls that it turns away are not; a session that
 * fails says why, and the SDK only that.
 */
export function isEcho({ message, fields }: LogLine): boolean {
  const isOfWorkflow = message === 'Workflow failed' && fields['workflowType'] === WORKFLOW_TYPE;
  return isOfWorkflow || fields['code'] === 'SERVICE_PAUSED';
}
