import type { SessionEvidence, Violation } from '../invariants/evidence';
import { checkReuse, isNeverCreated } from '../invariants/reuse';
import { retryUntilAnswered } from './retry-until';
import type { SessionRun } from './session-run';

/** Most ended keys cannot be used again. A start of about every third of them is tried. */
const TRIED_ONE_OF = 3;

/**
 * Starts the key of an ended session again and checks the answer. Does so for every session that was never created, and for a sample of the
 * others.
 */
export async function startAgain(run: SessionRun, evidence: SessionEvidence): Promise<Violation[]> {
  const isTried = isNeverCreated(evidence) || evidence.acts.length % TRIED_ONE_OF === 0;
  if (evidence.ending === undefined || !isTried) return [];
  const before = await runIdOf(run);
  const error = await retryUntilAnswered(() => run.world.sessions.start(run.input), run.world.patienceMs);
  const isBegun = (await runIdOf(run)) !== before;
  if (isBegun) await endAgain(run);
  return checkReuse(evidence, { isBegun, ...(error !== undefined && { error }) });
}

async function runIdOf(run: SessionRun): Promise<string | undefined> {
  let runId: string | undefined;
  await retryUntilAnswered(async () => {
    ({ runId } = await run.world.client.workflow.getHandle(run.handle.workflowId).describe());
  });
  return runId;
}

/** Terminates the session that this second start has begun, because the plan does not contain it. */
async function endAgain(run: SessionRun): Promise<void> {
  await retryUntilAnswered(() =>
    run.world.client.workflow.getHandle(run.handle.workflowId).terminate('tried, in a campaign'),
  );
}
