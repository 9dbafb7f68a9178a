import { temporal } from '@temporalio/proto';
import type { SessionEvidence, Violation } from './evidence';

const { WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND: OVERTAKEN } =
  temporal.api.enums.v1.WorkflowTaskFailedCause;

/** While a worker has no key, it fails the tasks that need one, and another takes them. */
const AWAITED = /ENCRYPTION_KEY_MISSING/;

/** (i) A workflow task that fails, for another reason than that something came while it ended, fails once. */
export function checkTasks({ key: where, histories }: SessionEvidence): Violation[] {
  return histories.flatMap(({ events }) => {
    const reasons = (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
      failed == null || failed.cause === OVERTAKEN
        ? []
        : [`${String(failed.cause)} ${failed.failure?.message ?? ''}`],
    );
    const own = reasons.filter((reason) => !AWAITED.test(reason));
    const twice = own.filter((reason, index) => own.indexOf(reason) !== index);
    return [...new Set(twice)].map((reason): Violation => ({
      invariant: 'i',
      where,
      what: `a workflow task failed again: ${reason}`,
    }));
  });
}
