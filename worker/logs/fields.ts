import { keyOfWorkflow } from '../../src/protocol/names';

/** What a line says besides its message. */
export type Fields = Readonly<Record<string, string | number | boolean>>;

/**
 * The fields that are written, by the names that the SDK, its native part, OpenTelemetry and we give them: ids, kinds and
 * counts. Whatever else an entry carries, such as a payload, options or the text of a failure, is left out.
 */
const WRITTEN: Readonly<Record<string, string>> = {
  account: 'account',
  accounts: 'accounts',
  activityType: 'activityType',
  attempt: 'attempt',
  calls: 'calls',
  cause: 'cause',
  code: 'code',
  forMs: 'forMs',
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

/** The known fields of an entry. A session is named by its key. */
export function fieldsOf(meta: Readonly<Record<string, unknown>>): Fields {
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
