import { DefaultFailureConverter, defaultPayloadConverter, TimeoutFailure } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { SinkCall } from '@temporalio/workflow';
import type { PaymentSessionInput } from '../../../../src';
import { WORKFLOW_ID_PREFIX } from '../../../../src/protocol/names';
import type { SessionResult } from '../../../../src/protocol/state/session';
import type { Clock } from './clock';
import { NEW_STATE, Run, type RunEnd, type RunState, type RunStart, type ScheduledActivity } from './run';
import { toTimestamp, type Command, type Job, type WorkflowCode } from './workflow-code';

type Failure = temporal.api.failure.v1.IFailure;

/** A copy of the whole state of a namespace. */
export interface TemporalBackup {
  readonly runs: readonly Run[];
  readonly claims: ReadonlyMap<string, string>;
}

export const EMPTY_BACKUP: TemporalBackup = { runs: [], claims: new Map() };

/** Everything that a namespace needs from its environment. */
export interface NamespaceParts {
  readonly name: string;
  readonly code: WorkflowCode;
  readonly clock: Clock;
  /** Returns an id that no other run has. */
  readonly newId: () => string;
  /** Makes the calls to the ledger of a workflow task. A worker makes them before the server receives the task’s result. */
  readonly sink: (run: Run, calls: readonly SinkCall[]) => Promise<void>;
  /** Receives a run that has ended. */
  readonly ended: (run: Run) => void;
}

const converter = new DefaultFailureConverter();
/** Temporal’s number for the cancellation type “the workflow waits for the activity’s end”. */
const WAIT_CANCELLATION_COMPLETED = 1;

/** Thrown if the server does not know an attempt of an activity. */
export class UnknownAttempt extends Error {
  override readonly name = 'ActivityNotFoundError';
}

/** Thrown at a heartbeat if the workflow has cancelled the activity. */
class CancelledAttempt extends Error {
  override readonly name = 'ActivityCancelledError';
}

/** Identifies an attempt of an activity. */
export interface AttemptPlace {
  readonly runId: string;
  readonly seq: number;
  readonly attempt: number;
}

/**
 * A namespace of a simulated Temporal server. It starts workflows, keeps their histories and dispatches activities. The workflows run
 * the product’s own code. A step is one workflow task. Tests can make the server drop runs, restore backups and lose steps.
 */
export class SimulatedTemporal {
  #runs: Run[] = [];
  /** The keys that have claimed sessions of the payment service, by session id. No other key may adopt such a session. */
  readonly claims = new Map<string, string>();
  /** True if the next step is lost with its worker, after the step’s calls to the ledger. The step is then repeated. */
  losesNextStep = false;
  readonly #parts: NamespaceParts;

  constructor(parts: NamespaceParts) {
    this.#parts = parts;
  }

  get name(): string {
    return this.#parts.name;
  }

  /** All runs, oldest first. */
  get runs(): readonly Run[] {
    return this.#runs;
  }

  /** Returns the newest run of a key, or its run with this id. */
  find(key: string, runId?: string): Run | undefined {
    return this.#runs.findLast(
      ({ start }) => start.key === key && (runId === undefined || start.runId === runId),
    );
  }

  async start(
    input: PaymentSessionInput,
    { memo, requestId }: Pick<RunStart, 'memo' | 'requestId'>,
  ): Promise<Run> {
    const runId = this.#parts.newId();
    const { key } = input;
    const startedAtMs = this.#parts.clock.pass(1);
    const run = new Run({
      key,
      workflowId: `${WORKFLOW_ID_PREFIX}${key}`,
      runId,
      firstRunId: runId,
      originalRunId: runId,
      namespace: this.name,
      startedAtMs,
      seed: seedOf(runId),
      input,
      memo,
      requestId,
      resetFrom: [],
    });
    this.#runs.push(run);
    await this.#step(run, [initialJob(run)]);
    return run;
  }

  async cancel(run: Run, by?: { readonly by: string; readonly reason: string }): Promise<void> {
    const input = by === undefined ? [] : [defaultPayloadConverter.toPayload(by)];
    await this.#step(run, [
      { signalWorkflow: { signalName: 'cancel', input, identity: 'caller', headers: {} } },
    ]);
  }

  /** Sends an update. Returns false if it was refused. */
  async update(run: Run, name: string, argument: unknown): Promise<boolean> {
    const id = this.#parts.newId();
    const input = [defaultPayloadConverter.toPayload(argument)];
    const meta = { updateId: id, identity: 'caller' };
    const commands = await this.#step(run, [
      { doUpdate: { id, protocolInstanceId: id, name, input, headers: {}, meta, runValidator: true } },
    ]);
    return !commands.some(({ updateResponse }) => updateResponse?.rejected != null);
  }

  /** Dispatches an activity to a worker. */
  take(run: Run, seq: number): ScheduledActivity {
    return this.#change(run, seq, { isStarted: true });
  }

  heartbeat(place: AttemptPlace, details: unknown): void {
    const { run, activity } = this.#attempt(place);
    if (details !== undefined) this.#change(run, activity.seq, { details });
    if (activity.isCancelRequested) throw new CancelledAttempt('the activity is cancelled');
  }

  async complete(place: AttemptPlace, result: unknown): Promise<void> {
    const { run, activity } = this.#attempt(place);
    const payload = defaultPayloadConverter.toPayload(result);
    await this.#resolve(run, activity, { completed: { result: payload } });
  }

  /** Fails an attempt. Another attempt follows if the failure and the number of attempts allow it. */
  async fail(place: AttemptPlace, error: unknown): Promise<void> {
    const { run, activity } = this.#attempt(place);
    const cause = converter.errorToFailure(error, defaultPayloadConverter);
    const isFinal = cause.applicationFailureInfo?.nonRetryable === true;
    const hasMore = activity.maximumAttempts === 0 || activity.attempt < activity.maximumAttempts;
    if (activity.isCancelRequested || isFinal || !hasMore)
      await this.#resolve(run, activity, { failed: { failure: failureOf(activity, cause) } });
    else this.#repeat(run, activity);
  }

  /** Times out an attempt, as if its worker were lost. */
  async timeOut({ runId, seq, attempt }: AttemptPlace): Promise<void> {
    const { run, activity } = this.#attempt({ runId, seq, attempt });
    const hasMore = activity.maximumAttempts === 0 || activity.attempt < activity.maximumAttempts;
    if (hasMore) this.#repeat(run, activity);
    else {
      const error = new TimeoutFailure('activity Heartbeat timeout', activity.details, 'HEARTBEAT');
      const cause = converter.errorToFailure(error, defaultPayloadConverter);
      await this.#resolve(run, activity, { failed: { failure: failureOf(activity, cause) } });
    }
  }

  /** Fires the run's timers that are due. */
  async fire(run: Run, atMs: number): Promise<void> {
    for (;;) {
      const due = [...run.state.timers].filter(([, firesAtMs]) => firesAtMs <= atMs);
      const [first] = due.toSorted(([, one], [, other]) => one - other);
      if (first === undefined || !run.isRunning) return;
      const [seq] = first;
      run.state = { ...run.state, timers: without(run.state.timers, (one) => one === seq) };
      await this.#step(run, [{ fireTimer: { seq } }]);
    }
  }

  /** Times out the run's activities that no worker has taken in time. */
  async expire(run: Run, atMs: number): Promise<void> {
    for (const activity of run.state.activities.values()) {
      const { seq, isStarted, startsByMs = Infinity, endsByMs = Infinity } = activity;
      if (
        isStarted ||
        Math.min(startsByMs, endsByMs) > atMs ||
        !run.isRunning ||
        !run.state.activities.has(seq)
      )
        continue;
      const kind = startsByMs < endsByMs ? 'SCHEDULE_TO_START' : 'SCHEDULE_TO_CLOSE';
      const cause = converter.errorToFailure(
        new TimeoutFailure(kind, undefined, kind),
        defaultPayloadConverter,
      );
      await this.#resolve(run, activity, { failed: { failure: failureOf(activity, cause) } });
    }
  }

  async terminate(run: Run): Promise<void> {
    if (run.isRunning) await this.#close(run, { status: 'TERMINATED', atMs: this.#parts.clock.pass(1) });
  }

  /**
   * Resets a run to a step: ends the workflow’s current run, and begins a new run that repeats the step. The new run receives all
   * later signals again.
   */
  async reset(base: Run, step: number): Promise<Run> {
    const current = this.find(base.start.key);
    if (current !== undefined) await this.terminate(current);
    const runId = this.#parts.newId();
    const { steps, start } = base;
    const run = new Run({ ...start, runId, resetFrom: [...start.resetFrom, start.runId] });
    const jobs = steps[step]?.jobs ?? [];
    run.steps = steps.slice(0, step);
    run.state = withoutDone(handedOutAgain(run.steps.at(-1)?.after ?? NEW_STATE), jobs);
    this.#runs.push(run);
    const later = steps
      .slice(step + 1)
      .flatMap((one) => one.jobs.filter(({ signalWorkflow }) => signalWorkflow != null));
    // The job that begins a workflow must be the first one of its step.
    const [first, ...rest] = jobs;
    const inOrder =
      first?.initializeWorkflow == null ? [newSeed(runId), ...jobs] : [first, newSeed(runId), ...rest];
    await this.#step(run, [...inOrder, ...later]);
    return run;
  }

  /** Drops a run, as Temporal does after the retention time. */
  async forget(run: Run): Promise<void> {
    await run.evict();
    this.#runs = this.#runs.filter((one) => one !== run);
  }

  backup(): TemporalBackup {
    return { runs: this.#runs.map((run) => run.copy()), claims: new Map(this.claims) };
  }

  async restore({ runs, claims }: TemporalBackup): Promise<void> {
    for (const run of this.#runs) await run.evict();
    this.#runs = runs.map((run) => run.copy());
    this.claims.clear();
    for (const [sessionId, key] of claims) this.claims.set(sessionId, key);
  }

  /** Queries a run. For an ended run, a worker replays the history first. */
  async query(run: Run, queryType: string): Promise<unknown> {
    const code = await this.#codeOf(run);
    const command = await code.query({ queryId: 'query', queryType, arguments: [], headers: {} });
    if (!run.isRunning) await run.evict();
    const answer = command?.respondToQuery?.succeeded?.response;
    if (answer == null) throw new Error(`the query failed: ${JSON.stringify(command)}`);
    return defaultPayloadConverter.fromPayload(answer);
  }

  #attempt({ runId, seq, attempt }: AttemptPlace): {
    readonly run: Run;
    readonly activity: ScheduledActivity;
  } {
    const run = this.#runs.find(({ start }) => start.runId === runId);
    const activity = run?.state.activities.get(seq);
    if (run?.isRunning !== true || activity?.attempt !== attempt || !activity.isStarted)
      throw new UnknownAttempt('the server does not know the attempt');
    return { run, activity };
  }

  #change(run: Run, seq: number, changed: Partial<ScheduledActivity>): ScheduledActivity {
    const activity = run.state.activities.get(seq);
    if (activity === undefined) throw new Error('there is no such activity');
    const after = { ...activity, ...changed };
    run.state = { ...run.state, activities: new Map(run.state.activities).set(seq, after) };
    return after;
  }

  #repeat(run: Run, { seq, attempt }: ScheduledActivity): void {
    this.#change(run, seq, { attempt: attempt + 1, isStarted: false });
  }

  async #resolve(
    run: Run,
    { seq }: ScheduledActivity,
    result: NonNullable<NonNullable<Job['resolveActivity']>['result']>,
  ): Promise<void> {
    run.state = { ...run.state, activities: without(run.state.activities, (one) => one === seq) };
    await this.#step(run, [{ resolveActivity: { seq, result } }]);
  }

  /** Lets a worker run one step of a workflow run, and carries out the step’s commands. */
  async #step(run: Run, jobs: readonly Job[]): Promise<readonly Command[]> {
    const before = run.state;
    let commands = await this.#work(run, jobs);
    if (this.losesNextStep) {
      this.losesNextStep = false;
      await run.evict();
      run.state = before;
      commands = await this.#work(run, jobs);
    }
    const refused = new Set(
      commands.flatMap(({ updateResponse }) =>
        updateResponse?.rejected == null ? [] : [updateResponse.protocolInstanceId],
      ),
    );
    // The history does not contain refused updates.
    const kept = jobs.filter(({ doUpdate }) => doUpdate == null || !refused.has(doUpdate.protocolInstanceId));
    const { state, end, cancelled } = this.#applied(run, commands);
    run.state = state;
    if (kept.length > 0) {
      const replayed = kept.map((job) =>
        job.doUpdate == null ? job : { doUpdate: { ...job.doUpdate, runValidator: false } },
      );
      run.steps = [...run.steps, { atMs: run.lastStepAtMs, jobs: replayed, after: state }];
    }
    if (end !== undefined) await this.#close(run, end);
    for (const activity of cancelled) {
      if (!run.isRunning) break;
      await this.#resolve(run, activity, {
        cancelled: { failure: failureOf(activity, { message: 'cancelled', canceledFailureInfo: {} }) },
      });
    }
    return commands;
  }

  async #work(run: Run, jobs: readonly Job[]): Promise<readonly Command[]> {
    const code = await this.#codeOf(run);
    const atMs = this.#parts.clock.pass(1);
    run.lastStepAtMs = atMs;
    const { commands, sinkCalls } = await code.step(jobs, { atMs, isReplaying: false });
    await this.#parts.sink(run, sinkCalls);
    return commands;
  }

  /** Returns the run's code in a worker's memory. Replays the run if no worker has it. */
  async #codeOf(run: Run): Promise<NonNullable<Run['code']>> {
    if (run.code !== undefined) return run.code;
    const code = await this.#parts.code.begin(run.start);
    run.code = code;
    for (const { jobs, atMs } of run.steps) await code.step(jobs, { atMs, isReplaying: true });
    return code;
  }

  #applied(
    run: Run,
    commands: readonly Command[],
  ): {
    readonly state: RunState;
    readonly end: RunEnd | undefined;
    readonly cancelled: readonly ScheduledActivity[];
  } {
    const atMs = run.lastStepAtMs;
    const activities = new Map(run.state.activities);
    const timers = new Map(run.state.timers);
    let { creates, shown } = run.state;
    const cancelled: ScheduledActivity[] = [];
    let end: RunEnd | undefined;
    for (const command of commands) {
      const { scheduleActivity, requestCancelActivity, startTimer, cancelTimer } = command;
      if (scheduleActivity != null) {
        const activity = toActivity(scheduleActivity, atMs);
        activities.set(activity.seq, activity);
        if (activity.type === 'createSession') creates = [...creates, activity.activityId];
      } else if (requestCancelActivity != null) {
        const activity = activities.get(Number(requestCancelActivity.seq));
        if (activity === undefined) continue;
        if (activity.awaitsCancelled && activity.isStarted)
          activities.set(activity.seq, { ...activity, isCancelRequested: true });
        else cancelled.push(activity);
      } else if (startTimer != null)
        timers.set(Number(startTimer.seq), atMs + toMs(startTimer.startToFireTimeout));
      else if (cancelTimer != null) timers.delete(Number(cancelTimer.seq));
      else if (command.upsertWorkflowSearchAttributes != null)
        shown = { ...shown, ...shownBy(command.upsertWorkflowSearchAttributes) };
      else if (command.completeWorkflowExecution != null)
        end = { status: 'COMPLETED', atMs, result: resultOf(command.completeWorkflowExecution) };
      else if (command.failWorkflowExecution != null)
        end = { status: 'FAILED', atMs, failure: command.failWorkflowExecution.failure ?? {} };
      else if (!isWithoutEffect(command))
        throw new Error(`the model does not know ${Object.keys(command).join(', ')}`);
    }
    return { state: { activities, timers, creates, shown }, end, cancelled };
  }

  async #close(run: Run, end: RunEnd): Promise<void> {
    run.end = end;
    await run.evict();
    this.#parts.ended(run);
  }
}

const isWithoutEffect = ({ updateResponse, modifyWorkflowProperties }: Command): boolean =>
  updateResponse != null || modifyWorkflowProperties != null;

/** Returns the seed from which the SDK's sandbox derives a run's random numbers. */
const seedOf = (runId: string): number =>
  Array.from(runId).reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0, 7);

/** Returns the job with which a reset run gets its own random seed. The SDK’s type expects a 64-bit number. */
const newSeed = (runId: string): Job =>
  ({ updateRandomSeed: { randomnessSeed: seedOf(runId) } }) as unknown as Job;

function initialJob({ start }: Run): Job {
  const { input, workflowId, firstRunId, startedAtMs, seed } = start;
  return {
    initializeWorkflow: {
      workflowId,
      workflowType: 'paymentSession',
      arguments: [defaultPayloadConverter.toPayload(input)],
      randomnessSeed: seed,
      firstExecutionRunId: firstRunId,
      attempt: 1,
      startTime: toTimestamp(startedAtMs),
    } as unknown as NonNullable<Job['initializeWorkflow']>,
  };
}

/** Returns the state after a reset, in which all pending activities wait for a worker again. */
const handedOutAgain = (state: RunState): RunState => ({
  ...state,
  activities: new Map(
    [...state.activities].map(([seq, { details: _lost, ...activity }]) => [
      seq,
      { ...activity, attempt: 1, isStarted: false },
    ]),
  ),
});

/** Returns the state without the activities and timers that have ended according to the jobs. */
function withoutDone({ activities, timers, ...state }: RunState, jobs: readonly Job[]): RunState {
  const isDone = (seq: number) =>
    jobs.some(({ resolveActivity, fireTimer }) => resolveActivity?.seq === seq || fireTimer?.seq === seq);
  return { ...state, activities: without(activities, isDone), timers: without(timers, isDone) };
}

const without = <T>(map: ReadonlyMap<number, T>, isGone: (seq: number) => boolean): ReadonlyMap<number, T> =>
  new Map([...map].filter(([seq]) => !isGone(seq)));

function toActivity(
  command: NonNullable<Command['scheduleActivity']>,
  scheduledAtMs: number,
): ScheduledActivity {
  const [payload] = command.arguments ?? [];
  return {
    seq: Number(command.seq),
    activityId: String(command.activityId),
    type: String(command.activityType),
    input: payload && defaultPayloadConverter.fromPayload(payload),
    scheduledAtMs,
    maximumAttempts: command.retryPolicy?.maximumAttempts ?? 0,
    ...within('startsByMs', command.scheduleToStartTimeout, scheduledAtMs),
    ...within('endsByMs', command.scheduleToCloseTimeout, scheduledAtMs),
    awaitsCancelled: Number(command.cancellationType) === WAIT_CANCELLATION_COMPLETED,
    attempt: 1,
    isStarted: false,
  };
}

const within = (name: 'startsByMs' | 'endsByMs', timeout: Parameters<typeof toMs>[0], sinceMs: number) =>
  timeout == null ? {} : { [name]: sinceMs + toMs(timeout) };

const failureOf = ({ activityId, type }: ScheduledActivity, cause: Failure): Failure => ({
  message: 'Activity task failed',
  source: 'TypeScriptSDK',
  activityFailureInfo: { activityId, activityType: { name: type }, identity: 'model' },
  cause,
});

/** Returns a protobuf duration in milliseconds. The duration comes from another thread, so it has lost its methods. */
function toMs(
  duration: { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined,
): number {
  const seconds = duration?.seconds;
  const whole =
    typeof seconds === 'object' && seconds !== null && 'low' in seconds
      ? Number(seconds.low)
      : Number(seconds ?? 0);
  return whole * 1_000 + Math.round((duration?.nanos ?? 0) / 1_000_000);
}

function shownBy(
  command: NonNullable<Command['upsertWorkflowSearchAttributes']>,
): Readonly<Record<string, string>> {
  const fields = Object.entries(command.searchAttributes?.indexedFields ?? {});
  return Object.fromEntries(
    fields.map(([name, payload]) => [
      name,
      Buffer.from(payload.data ?? [])
        .toString()
        .replaceAll('"', ''),
    ]),
  );
}

function resultOf({ result }: NonNullable<Command['completeWorkflowExecution']>): SessionResult {
  if (result == null) throw new Error('the workflow ended without a result');
  return defaultPayloadConverter.fromPayload<SessionResult>(result);
}
