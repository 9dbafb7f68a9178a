import { temporal } from '@temporalio/proto';
import type { SessionEvidence, Violation } from './evidence';

const { WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND: OVERTAKEN } =
  temporal.api.enums.v1.WorkflowTaskFailedCause;

/** A worker without a key fails the tasks that need it, and another one takes them. */
const AWAITED = /ENCRYPTION_KEY_MISSING/;

/** (i) A workflow task fails at most once, except because an event came while it ended. */
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
