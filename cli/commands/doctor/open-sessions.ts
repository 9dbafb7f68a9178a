import type { ConnectionLike } from '@temporalio/client';
import { METADATA_ENCODING_KEY, ValueError, type Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { ERROR_CODES, type ErrorCode } from '../../../src/errors';
import { ENCRYPTED_ENCODING } from '../../../src/protocol/encrypted-payload';
import { WORKFLOW_TYPE } from '../../../src/protocol/names';
import { quoted } from '../../../src/sessions/list/filter';
import type { Finding } from './finding';

/** How many open sessions are looked at, the newest first: each costs a call. */
const MAX_SESSIONS = 100;
const CALLS_AT_ONCE = 10;
/** Sessions that are named, with the reason; each costs another call. */
const MAX_NAMED = 5;

const KEY_MISSING: ErrorCode = 'ENCRYPTION_KEY_MISSING';

type Failure = temporal.api.failure.v1.IFailure | null | undefined;

interface Place {
  readonly connection: Pick<ConnectionLike, 'workflowService'>;
  readonly namespace: string;
  readonly taskQueue: string;
}

/** Finds open sessions that cannot go on because their workflow tasks fail, and says why. */
export async function examineOpenSessions(place: Place): Promise<Finding> {
  const subject = 'Open sessions';
  const open = await newestOpen(place);
  const stuck: OpenSession[] = [];
  for (let at = 0; at < open.length; at += CALLS_AT_ONCE) {
    const some = await Promise.all(open.slice(at, at + CALLS_AT_ONCE).map((id) => describe(place, id)));
    stuck.push(...some.filter(({ isStuck }) => isStuck));
  }
  const looked = `${open.length}${open.length === MAX_SESSIONS ? ', the newest,' : ''} looked at`;
  if (stuck.length === 0) return { subject, ok: true, found: `${looked}, all can go on` };
  const reasons = await Promise.all(stuck.slice(0, MAX_NAMED).map((session) => reasonOf(place, session)));
  const more = stuck.length > reasons.length ? `, and ${stuck.length - reasons.length} more` : '';
  return {
    subject,
    ok: false,
    found: `${looked}, ${stuck.length} cannot go on: ${reasons.map(({ text }) => text).join('; ')}${more}`,
    fix: reasons.some(({ isKeyMissing }) => isKeyMissing)
      ? ERROR_CODES[KEY_MISSING].remedy
      : 'Read the log of the workers, and the failed workflow task in Temporal’s UI.',
  };
}

/** The engine's query for the open sessions of a task queue. */
export const openSessionsOn = (taskQueue: string): string =>
  [
    `WorkflowType = '${WORKFLOW_TYPE}'`,
    "ExecutionStatus = 'Running'",
    `TaskQueue = ${quoted(taskQueue)}`,
  ].join(' AND ');

async function newestOpen({ connection, namespace, taskQueue }: Place): Promise<readonly string[]> {
  const { executions } = await connection.workflowService.listWorkflowExecutions({
    namespace,
    query: openSessionsOn(taskQueue),
    pageSize: MAX_SESSIONS,
  });
  return executions.map(({ execution }) => execution?.workflowId ?? '').filter((id) => id !== '');
}

interface OpenSession {
  readonly workflowId: string;
  /** Its workflow task has failed, and is tried again. */
  readonly isStuck: boolean;
  readonly hasEncryptedMemo: boolean;
}

async function describe({ connection, namespace }: Place, workflowId: string): Promise<OpenSession> {
  const { pendingWorkflowTask, workflowExecutionInfo } =
    await connection.workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } });
  const memo = Object.values(workflowExecutionInfo?.memo?.fields ?? {});
  return {
    workflowId,
    isStuck: (pendingWorkflowTask?.attempt ?? 1) > 1,
    hasEncryptedMemo: memo.some(({ metadata }) => encodingOf(metadata) === ENCRYPTED_ENCODING),
  };
}

const encodingOf = (metadata: Payload['metadata']): string =>
  Buffer.from(metadata?.[METADATA_ENCODING_KEY] ?? []).toString();

interface Reason {
  readonly isKeyMissing: boolean;
  readonly text: string;
}

/** Repetitions of a failed task leave no event, so its failure is among the last ones. */
async function reasonOf(
  { connection, namespace }: Place,
  { workflowId, hasEncryptedMemo }: OpenSession,
): Promise<Reason> {
  const { history } = await connection.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution: { workflowId },
    maximumPageSize: 10,
  });
  const failure = history?.events?.find((event) => event.workflowTaskFailedEventAttributes != null)
    ?.workflowTaskFailedEventAttributes?.failure;
  const type = typeOf(failure);
  if (type === KEY_MISSING) {
    return { isKeyMissing: true, text: `${workflowId} (${failure?.message ?? ''})` };
  }
  // The SDK reads the memo before the session's code runs, and fails so on what it cannot decode.
  if (type === ValueError.name && hasEncryptedMemo) {
    const { meaning } = ERROR_CODES[KEY_MISSING];
    return { isKeyMissing: true, text: `${workflowId} (its memo cannot be read. ${meaning})` };
  }
  // Messages of other errors may quote what they failed on.
  return { isKeyMissing: false, text: `${workflowId} (${type ?? 'no reason given'})` };
}

/** An error that is none of Temporal's own comes without a type: its name heads the stack trace, after the code. */
function typeOf(failure: Failure): string | undefined {
  return failure?.applicationFailureInfo?.type ?? /^(\w+)(?:: |$)/m.exec(failure?.stackTrace ?? '')?.[1];
}
