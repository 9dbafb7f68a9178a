import { workflowInfo } from '@temporalio/workflow';

/** Whether this run continues an earlier one: only then is a record handed over. */
export function isContinued(): boolean {
  return workflowInfo().continuedFromExecutionRunId !== undefined;
}
