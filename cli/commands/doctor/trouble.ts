import type { ConnectionLike } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/names';
import { PROBLEMS, type SessionProblem } from '../../../src/protocol/state/problems';
import { openSessionsOn, toSummary } from '../../../src/sessions';
import type { Finding } from './finding';

interface Place {
  readonly connection: Pick<ConnectionLike, 'workflowService'>;
  readonly namespace: string;
  readonly taskQueue: string;
}

/** Sessions that are named for each problem; the others are counted. */
const MAX_NAMED = 3;
const SUBJECT = 'Sessions in trouble';

/** Problems of sessions that a person has to look into, with the words for a count of such sessions. */
const TROUBLES = {
  parked: 'wait for a decision',
  serviceFailing: 'cannot reach the payment service: five calls in a row have failed',
} as const satisfies Partial<Record<SessionProblem, string>>;

/** Counts the open sessions that wait for a decision or whose calls fail, as Temporal's index has them, and names some. */
export async function examineTrouble(place: Place): Promise<Finding> {
  const troubles = await Promise.all(
    (['parked', 'serviceFailing'] as const).map(async (problem) => ({
      problem,
      ...(await sessionsWith(place, problem)),
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
      .map(({ problem, count, keys }) => `${count} ${TROUBLES[problem]} (${named(keys, count)})`)
      .join('; '),
    fix: found.map(({ problem }) => PROBLEMS[problem].remedy).join(' '),
    commands: found.map(({ problem }) => `paysession list --problem ${problem}`),
  };
}

async function sessionsWith(
  { connection, namespace, taskQueue }: Place,
  problem: SessionProblem,
): Promise<{ readonly count: number; readonly keys: readonly string[] }> {
  const query = `${openSessionsOn(taskQueue)} AND ${SEARCH_ATTRIBUTES.problem} = '${problem}'`;
  const { workflowService } = connection;
  const [{ count }, { executions }] = await Promise.all([
    workflowService.countWorkflowExecutions({ namespace, query }),
    workflowService.listWorkflowExecutions({ namespace, query, pageSize: MAX_NAMED }),
  ]);
  return { count: Number(count), keys: executions.map((execution) => toSummary(execution).key) };
}

const named = (keys: readonly string[], count: number): string =>
  [...keys, ...(count > keys.length ? [`${count - keys.length} more`] : [])].join(', ');
