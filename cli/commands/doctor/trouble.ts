import type { Client } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/names';
import { PROBLEMS, type SessionProblem } from '../../../src/protocol/state/problems';
import { newestOpen, openSessionsOn } from '../../../src/sessions';
import { firstOf, type Finding } from './finding';

/** Sessions that are named for each problem; the others are counted. */
const MAX_NAMED = 3;
const SUBJECT = 'Sessions in trouble';

/** Problems of sessions that a person has to look into, with the words for a count of such sessions. */
const TROUBLES = {
  parked: 'wait for a decision',
  serviceFailing: 'cannot reach the payment service: five calls in a row have failed',
} as const satisfies Partial<Record<SessionProblem, string>>;

/** Counts the open sessions that wait for a decision or whose calls fail, as Temporal's index has them, and names some. */
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
      .map(({ problem, count, keys }) => `${count} ${TROUBLES[problem]} (${firstOf(keys, MAX_NAMED, count)})`)
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
    newestOpen(client, taskQueue, MAX_NAMED, condition),
  ]);
  return { count, keys: newest.map(({ key }) => key) };
}
