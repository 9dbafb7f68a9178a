import { Readable } from 'node:stream';
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { ERROR_CODES } from '../../../src/errors';
import { isRefusal, refusalOf, type PayloadRefusal } from '../../../src/protocol/temporal/encrypted-payload';
import { isGone, newestOpen, openSessionsOn } from '../../../src/sessions';
import { firstOf, type Finding } from './finding';
import { shellWord } from '../../../src/contract/values/text';
import { PROBLEMS, type SessionProblem } from '../../../src/protocol/state/problems';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/temporal/search-attributes';

/** The maximum number of open sessions to check, the newest first. Each check costs a call. */
const MAX_SESSIONS = 100;
const CALLS_AT_ONCE = 10;
/** The maximum number of sessions to name with a reason. Each reason costs another call. */
const MAX_NAMED = 5;

type Failure = temporal.api.failure.v1.IFailure | null | undefined;

/** Finds open sessions that are stuck because their workflow tasks fail. Returns a finding with the reasons. */
export async function examineOpenSessions(client: Client, taskQueue: string): Promise<Finding> {
  const subject = 'Open sessions';
  const open = await newestOpen(client, taskQueue, MAX_SESSIONS);
  const stuck = (await Readable.from(open.map(({ workflowId }) => workflowId))
    .filter((id: string) => isStuck(client, id), { concurrency: CALLS_AT_ONCE })
    .toArray()) as readonly string[];
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

/**
 * True if the session's workflow task has failed or timed out, and Temporal retries it. False if the index lists a session that Temporal no
 * longer has, as after a restore from a backup.
 */
async function isStuck(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { pendingWorkflowTask } = await client.workflowService.describeWorkflowExecution({
      namespace: client.options.namespace,
      execution: { workflowId },
    });
    return (pendingWorkflowTask?.attempt ?? 1) > 1;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

interface Reason {
  readonly workflowId: string;
  /** The error code. Present if the worker refuses to use stored data. */
  readonly refusal?: PayloadRefusal;
  readonly text: string;
}

/** Returns the reason why a session's workflow task failed. Retries of the task add no events, so the failure is among the last events. */
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
  // Before the session's code runs, the SDK decodes the memo and the results of activities. If that fails, the failure has this message.
  const encoding = /^Unknown encoding: (\S+)$/.exec(failure?.message ?? '')?.[1];
  const refusal = encoding === undefined ? undefined : refusalOf(encoding);
  if (refusal !== undefined) {
    return {
      workflowId,
      refusal,
      text: `${workflowId} (stored data cannot be read. ${ERROR_CODES[refusal].meaning})`,
    };
  }
  // The messages of other errors are not shown, because they may quote personal data.
  return { workflowId, text: `${workflowId} (${type ?? 'no reason given'})` };
}

/** Returns the type of a failure. Of a plain error, such as a `TypeError`, only the stack trace has the type, as in `TypeError: message`. */
function typeOf(failure: Failure): string | undefined {
  return failure?.applicationFailureInfo?.type ?? /^(\w+)(?:: |$)/m.exec(failure?.stackTrace ?? '')?.[1];
}

/** The maximum number of sessions to name for each problem. The others are only counted. */
const MAX_NAMED_PER_PROBLEM = 3;
const SUBJECT = 'Sessions in trouble';

/** The problems to count, and for each the text that follows the number of sessions. */
const TROUBLES = {
  parked: 'waiting for a decision',
  serviceFailing: 'with failing calls: at least five in a row failed or were postponed',
} as const satisfies Partial<Record<SessionProblem, string>>;

/** Counts the open sessions that wait for a decision or whose calls fail, according to Temporal's index. Names some of them. */
export async function examineTrouble(client: Client, taskQueue: string): Promise<Finding> {
  const troubles = await Promise.all(
    (['parked', 'serviceFailing'] as const).map(async (problem) => ({
      problem,
      ...(await sessionsWith(client, taskQueue, problem)),
    })),
  );
  const found = troubles.filter(({ count }) => count > 0);
  if (found.length === 0)
    return {
      subject: SUBJECT,
      ok: true,
      found: 'no session waits for a decision, and no session’s calls fail',
    };
  return {
    subject: SUBJECT,
    ok: false,
    found: found
      .map(
        ({ problem, count, keys }) =>
          `${count} ${TROUBLES[problem]} (${firstOf(keys, MAX_NAMED_PER_PROBLEM, count)})`,
      )
      .join('; '),
    fix: found.map(({ problem }) => PROBLEMS[problem].remedy).join(' '),
    commands: found.map(({ problem }) => `paysession list --problem ${problem}`),
  };
}

async function sessionsWith(
  client: Client,
  taskQueue: string,
  problem: SessionProblem,
): Promise<{ readonly count: number; readonly keys: readonly string[] }> {
  const condition = `${SEARCH_ATTRIBUTES.problem} = '${problem}'`;
  const [{ count }, newest] = await Promise.all([
    client.workflow.count(`${openSessionsOn(taskQueue)} AND ${condition}`),
    newestOpen(client, taskQueue, MAX_NAMED_PER_PROBLEM, condition),
  ]);
  return { count, keys: newest.map(({ key }) => key) };
}
