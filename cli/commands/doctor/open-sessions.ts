import type { ConnectionLike } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { ERROR_CODES } from '../../../src/errors';
import { isRefusal, refusalOf, type PayloadRefusal } from '../../../src/protocol/temporal/encrypted-payload';
import { openSessionsOn } from '../../../src/sessions';
import type { Finding } from './finding';
import { shellWord } from '../../../src/contract/values/text';

/** The number of open sessions to check, the newest first: each costs a call. */
const MAX_SESSIONS = 100;
const CALLS_AT_ONCE = 10;
/** Sessions that are named, with the reason; each costs another call. */
const MAX_NAMED = 5;

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
  const checked = `${open.length} checked${open.length === MAX_SESSIONS ? ' (the newest)' : ''}`;
  if (stuck.length === 0) return { subject, ok: true, found: `${checked}, all can continue` };
  const reasons = await Promise.all(stuck.slice(0, MAX_NAMED).map((session) => reasonOf(place, session)));
  const more = stuck.length > reasons.length ? `, and ${stuck.length - reasons.length} more` : '';
  return {
    subject,
    ok: false,
    found: `${checked}, ${stuck.length} cannot continue: ${reasons.map(({ text }) => text).join('; ')}${more}`,
    fix: fixOf(reasons),
    commands: reasons.map(
      ({ workflowId }) =>
        `temporal workflow show --namespace ${shellWord(place.namespace)} --workflow-id ${shellWord(workflowId)}`,
    ),
  };
}

function fixOf(reasons: readonly Reason[]): string {
  const refusals = new Set(reasons.flatMap(({ refusal }) => refusal ?? []));
  if (refusals.size > 0) return [...refusals].map((refusal) => ERROR_CODES[refusal].remedy).join(' ');
  return 'Read the log of the workers, and the failed workflow task in Temporal’s UI.';
}

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
}

async function describe({ connection, namespace }: Place, workflowId: string): Promise<OpenSession> {
  const execution = { workflowId };
  const { pendingWorkflowTask } = await connection.workflowService.describeWorkflowExecution({
    namespace,
    execution,
  });
  return { workflowId, isStuck: (pendingWorkflowTask?.attempt ?? 1) > 1 };
}

interface Reason {
  readonly workflowId: string;
  /** The reason why a worker does not use its payload, if that is the problem. */
  readonly refusal?: PayloadRefusal;
  readonly text: string;
}

/** Repetitions of a failed task leave no event, so its failure is among the last ones. */
async function reasonOf({ connection, namespace }: Place, { workflowId }: OpenSession): Promise<Reason> {
  const { history } = await connection.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution: { workflowId },
    maximumPageSize: 10,
  });
  const failure = history?.events?.find((event) => event.workflowTaskFailedEventAttributes != null)
    ?.workflowTaskFailedEventAttributes?.failure;
  const type = typeOf(failure);
  if (isRefusal(type))
    return { workflowId, refusal: type, text: `${workflowId} (${failure?.message ?? ''})` };
  // The SDK reads the memo, and the results of activities, before the session's code does: they fail so.
  const encoding = /^Unknown encoding: (\S+)$/.exec(failure?.message ?? '')?.[1];
  const refusal = encoding === undefined ? undefined : refusalOf(encoding);
  if (refusal !== undefined) {
    return {
      workflowId,
      refusal,
      text: `${workflowId} (stored data cannot be read. ${ERROR_CODES[refusal].meaning})`,
    };
  }
  // Messages of other errors may quote what they failed on.
  return { workflowId, text: `${workflowId} (${type ?? 'no reason given'})` };
}

/** An error that is none of Temporal's own comes without a type: its name heads the stack trace, after the code. */
function typeOf(failure: Failure): string | undefined {
  return failure?.applicationFailureInfo?.type ?? /^(\w+)(?:: |$)/m.exec(failure?.stackTrace ?? '')?.[1];
}
