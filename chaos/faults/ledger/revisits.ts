import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentSessionInput } from '../../../src';
import { codeOf, retryUntilAnswered } from '../episode/retry-until';
import type { Lane, World } from '../episode/world';
import { checkDropped } from '../invariants/dropped';
import type { Ending, Violation } from '../invariants/evidence';

/** A session that has ended and is recorded in the ledger, with the end that its callers received. */
export interface EndedSession {
  readonly input: PaymentSessionInput;
  readonly lane: Lane;
  readonly ending: Ending;
  readonly wasReset: boolean;
}

/**
 * The longest wait, in milliseconds, until Temporal's list of sessions shows an end. It allows for the loss of a node that writes the list.
 */
const LISTED_WITHIN_MS = 30_000;
/** Longer than the Temporal server takes to drop a session, in milliseconds. */
const DROPPED_WITHIN_MS = 30_000;
const CHECK_EVERY_MS = 100;
/** The longest time for an answer while workers, the Temporal server and the ledger are struck, in milliseconds. */
const PATIENCE_MS = 120_000;

/** Waits until Temporal's list of sessions shows a session as ended. A sweep reads this list, and the list is updated a little late. */
export async function untilListed(world: World, workflowId: string): Promise<void> {
  const untilMs = Date.now() + LISTED_WITHIN_MS;
  while (Date.now() < untilMs && !(await isListed(world, workflowId))) await sleep(CHECK_EVERY_MS);
}

async function isListed({ client }: World, workflowId: string): Promise<boolean> {
  let listed = 0;
  await retryUntilAnswered(async () => {
    const { runId } = await client.workflow.getHandle(workflowId).describe();
    const query = `RunId = "${runId}" AND ExecutionStatus != "Running"`;
    ({ count: listed } = await client.workflow.count(query));
  });
  return listed > 0;
}

/**
 * Makes the Temporal server drop a session with all its runs, as it does at the end of the retention. The campaign cannot wait for that,
 * because the shortest retention is an hour. Returns true if the server does not know the session any more.
 */
export async function drop({ client }: World, workflowId: string): Promise<boolean> {
  const { namespace } = client.options;
  await retryUntilAnswered(async () => {
    for await (const { runId } of client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
      const workflowExecution = { workflowId, runId };
      await client.workflowService
        .deleteWorkflowExecution({ namespace, workflowExecution })
        .catch((error: unknown) => {
          if (codeOf(error) !== 'WorkflowNotFoundError') throw error;
        });
    }
  });
  const untilMs = Date.now() + DROPPED_WITHIN_MS;
  while (Date.now() < untilMs) {
    const answer = await retryUntilAnswered(() => client.workflow.getHandle(workflowId).describe());
    if (answer === 'WorkflowNotFoundError') return true;
    await sleep(CHECK_EVERY_MS);
  }
  return false;
}

/**
 * Checks invariant (q). Starts the key of a dropped session again. The same request must get the recorded result, and another request must
 * be a conflict.
 */
export async function startDropped(
  world: World,
  { input, lane, ending, wasReset }: EndedSession,
  isSame: boolean,
): Promise<readonly Violation[]> {
  const { key, request } = input;
  const creates = () =>
    lane.front.exchanges.filter(({ call, session }) => call === 'create' && session === key).length;
  const before = creates();
  let result: unknown;
  const again = isSame ? input : { ...input, request: { ...request, amount: 26 } };
  const started = await retryUntilAnswered(() => world.sessions.start(again), PATIENCE_MS);
  const error =
    started ??
    (await retryUntilAnswered(async () => {
      result = await world.sessions.get(key).result();
    }, PATIENCE_MS));
  return checkDropped(
    { key, ending, wasReset },
    { isSame, error, ...(error === undefined && { result }), creates: creates() - before },
  );
}
