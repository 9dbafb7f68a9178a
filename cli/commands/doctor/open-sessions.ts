import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { ERROR_CODES } from '../../../src/errors';
import { isRefusal, refusalOf, type PayloadRefusal } from '../../../src/protocol/temporal/encrypted-payload';
import { newestOpen } from '../../../src/sessions';
import type { Finding } from './finding';
import { shellWord } from '../../../src/contract/values/text';

/** The number of open sessions to check, the newest first: each costs a call. */
const MAX_SESSIONS = 100;
const CALLS_AT_ONCE = 10;
/** Sessions that are named, with the reason; each costs another call. */
const MAX_NAMED = 5;

type Failure = temporal.api.failure.v1.IFailure | null | undefined;

/** Finds open sessions that cannot go on because their workflow tasks fail, and says why. */
export async function examineOpenSessions(client: Client, taskQueue: string): Promise<Finding> {
  const subject = 'Open sessions';
  const open = await newestOpen(client, taskQueue, MAX_SESSIONS);
  const stuck: string[] = [];
  for (let at = 0; at < open.length; at += CALLS_AT_ONCE) {
    const some = open.slice(at, at + CALLS_AT_ONCE).map(async ({ workflowId }) => ({
      workflowId,
      isStuck: await isStuck(client, workflowId),
    }));
    for (const { workflowId, isStuck } of await Promise.all(some)) if (isStuck) stuck.push(workflowId);
  }
  const checked = `${open.length} checked${open.length === MAX_SESSIONS ? ' (the newest)' : ''}`;
  if (stuck.length === 0) return { subject, ok: true, found: `${checked}, all can continue` };
  const reasons = await Promise.all(stuck.slice(0, MAX_NAMED).map((id) => reasonOf(client, id)));
  const more = stuck.length > reasons.length ? `, and ${stuck.length - reasons.length} more` : '';
  return {
    subject,
    ok: false,
    found: `${checked}, ${stuck.length} cannot continue: ${reasons.map(({ text }) => text).join('; ')}${more}`,
    fix: fixOf(reasons),
    commands: reasons.map(
      ({ workflowId }) =>
        `temporal workflow show --namespace ${shellWord(client.options.namespace)} --workflow-id ${shellWord(workflowId)}`,
    ),
  };
}

function fixOf(reasons: readonly Reason[]): string {
  const refusals = new Set(reasons.flatMap(({ refusal }) => refusal ?? []));
  if (refusals.size > 0) return [...refusals].map((refusal) => ERROR_CODES[refusal].remedy).join(' ');
  return 'Read the log of the workers, and the failed workflow task in Temporal’s UI.';
}

/** True if the session's workflow task has failed, and is tried again. */
async function isStuck(client: Client, workflowId: string): Promise<boolean> {
  const { pendingWorkflowTask } = await client.workflowService.describeWorkflowExecution({
    namespace: client.options.namespace,
    execution: { workflowId },
  });
  return (pendingWorkflowTask?.attempt ?? 1) > 1;
}

interface Reason {
  readonly workflowId: string;
  /** The reason why a worker does not use its payload, if that is the problem. */
  readonly refusal?: PayloadRefusal;
  readonly text: string;
}

/** Repetitions of a failed task leave no event, so its failure is among the last ones. */
async function reasonOf(client: Client, workflowId: string): Promise<Reason> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
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
