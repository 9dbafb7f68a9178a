import { temporal } from '@temporalio/proto';
import type { SessionEvidence, Violation } from './evidence';

const { WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND: OVERTAKEN } =
  temporal.api.enums.v1.WorkflowTaskFailedCause;

/** An expected reason: a worker without an encryption key fails the tasks that need the key, and another worker takes these tasks. */
const EXPECTED = /ENCRYPTION_KEY_MISSING/;

/**
 * Invariant (i): no workflow task fails twice for one reason. Two reasons are excluded: a missing encryption key, and an event that arrived
 * while the task was ending.
 */
export function checkTasks({ key: where, histories }: SessionEvidence): Violation[] {
  return histories.flatMap(({ events }) => {
    const reasons = (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
      failed == null || failed.cause === OVERTAKEN
        ? []
        : [`${String(failed.cause)} ${failed.failure?.message ?? ''}`],
    );
    const own = reasons.filter((reason) => !EXPECTED.test(reason));
    const twice = own.filter((reason, index) => own.indexOf(reason) !== index);
    return [...new Set(twice)].map((reason): Violation => ({
      invariant: 'i',
      where,
      what: `a workflow task failed again: ${reason}`,
    }));
  });
}
