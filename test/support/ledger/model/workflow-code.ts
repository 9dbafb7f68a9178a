import { readFile } from 'node:fs/promises';
import { coresdk } from '@temporalio/proto';
import type { SinkCall } from '@temporalio/workflow';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker';
import { ThreadedVMWorkflowCreator } from '@temporalio/worker/lib/workflow/threaded-vm';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import type { Workflow, WorkflowCreator } from '@temporalio/worker/lib/workflow/interface';
import { WORKFLOW_TYPE } from '../../../../src/protocol/names';

/** One input of a workflow task, such as a signal or the result of an activity. */
export type Job = coresdk.workflow_activation.IWorkflowActivationJob;
/** A workflow’s request to the Temporal server, such as to schedule an activity. */
export type Command = coresdk.workflow_commands.IWorkflowCommand;

/** The result of a step, which is one workflow task. */
export interface Stepped {
  readonly commands: readonly Command[];
  readonly sinkCalls: readonly SinkCall[];
}

/** Identifies a run of a workflow. */
export interface RunInfo {
  readonly workflowId: string;
  readonly runId: string;
  readonly firstRunId: string;
  readonly originalRunId: string;
  readonly namespace: string;
  readonly startedAtMs: number;
  readonly seed: number;
}

/** The SDK reads activity names only for local activities. No session uses local activities. */
const NO_ACTIVITIES: Set<string> = new Set();
const STEP_WITHIN_MS = 60_000;

/** The product's workflow code. It runs in the SDK's own sandbox, as in a worker, but without a Temporal server. */
export class WorkflowCode {
  readonly #creator: WorkflowCreator;

  private constructor(creator: WorkflowCreator) {
    this.#creator = creator;
  }

  /** Loads a bundle from its text, to run it in this thread. The SDK then changes this thread’s promises and errors. */
  static async loadHere(text: string, path: string): Promise<WorkflowCode> {
    const bundle = parseWorkflowCode(text, path);
    return new WorkflowCode(await ReusableVMWorkflowCreator.create(bundle, STEP_WITHIN_MS, NO_ACTIVITIES));
  }

  /** Loads a bundle from its file, to run it in another thread. */
  static async load(path: string): Promise<WorkflowCode> {
    const creator = await ThreadedVMWorkflowCreator.create({
      threadPoolSize: 1,
      workflowBundle: parseWorkflowCode(await readFile(path, 'utf8'), path),
      isolateExecutionTimeoutMs: STEP_WITHIN_MS,
      reuseV8Context: true,
      registeredActivityNames: NO_ACTIVITIES,
      logger: SILENT,
    });
    return new WorkflowCode(creator);
  }

  /** Begins a run, or the replay of a run, with its own memory. */
  async begin(info: RunInfo): Promise<RunningCode> {
    return new RunningCode(info, await this.#creator.createWorkflow(optionsOf(info)));
  }

  async close(): Promise<void> {
    await this.#creator.destroy();
  }
}

const quiet = (): void => undefined;
const SILENT = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };

type Options = Parameters<ThreadedVMWorkflowCreator['createWorkflow']>[0];

function optionsOf({
  workflowId,
  runId,
  firstRunId,
  originalRunId,
  namespace,
  startedAtMs,
  seed,
}: RunInfo): Options {
  const info: Partial<Options['info']> = {
    workflowId,
    runId,
    workflowType: WORKFLOW_TYPE,
    taskQueue: 'model',
    namespace,
    firstExecutionRunId: firstRunId,
    originalExecutionRunId: originalRunId,
    startTime: new Date(startedAtMs),
    runStartTime: new Date(startedAtMs),
    taskTimeoutMs: 10_000,
    attempt: 1,
    historyLength: 0,
    historySize: 0,
    continueAsNewSuggested: false,
    unsafe: { isReplaying: false, isReplayingHistoryEvents: false } as Options['info']['unsafe'],
  };
  return {
    // The SDK sets the other fields at each step.
    info: info as Options['info'],
    randomnessSeed: Array.from({ length: 8 }, (_byte, index) => (seed >> (index * 4)) & 0xff),
    now: startedAtMs,
    showStackTraceSources: false,
  };
}

/** The code of one run in a worker's memory. */
export class RunningCode {
  readonly #info: RunInfo;
  readonly #workflow: Workflow;
  #steps = 0;

  constructor(info: RunInfo, workflow: Workflow) {
    this.#info = info;
    this.#workflow = workflow;
  }

  /** Runs a step with these jobs. Throws if the step fails. If the workflow itself fails, the step returns a command that says so. */
  async step(
    jobs: readonly Job[],
    { atMs, isReplaying }: { readonly atMs: number; readonly isReplaying: boolean },
  ): Promise<Stepped> {
    this.#steps += 1;
    const completion = await this.#workflow.activate(
      coresdk.workflow_activation.WorkflowActivation.fromObject({
        runId: this.#info.runId,
        timestamp: toTimestamp(atMs),
        isReplaying,
        historyLength: this.#steps * 3,
        historySizeBytes: this.#steps * 100,
        jobs,
      }),
    );
    const sinkCalls = await this.#workflow.getAndResetSinkCalls();
    if (completion.successful == null)
      throw new Error(`the workflow's step failed: ${JSON.stringify(completion.failed)}`);
    return { commands: completion.successful.commands ?? [], sinkCalls };
  }

  /** Queries the workflow, and returns the command with the answer. */
  async query(job: NonNullable<Job['queryWorkflow']>): Promise<Command | undefined> {
    const completion = await this.#workflow.activate(
      coresdk.workflow_activation.WorkflowActivation.fromObject({
        runId: this.#info.runId,
        jobs: [{ queryWorkflow: job }],
      }),
    );
    return completion.successful?.commands?.[0];
  }

  async forget(): Promise<void> {
    await this.#workflow.dispose();
  }
}

/** Returns a time in the form of the Temporal server's messages. */
export const toTimestamp = (atMs: number) => ({
  seconds: Math.floor(atMs / 1_000),
  nanos: (atMs % 1_000) * 1_000_000,
});
