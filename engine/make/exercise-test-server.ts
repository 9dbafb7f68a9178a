import { randomUUID } from 'node:crypto';
import { Connection, type WorkflowService } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';

const { CommandType } = temporal.api.enums.v1;

const NAMESPACE = 'default';
const WORKFLOW_ID = 'exercise';
const TIMEOUT_MS = 20_000;

/** Runs a workflow with a signal, a timer and an activity, as a test would, so that the server loads its classes for them. */
export async function exerciseTestServer(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await connection.withDeadline(Date.now() + TIMEOUT_MS, () => runWorkflow(connection.workflowService));
  } finally {
    await connection.close();
  }
}

async function runWorkflow(service: WorkflowService): Promise<void> {
  const taskQueue = { name: WORKFLOW_ID };
  const where = { namespace: NAMESPACE, taskQueue };
  const workflowExecution = { workflowId: WORKFLOW_ID };
  const decide = async (...commands: temporal.api.command.v1.ICommand[]) => {
    const { taskToken } = await service.pollWorkflowTaskQueue(where);
    await service.respondWorkflowTaskCompleted({ namespace: NAMESPACE, taskToken, commands });
  };
  await service.startWorkflowExecution({
    ...where,
    workflowId: WORKFLOW_ID,
    workflowType: { name: WORKFLOW_ID },
    requestId: randomUUID(),
  });
  await service.signalWorkflowExecution({
    namespace: NAMESPACE,
    workflowExecution,
    signalName: WORKFLOW_ID,
    requestId: randomUUID(),
  });
  await decide({
    commandType: CommandType.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
    scheduleActivityTaskCommandAttributes: {
      activityId: '1',
      activityType: { name: WORKFLOW_ID },
      taskQueue,
      startToCloseTimeout: msToTs(TIMEOUT_MS),
    },
  });
  const { taskToken } = await service.pollActivityTaskQueue(where);
  await service.respondActivityTaskCompleted({ namespace: NAMESPACE, taskToken });
  await decide({
    commandType: CommandType.COMMAND_TYPE_START_TIMER,
    startTimerCommandAttributes: { timerId: '1', startToFireTimeout: msToTs('1h') },
  });
  await decide({
    commandType: CommandType.COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION,
    completeWorkflowExecutionCommandAttributes: {},
  });
  await service.describeWorkflowExecution({ namespace: NAMESPACE, execution: workflowExecution });
  await service.getWorkflowExecutionHistory({ namespace: NAMESPACE, execution: workflowExecution });
}
