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

/** A failure in the code under test that Temporal would retry without end. */
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

/** Retries that end within this time, in milliseconds, need no report: skipped time passes fast. */
const SOON_OVER_MS = 24 * 60 * 60_000;

/**
 * Watches for failures in the code under test, and fails the calls that wait for that code. Temporal retries silently and without end. In
 * production that is right, because corrected code can be deployed meanwhile.
 */
export class TestedCode {
  readonly #client: Client;
  readonly #activityAttempts: number;
  readonly #findFailingTask: () => Promise<TestedFailure | undefined>;
  readonly #waiting = new Set<Waiting>();
  /** Activities that failed while no call waited, by their ids. */
  readonly #unreported = new Map<string, TestedFailure>();
  /** Activities that have failed a call. */
  readonly #reported = new Set<string>();
  #workers: readonly StatusOf[] = [];
  #isChecking = false;

  /** @param activityAttempts the number of failures in a row after which an activity counts as stuck */
  constructor(client: Client, activityAttempts: number) {
    this.#client = client;
    this.#activityAttempts = activityAttempts;
    this.#findFailingTask = failingTasks(client);
  }

  /** From now on, a failing activity has twice as many attempts while these workers have other tasks. */
  watch(workers: readonly StatusOf[]): void {
    this.#workers = workers;
  }

  /**
   * Does work that waits for the code under test. As soon as that code cannot go on, throws `PaysessionError` `TESTED_CODE_FAILED` and
   * aborts the signal, so that the work ends. The first failure of an activity fails all waiting calls. A later one fails only the calls
   * that wait for the activity's own workflow: other tests may go on in the same world.
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
  hearing(info: Info): ActivityInboundCallsInterceptor {
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
    // The activity may wait for the workers' other tasks, but not for ever.
    const others = tasksOf(this.#workers) - 1;
    if (others > 0 && info.attempt < 2 * this.#activityAttempts) return false;
    // A workflow that cannot be read has ended: no test waits for its activity.
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

  /** Fails all waiting calls while a workflow task fails each time: until that task is gone, time does not skip for any call. */
  async #checkWhileCallsWait(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    while (this.#waiting.size > 0) {
      await sleep(CHECK_EVERY_MS);
      // If the server cannot be asked, the waiting call has an error of its own.
      const checked = this.#waiting.size > 0 ? this.#findFailingTask().catch(() => undefined) : undefined;
      const failure = await checked;
      if (failure !== undefined) for (const { fail } of this.#waiting) fail(errorOf(failure));
    }
    this.#isChecking = false;
  }
}

/** Runs in place of an activity that is not registered: throws an error that lists the registered ones. */
export function unregistered(name: string, registered: readonly string[]): never {
  throw new UnregisteredActivity(
    `Activity function ${name} is not registered; those of the world’s \`activities\` are: ${registered.join(', ') || 'none'}`,
  );
}

class UnregisteredActivity extends Error {
  override readonly name = 'UnregisteredActivity';
}

/** True if Temporal retries the activity by its own rules, without a deadline soon. */
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

/** Returns the error for waiting calls. It has the stack of the thrown error, which leads to the line to correct. */
function errorOf({ what, cause }: TestedFailure): PaysessionError {
  const { stack = '', message } = cause instanceof Error ? cause : new Error(String(cause));
  const lines = stack.split('\n');
  const frames = lines.filter((line) => /^\s+at /.test(line));
  // A workflow's failure has the class of its error only in its stack.
  const thrown = lines.find((line) => line.includes(message.split('\n', 1)[0] ?? '') && /^\w/.test(line));
  const said = `${what}. ${thrown?.trimEnd() ?? message}\n`;
  const error = new PaysessionError('TESTED_CODE_FAILED', withRemedy('TESTED_CODE_FAILED', said), { cause });
  error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return error;
}

type Execution = temporal.api.common.v1.IWorkflowExecution;
type FailedTask = temporal.api.history.v1.IWorkflowTaskFailedEventAttributes;

const { EventType, WorkflowTaskFailedCause: Cause } = temporal.api.enums.v1;

/** The reasons for which the server refuses a task in normal operation: the next task succeeds. */
const IN_ORDER: ReadonlySet<unknown> = new Set([
  Cause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND,
]);

/** The maximum number of workflows in one check. */
const MOST_AT_A_TIME = 25;

/**
 * Returns a function that searches the open workflows, other than payment sessions, for one whose task fails each time. Such a task has
 * failed in two checks: a task that fails once, on a machine that hangs, has succeeded by the second check. If there are many workflows,
 * each check takes the next ones.
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
 * True if a workflow has limited the attempts of an activity, or has excluded the error's type from retries. The test server does
 * not report either to the worker.
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

/** Returns the failure of the workflow's last task, if it failed. */
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
