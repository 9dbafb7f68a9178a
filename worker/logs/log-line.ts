import type { LogEntry } from '@temporalio/worker';
import { WORKFLOW_TYPE } from '../../src/protocol/names';
import { fieldsOf, type Fields } from './fields';
import { explain, isErrorCode, isPaysessionError } from '../../src/errors';

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

/** What is written of an error. */
interface ErrorWords {
  /** Our own words for an error of ours: they hold no payload. */
  readonly message?: string;
  readonly fields: Fields;
}

/** gRPC's own name of a status in the native part's text: its message may quote what the server was sent. */
const GRPC_STATUS = /\b(?:code|status): '?"?(\w+)/;
const MOST_FRAMES = 8;
const MOST_CAUSES = 5;

/**
 * Words an error for the log. One of ours is told by its code, and its message is ours; the message of any other may quote
 * what it failed on, so only its name and where it happened are told.
 */
function describeError(error: unknown): ErrorWords {
  if (typeof error === 'string') return describeText(error);
  const chain = causesOf(error);
  for (const one of chain) {
    const code = codeOf(one);
    if (code !== undefined) return { message: one.message, fields: { code } };
  }
  const last = chain.at(-1);
  return { fields: last === undefined ? {} : { error: last.name, ...where(last) } };
}

function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < MOST_CAUSES; one = one.cause) chain.push(one);
  return chain;
}

/** An application failure has the code as its type. */
function codeOf(error: Error): string | undefined {
  if (isPaysessionError(error)) return error.code;
  const type: unknown = 'type' in error ? error.type : undefined;
  return typeof type === 'string' && isErrorCode(type) ? type : undefined;
}

function where({ stack = '' }: Error): Fields {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  if (frames.length === 0) return {};
  return {
    stack: frames
      .slice(0, MOST_FRAMES)
      .map((frame) => frame.trim())
      .join(' < '),
  };
}

/** The native part's text of a gRPC error. Calls of many kinds fail as the server goes: that is one thing to know. */
function describeText(text: string): ErrorWords {
  const status = GRPC_STATUS.exec(text)?.[1];
  if (status === undefined) return { fields: {} };
  if (status !== 'Unavailable') return { fields: { error: `gRPC ${status}` } };
  const code = 'ENGINE_UNAVAILABLE';
  return { message: explain(code), fields: { code } };
}
