import type { Info } from '@temporalio/activity';
import { explain, type ServiceFailure } from '../src/errors';

/** A first attempt's two times may be a clock's tick apart: Temporal's test server reads its clock for each of them. */
const TICK_MS = 100;

/** The part of the activity's information that tells of repetitions. */
type ExecutionInfo = Pick<
  Info,
  'attempt' | 'scheduledTimestampMs' | 'currentAttemptScheduledTimestampMs' | 'workflowExecution'
>;

/**
 * Whether an earlier execution of this activity may have reached the service. The engine never repeats a create by
 * itself, but an operator can reset one, or the workflow: then the engine hands it out once more, for another run.
 */
export function isRepeated(info: ExecutionInfo, askedByRunId: string | undefined): boolean {
  const { attempt, scheduledTimestampMs, currentAttemptScheduledTimestampMs, workflowExecution } = info;
  const isOfAnotherRun = askedByRunId !== undefined && askedByRunId !== workflowExecution?.runId;
  return isOfAnotherRun || attempt > 1 || currentAttemptScheduledTimestampMs - scheduledTimestampMs > TICK_MS;
}

export function repeatedCreate(): ServiceFailure {
  const code = 'SERVICE_INTERRUPTED';
  const happened = 'The create was run again from outside; its first run may have reached the service.';
  return { code, message: `${happened} ${explain(code)}` };
}
