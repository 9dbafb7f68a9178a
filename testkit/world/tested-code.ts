import type { Client } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompleteAsyncError, type Info } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure, ensureApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { PaysessionError, withRemedy } from '../../src/errors';
import { tasksOf, type StatusOf } from './virtual-time';
import { WORKFLOW_ID_PREFIX } from '../../src/protocol/names';

/** A failure in the code under test. The code under test is your own workflows and activities. Temporal would retry the failure for ever. */
export interface TestedFailure {
  readonly workflowId: string;
  /** Description of the failure: `The activity "ship" of the workflow "order-1" failed at attempt 3`. */
  readonly what: string;
  /** The error that was thrown. */
  readonly cause: unknown;
}

interface Waiting {
  readonly workflowId: string | undefined;
  readonly fail: (error: PaysessionError) => void;
}

const CHECK_EVERY_MS = 200;

/** Retries that end within this virtual time, in milliseconds, are not reported. Skipped time passes fast, so the test sees their end soon. */
const SOON_OVER_MS = 24 * 60 * 60_000;

/**
 * Makes a test fail if its own code fails again and again. Temporal silently retries such code for ever. In production that is right, because
 * corrected code can be deployed meanwhile. But a test would wait until its timeout, and not show the error. So this class watches for such
 * failures, and makes the test's waiting calls fail.
 */
export class TestedCode {
  readonly #client: Client;
  readonly #activityAttempts: number;
  readonly #findFailingTask: () => Promise<TestedFailure | undefined>;
  readonly #waiting = new Set<Waiting>();
  /** The failures of activities that got stuck while no call waited, by activity. The next call fails with them. */
  readonly #unreported = new Map<string, TestedFailure>();
  /** The activities whose failure has already made a call fail. */
  readonly #reported = new Set<string>();
  #workers: readonly StatusOf[] = [];
  #isChecking = false;

  /** @param activityAttempts the number of failures in a row after which an activity counts as stuck */
  constructor(client: Client, activityAttempts: number) {
    this.#client = client;
    this.#activityAttempts = activityAttempts;
    this.#findFailingTask = failingTasks(client);
  }

  /** Sets the world's workers. While these workers have other tasks, a failing activity gets twice as many attempts. */
  watch(workers: readonly StatusOf[]): void {
    this.#workers = workers;
  }

  /**
   * Runs work that waits for the code under test. If that code gets stuck, throws `PaysessionError` `TESTED_CODE_FAILED`, and aborts the
   * signal so that the work ends.
   *
   * The first time that an activity counts as stuck, all waiting calls fail. If the activity fails again, only the calls that wait for the
   * activity's own workflow fail. So other tests can continue in the same world.
   */
  async unlessItFails<T>(work: (over: AbortSignal) => Promise<T>, workflowId?: string): Promise<T> {
    const over = new AbortController();
    const failed = new Promise<never>((_, fail) => {
      const waiting: Waiting = { workflowId, fail };
      this.#waiting.add(waiting);
      over.signal.addEventListener('abort', () => this.#waiting.delete(waiting));
      this.#failNewcomer(waiting);
    });
    void this.#checkWhileCallsWait();
    try {
      return await Promise.race([failed, work(over.signal)]);
    } finally {
      over.abort();
    }
  }

  /** Returns the interceptor that watches the attempts at an activity. */
  failureInterceptor(info: Info): ActivityInboundCallsInterceptor {
    const id = `${info.workflowExecution?.runId ?? ''}/${info.activityId}`;
    return {
      execute: async (input, next) => {
        try {
          const result = await next(input);
          this.#unreported.delete(id);
          this.#reported.delete(id);
          return result;
        } catch (error) {
          if (await this.#isStuck(info, error)) this.#report(id, failureOf(info, error));
          throw error;
        }
      },
    };
  }

  async #isStuck(info: Info, error: unknown): Promise<boolean> {
    if (error instanceof UnregisteredActivity) return true;
    if (!isTriedAgain(info, error) || info.attempt < this.#activityAttempts) return false;
    // The activity may depend on other tasks of the workers. While there are some, it gets more attempts.
    const others = tasksOf(this.#workers) - 1;
    if (others > 0 && info.attempt < 2 * this.#activityAttempts) return false;
    // If the workflow cannot be read, it has ended, and no test waits for its activity.
    return !(await isLimited(this.#client, info, error).catch(() => true));
  }

  #report(id: string, failure: TestedFailure): void {
    const isNew = !this.#reported.has(id);
    const failing = [...this.#waiting].filter(({ workflowId }) => isNew || workflowId === failure.workflowId);
    for (const { fail } of failing) fail(errorOf(failure));
    if (failing.length > 0) this.#reported.add(id);
    else if (isNew) this.#unreported.set(id, failure);
  }

  #failNewcomer({ fail }: Waiting): void {
    for (const [id, failure] of this.#unreported) {
      fail(errorOf(failure));
      this.#reported.add(id);
    }
    this.#unreported.clear();
  }

  /**
   * Checks for failing workflow tasks while a call waits. If a workflow task fails each time that a worker takes it, makes all waiting calls
   * fail: time does not skip while there is such a task, so no call could end.
   */
  async #checkWhileCallsWait(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    while (this.#waiting.size > 0) {
      await sleep(CHECK_EVERY_MS);
      // If the server does not answer, the check does nothing. The waiting call then fails with an error of its own.
      const checked = this.#waiting.size > 0 ? this.#findFailingTask().catch(() => undefined) : undefined;
      const failure = await checked;
      if (failure !== undefined) for (const { fail } of this.#waiting) fail(errorOf(failure));
    }
    this.#isChecking = false;
  }
}

/** Runs if a workflow calls an activity that is not registered. Throws an error that lists the registered activities. */
export function unregistered(name: string, registered: readonly string[]): never {
  throw new UnregisteredActivity(
    `Activity function ${name} is not registered; those of the world’s \`activities\` are: ${registered.join(', ') || 'none'}`,
  );
}

class UnregisteredActivity extends Error {
  override readonly name = 'UnregisteredActivity';
}

/** True if Temporal retries the activity, and no deadline and no `nextRetryDelay` limits the retries. */
function isTriedAgain({ scheduleToCloseTimeoutMs }: Info, error: unknown): boolean {
  if (error instanceof CompleteAsyncError || error instanceof CancelledFailure) return false;
  const isDecided =
    error instanceof ApplicationFailure && (error.nonRetryable || error.nextRetryDelay !== undefined);
  return !isDecided && scheduleToCloseTimeoutMs > SOON_OVER_MS;
}

function failureOf({ activityType, workflowExecution, attempt }: Info, cause: unknown): TestedFailure {
  const workflowId = workflowExecution?.workflowId ?? '';
  const what = `The activity "${activityType}" of the workflow "${workflowId}" failed at attempt ${attempt}`;
  return { workflowId, what, cause };
}

/** Returns the error with which waiting calls fail. Its stack is the stack of the original error, which leads to the line to correct. */
function errorOf({ what, cause }: TestedFailure): PaysessionError {
  const { stack = '', message } = cause instanceof Error ? cause : new Error(String(cause));
  const lines = stack.split('\n');
  const frames = lines.filter((line) => /^\s+at /.test(line));
  // The failure of a workflow names the class of its error only in the first line of the stack.
  const thrown = lines.find((line) => line.includes(message.split('\n', 1)[0] ?? '') && /^\w/.test(line));
  const text = `${what}. ${thrown?.trimEnd() ?? message}\n`;
  const error = new PaysessionError('TESTED_CODE_FAILED', withRemedy('TESTED_CODE_FAILED', text), { cause });
  error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return error;
}

type Execution = temporal.api.common.v1.IWorkflowExecution;
type FailedTask = temporal.api.history.v1.IWorkflowTaskFailedEventAttributes;

const { EventType, WorkflowTaskFailedCause: Cause } = temporal.api.enums.v1;

/** The causes for which the server fails a workflow task in normal operation. The next task then succeeds. */
const IN_ORDER: ReadonlySet<unknown> = new Set([
  Cause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND,
]);

/** The maximum number of workflows to check at a time. */
const MOST_AT_A_TIME = 25;

/**
 * Returns a function that checks the open workflows of the code under test for one whose workflow task fails each time. The function reports
 * a workflow only if its last task had failed in two checks. A task that failed only once, because the machine was slow, has succeeded by the
 * second check. If there are more than {@link MOST_AT_A_TIME} workflows, each call checks the next ones.
 */
function failingTasks(client: Client): () => Promise<TestedFailure | undefined> {
  const suspects = new Set<string>();
  let next = 0;
  return async () => {
    const open = await openWorkflows(client);
    if (next >= open.length) next = 0;
    const checked = open.slice(next, next + MOST_AT_A_TIME);
    next += checked.length;
    for (const execution of checked) {
      const failed = await failedTask(client, execution);
      const run = execution.runId ?? '';
      if (failed === undefined) suspects.delete(run);
      else if (suspects.has(run)) return await taskFailureOf(client, execution, failed);
      else suspects.add(run);
    }
    return undefined;
  };
}

/**
 * True if the workflow has limited the attempts of the activity (`maximumAttempts`), or has excluded the error's type from retries. The test
 * server does not send the retry policy to the worker, so this function reads it from the workflow's history.
 */
async function isLimited(
  { workflowService, options: { namespace } }: Client,
  { activityId, workflowExecution: execution }: Info,
  error: unknown,
): Promise<boolean> {
  if (execution === undefined) return false;
  const { history } = await workflowService.getWorkflowExecutionHistory({ namespace, execution });
  const scheduled = history?.events?.find(
    ({ activityTaskScheduledEventAttributes: event }) => event?.activityId === activityId,
  );
  const { maximumAttempts, nonRetryableErrorTypes } = {
    ...scheduled?.activityTaskScheduledEventAttributes?.retryPolicy,
  };
  const { type } = ensureApplicationFailure(error);
  return (maximumAttempts ?? 0) > 0 || nonRetryableErrorTypes?.includes(type ?? '') === true;
}

async function openWorkflows({ workflowService, options: { namespace } }: Client): Promise<Execution[]> {
  const { executions } = await workflowService.listOpenWorkflowExecutions({ namespace, startTimeFilter: {} });
  return executions.flatMap(({ execution }) =>
    execution?.workflowId?.startsWith(WORKFLOW_ID_PREFIX) === false ? [execution] : [],
  );
}

/** Returns the failure of the workflow's last task. Returns `undefined` if that task succeeded. */
async function failedTask(
  { workflowService, options: { namespace } }: Client,
  execution: Execution,
): Promise<FailedTask | undefined> {
  const { history } = await workflowService.getWorkflowExecutionHistory({ namespace, execution });
  const last = history?.events?.findLast(
    ({ eventType }) =>
      eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED ||
      eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
  );
  const failed = last?.workflowTaskFailedEventAttributes ?? undefined;
  return failed === undefined || IN_ORDER.has(failed.cause) ? undefined : failed;
}

async function taskFailureOf(
  client: Client,
  { workflowId }: Execution,
  { failure }: FailedTask,
): Promise<TestedFailure> {
  const { loadedDataConverter } = client.options;
  const cause = await decodeOptionalFailureToOptionalError(loadedDataConverter, failure);
  return {
    workflowId: workflowId ?? '',
    what: `A task of the workflow "${workflowId ?? ''}" fails each time it is tried`,
    cause,
  };
}
