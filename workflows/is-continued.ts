import { workflowInfo } from '@temporalio/workflow';

/** Whether this run was continued by an earlier one, which alone hands over a record. */
export function isContinued(): boolean {
  return workflowInfo().continuedFromExecutionRunId !== undefined;
}
