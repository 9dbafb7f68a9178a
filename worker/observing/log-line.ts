import type { LogEntry } from '@temporalio/worker';
import { keyOfWorkflow, WORKFLOW_TYPE } from '../../src/protocol/names';
import { explain, isErrorCode, isPaysessionError } from '../../src/errors';
import type { LogFormat } from '../../src/settings';

/** One line of a worker's log. */
export interface LogLine {
  readonly time: Date;
  readonly level: LogEntry['level'];
  readonly message: string;
  readonly fields: Fields;
}

/** The longest message to log, in characters. The SDK's messages are fixed texts, but other messages may have any length. */
const LONGEST_MESSAGE = 500;
const NANOSECONDS_PER_MS = 1_000_000n;

/**
 * Converts a log entry to a line. The line has only the fields that are known to contain no payload. If the entry has a paysession
 * error, the line's message is the message of that error.
 */
export function toLine({ level, message, timestampNanos, meta = {} }: LogEntry): LogLine {
  const time = new Date(Number(timestampNanos / NANOSECONDS_PER_MS));
  const error = describeError((meta as Readonly<Record<string, unknown>>)['error']);
  const text = (error.message ?? message).slice(0, LONGEST_MESSAGE);
  return { time, level, message: text, fields: { ...fieldsOf(meta), ...error.fields } };
}

/**
 * True if a line adds nothing to an earlier line, so that it need not be written. This applies to two kinds of lines: a call refused
 * because of a pause, since the pause itself is logged, and the SDK's line that a session's workflow failed, since the workflow logs
 * the reason.
 */
export function addsNothing({ message, fields }: LogLine): boolean {
  const isOfWorkflow = message === 'Workflow failed' && fields['workflowType'] === WORKFLOW_TYPE;
  return isOfWorkflow || fields['code'] === 'SERVICE_PAUSED';
}

/** The parts of an error that are logged. */
interface ErrorWords {
  /** The message of a paysession error, which contains no payload. Absent for other errors. */
  readonly message?: string;
  readonly fields: Fields;
}

/** Finds the name of the gRPC status in a text of the SDK's native part. The rest of such a text may quote a request. */
const GRPC_STATUS = /\b(?:code|status): '?"?(\w+)/;
const MOST_FRAMES = 8;
const MOST_CAUSES = 5;

/**
 * Describes an error for the log. If the error or one of its causes is a paysession error, the log shows the code and the message of
 * that one. The message of any other error may quote personal data. For such an error, the log shows only the name and the stack of
 * the innermost cause.
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

/** Returns the paysession code of an error, if it has one. An application failure has the code in its `type`. */
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

/** Describes a text of the SDK's native part about a gRPC error. All calls that cannot reach the Temporal server get the same message. */
function describeText(text: string): ErrorWords {
  const status = GRPC_STATUS.exec(text)?.[1];
  if (status === undefined) return { fields: {} };
  if (status !== 'Unavailable') return { fields: { error: `gRPC ${status}` } };
  const code = 'TEMPORAL_UNAVAILABLE';
  return { message: explain(code), fields: { code } };
}

/** Characters that could break the line in two, or change how a terminal shows it. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Matches a text that needs no quotation marks. */
const WORD = /^[^\s"=]+$/;

/** Formats a line as a JSON object or as plain text, without a line break at its end. */
export function formatLine({ time, level, message, fields }: LogLine, format: LogFormat): string {
  const at = time.toISOString();
  if (format === 'json') return JSON.stringify({ time: at, level: level.toLowerCase(), message, ...fields });
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${quoted(String(value))}`);
  return [at, level.padEnd(5), visible(message), ...pairs].join(' ');
}

const quoted = (text: string): string => (WORD.test(text) ? visible(text) : visible(JSON.stringify(text)));

const visible = (text: string): string =>
  text.replace(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The fields of a line, without its message. */
type Fields = Readonly<Record<string, string | number | boolean>>;

/**
 * The fields that are logged. The left name is the one that the SDK, its native part, OpenTelemetry or paysession uses. The right name
 * is the one in the log. These fields contain names, ids, kinds and numbers. All other fields of an entry are dropped, because they may
 * contain a payload.
 */
const WRITTEN: Readonly<Record<string, string>> = {
  account: 'account',
  accounts: 'accounts',
  activityType: 'activityType',
  attempt: 'attempt',
  calls: 'calls',
  cause: 'cause',
  code: 'code',
  endpoint: 'endpoint',
  environment: 'environment',
  forMs: 'forMs',
  others: 'others',
  outcome: 'outcome',
  problem: 'problem',
  runId: 'runId',
  run_id: 'runId',
  sdkComponent: 'component',
  setting: 'setting',
  span_id: 'span_id',
  state: 'state',
  trace_id: 'trace_id',
  workers: 'workers',
  workflowRunId: 'runId',
  workflowType: 'workflowType',
};

const LONGEST_FIELD = 200;

/** Returns the fields of an entry that are logged. If the workflow is a session's, logs the session's key instead of the workflow id. */
function fieldsOf(meta: Readonly<Record<string, unknown>>): Fields {
  const { workflowId = meta['workflow_id'] } = meta;
  const known = Object.entries(meta).flatMap(([name, value]) => {
    const written = Object.hasOwn(WRITTEN, name) ? WRITTEN[name] : undefined;
    const text = plain(value);
    return written === undefined || text === undefined ? [] : [[written, text] as const];
  });
  return { ...(typeof workflowId === 'string' && nameOf(workflowId)), ...Object.fromEntries(known) };
}

function nameOf(workflowId: string): Fields {
  const sessionKey = keyOfWorkflow(workflowId);
  return sessionKey === undefined ? { workflowId } : { sessionKey };
}

function plain(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  const text = Array.isArray(value) ? value.filter((part) => typeof part === 'string').join(',') : value;
  return typeof text === 'string' && text !== '' ? text.slice(0, LONGEST_FIELD) : undefined;
}
