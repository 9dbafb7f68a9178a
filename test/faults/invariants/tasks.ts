import { temporal } from '@temporalio/proto';
import type { SessionEvidence, Violation } from './evidence';

const { WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND: OVERTAKEN } =
  temporal.api.enums.v1.WorkflowTaskFailedCause;

/** (i) A workflow task that fails, for another reason than that something came while it ended, fails once. */
export function checkTasks({ reference: where, histories }: SessionEvidence): Violation[] {
  return histories.flatMap(({ events }) => {
    const reasons = (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
      failed == null || failed.cause === OVERTAKEN
        ? []
        : [`${String(failed.cause)} ${failed.failure?.message ?? ''}`],
    );
    const twice = reasons.filter((reason, index) => reasons.indexOf(reason) !== index);
    return [...new Set(twice)].map((reason): Violation => ({
      invariant: 'i',
      where,
      what: `a workflow task failed again: ${reason}`,
    }));
  });
}
