import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  QueryNotRegisteredError,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateStage,
} from '@temporalio/client';
import { TerminatedFailure } from '@temporalio/common';
import { MESSAGES, updateIdOf, workflowIdOf, isShared } from '../../protocol/names';
import type { PreviewAdopt } from '../../protocol/adopt-preview';
import type { DecidedBy, ResolveCreate } from '../../protocol/decisions';
import { isPaysessionError } from '../../errors';
import { endedWith } from '../../protocol/state/ended';
import type { StateHistoryEntry } from '../../protocol/state/recorded';
import type {
  FailureDetails,
  PaymentSessionWorkflow,
  SessionResult,
  SessionState,
} from '../../protocol/state/session';
import { toSessionFailed } from '../session-errors';
import { untilLeft, withTimeout, type Wait } from './deadlines';
import type { CoalescedCalls, SharedByKey } from './shared-call';
import {
  failed,
  isCutOffUpdate,
  isLostUpdate,
  isSignalLimit,
  isUntaken,
  refusalCode,
} from './temporal-errors';
import { whileWorkerPolls } from './workers';

/** The default time limits of calls, in milliseconds. */
export type CallTimeouts = Readonly<
  Record<'openTimeoutMs' | 'queryTimeoutMs' | 'refreshTimeoutMs' | 'updateTimeoutMs', number>
>;

/** If no worker takes an update within this time, the session's worker is considered lost or stuck. */
const TAKEN_WITHIN_MS = 10_000;

type UpdateArgument = ResolveCreate | PreviewAdopt | DecidedBy | number;

export interface UpdateOptions {
  /** The longest wait for the answer, in milliseconds. @default `updateTimeoutMs` */
  readonly timeoutMs?: number | undefined;
  readonly argument?: UpdateArgument | undefined;
  /**
   * The variable part of the update's id. Callers that pass the same part for the same message share one update.
   * @default a random text
   */
  readonly part?: string | number | undefined;
  /** Aborted once the caller stops waiting. */
  readonly leaving?: AbortSignal | undefined;
  /** Called if the session accepted the update, but sent the caller away before the update was finished. */
  readonly onSentAway?: () => void;
}

/**
 * The calls to the Temporal server about one session. They throw errors of Temporal's client and of paysession. All have a time limit,
 * except `result`. Reading an ended session needs no worker, because the Temporal server has the session's result or failure.
 */
export class SessionCalls {
  readonly workflowId: string;
  readonly #shared: SharedByKey;
  readonly #workflow: WorkflowHandle<PaymentSessionWorkflow>;

  constructor(
    readonly key: string,
    readonly client: Client,
    readonly timeouts: CallTimeouts,
    shared: SharedByKey,
  ) {
    this.#shared = shared;
    this.workflowId = workflowIdOf(key);
    this.#workflow = client.workflow.getHandle<PaymentSessionWorkflow>(this.workflowId);
  }

  /** Checks that the Temporal server has the session. Throws `WorkflowNotFoundError` if the server does not have it. */
  async describe(timeoutMs = this.timeouts.queryTimeoutMs): Promise<void> {
    await withTimeout(this.client, timeoutMs, () => this.#workflow.describe());
  }

  /** Returns the session's state. While a query is running, all new callers share the next query. */
  state(timeoutMs = this.timeouts.queryTimeoutMs, leaving?: AbortSignal): Promise<SessionState> {
    return this.#sharing(
      this.#shared.states,
      { timeoutMs, leaving },
      this.timeouts.queryTimeoutMs,
      (callMs) => this.#query<SessionState>(MESSAGES.state, ({ state }) => state, callMs),
    );
  }

  stateHistory(): Promise<readonly StateHistoryEntry[]> {
    return withTimeout(this.client, this.timeouts.queryTimeoutMs, () =>
      this.#query(MESSAGES.stateHistory, ({ stateHistory }) => stateHistory),
    );
  }

  /**
   * Makes a worker poll the service. While a refresh is running, all new callers share the next refresh, unless they pass a name, a reason
   * or a request id.
   */
  refresh(
    decidedBy: DecidedBy | undefined,
    requestId: string | undefined,
    wait: Wait,
  ): Promise<SessionState> {
    const ask = (options: UpdateOptions) =>
      this.update<SessionState>(MESSAGES.refresh, options, ({ state }) => state);
    if (decidedBy !== undefined || requestId !== undefined)
      return ask({ argument: decidedBy, part: requestId, ...wait });
    return this.#sharing(this.#shared.refreshes, wait, this.timeouts.refreshTimeoutMs, (timeoutMs) =>
      ask({ timeoutMs }),
    );
  }

  /**
   * Cancels the session, and returns once the Temporal server has stored the cancel. If the run accepts no more signals, sends an update
   * instead, which needs a worker. If no worker takes the update, or the Temporal server refuses it, cancels the workflow instead. The
   * name and the reason are then lost.
   */
  async signalCancel(decidedBy: DecidedBy | undefined): Promise<void> {
    const args = decidedBy === undefined ? [] : [decidedBy];
    const ask = async (): Promise<void> => {
      try {
        await this.#workflow.signal<DecidedBy[]>(MESSAGES.cancel, ...args);
      } catch (error) {
        if (!isSignalLimit(error)) throw error;
        await this.#cancelWithoutSignal(decidedBy);
      }
    };
    await withTimeout(this.client, this.timeouts.updateTimeoutMs, () =>
      this.#runningOrEnded(ask, () => undefined),
    );
  }

  async #cancelWithoutSignal(decidedBy: DecidedBy | undefined): Promise<void> {
    const withinMs = Math.min(TAKEN_WITHIN_MS, this.timeouts.updateTimeoutMs / 2);
    try {
      await this.#whileWorkerPolls(withinMs, () => this.#startCancelUpdate(decidedBy));
    } catch (error) {
      if (!isUntaken(error)) throw error;
      await this.#workflow.cancel();
    }
  }

  /** Sends a cancel as an update. Returns once a worker has accepted the update. */
  async #startCancelUpdate(decidedBy: DecidedBy | undefined): Promise<void> {
    const waitForStage = WorkflowUpdateStage.ACCEPTED;
    const name = MESSAGES.cancelAndWait;
    if (decidedBy === undefined) await this.#workflow.startUpdate<unknown, []>(name, { waitForStage });
    else await this.#workflow.startUpdate<unknown, [DecidedBy]>(name, { args: [decidedBy], waitForStage });
  }

  /** Sends an update and returns its answer. If the session has ended, returns the answer of `fromEnd`. */
  update<T>(name: string, options: UpdateOptions, fromEnd: (ended: EndedSession) => T): Promise<T> {
    const { argument, onSentAway, leaving, part = randomUUID() } = options;
    const { timeoutMs = this.timeouts.updateTimeoutMs } = options;
    const id = updateIdOf(name, part);
    const send = (updateId: string) =>
      argument === undefined
        ? this.#workflow.executeUpdate<T, []>(name, { updateId })
        : this.#workflow.executeUpdate<T, [UpdateArgument]>(name, { args: [argument], updateId });
    const answer = () =>
      this.#whileWorkerPolls(timeoutMs, () => retryingUpdate(id, send, onSentAway), leaving);
    return this.#runningOrEnded(answer, fromEnd);
  }

  /** Waits for the session's end and returns the result. Throws `SessionFailedError` if the workflow ended without a result. */
  async result(): Promise<SessionResult> {
    for (;;) {
      try {
        return await this.#workflow.result();
      } catch (error) {
        if (!(await this.#wasReset(error))) throw toSessionFailed(this.key, error) ?? error;
      }
    }
  }

  /** True if a reset has terminated the run. The session then continues in another run. */
  async #wasReset(error: unknown): Promise<boolean> {
    const isTerminated = error instanceof WorkflowFailedError && error.cause instanceof TerminatedFailure;
    return isTerminated && (await this.#workflow.describe()).status.name !== 'TERMINATED';
  }

  async #query<T>(
    name: string,
    fromEnd: (ended: EndedSession) => T,
    timeoutMs = this.timeouts.queryTimeoutMs,
  ): Promise<T> {
    const ended = await readEnded(this.key, this.#workflow);
    if (ended !== undefined) return fromEnd(ended);
    return this.#whileWorkerPolls(timeoutMs, () => retryingQuery(() => this.#workflow.query<T>(name)));
  }

  /** Runs a call that a worker answers, within `timeoutMs`. Fails early if there is no worker. */
  #whileWorkerPolls<T>(timeoutMs: number, call: () => Promise<T>, leaving?: AbortSignal): Promise<T> {
    return whileWorkerPolls(this.client, { workflowId: this.workflowId, timeoutMs, leaving }, call);
  }

  /**
   * Shares a call between callers. The call's time limit is at least the default, because later callers may wait longer than the first
   * caller.
   */
  #sharing<T>(
    calls: CoalescedCalls<T>,
    { timeoutMs, leaving }: Wait,
    defaultMs: number,
    call: (callMs: number) => Promise<T>,
  ): Promise<T> {
    const callMs = Math.max(timeoutMs, defaultMs);
    const shared = calls.at(this.key, () => withTimeout(this.client, callMs, () => call(callMs)));
    return shared.join((answer) =>
      withTimeout(this.client, timeoutMs, () => untilLeft(this.client, leaving, () => answer)),
    );
  }

  #runningOrEnded<T>(call: () => Promise<T>, fromEnd: (ended: EndedSession) => T): Promise<T> {
    return runningOrEnded(call, () => readEnded(this.key, this.#workflow), fromEnd);
  }
}

/** An ended session, read without a worker from the result or failure that the Temporal server keeps. */
type EndedSession = FailureDetails;

/**
 * Reads a session that has ended. Returns `undefined` if it still runs. Throws `SessionFailedError` if the session's failure has no state.
 */
async function readEnded(
  key: string,
  handle: WorkflowHandle<PaymentSessionWorkflow>,
): Promise<EndedSession | undefined> {
  const { status, runId } = await handle.describe();
  // A session that continued as new still runs, in the next run.
  if (['RUNNING', 'PAUSED', 'CONTINUED_AS_NEW'].includes(status.name)) return undefined;
  try {
    // The run is named, because a reset may have begun another run meanwhile.
    const run = handle.client.getHandle<PaymentSessionWorkflow>(handle.workflowId, runId);
    return endedWith(await run.result());
  } catch (error) {
    const failure = toSessionFailed(key, error);
    if (failure?.state === undefined) throw failure ?? error;
    return { state: failure.state, stateHistory: failure.stateHistory };
  }
}

const MAX_ATTEMPTS = 6;

/**
 * Makes a call, up to six times. Repeats a failed call only if `firstPauseMs` returns a pause for the error. The pause doubles with each
 * attempt. Throws the last error.
 */
async function retrying<T>(
  call: () => Promise<T>,
  firstPauseMs: (error: unknown, attempt: number) => number | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const pauseMs = firstPauseMs(error, attempt);
      if (pauseMs === undefined || attempt === MAX_ATTEMPTS) throw error;
      await sleep(pauseMs * 2 ** (attempt - 1));
    }
  }
}

const QUERY_PAUSE_MS = 50;

/**
 * Makes a query, and repeats it if a worker fails it. A worker does that if the query arrives together with events that do not belong to a
 * workflow task yet (see `workflows/query-ahead-of-tasks.ts`). Temporal's client reports every failed query as `QueryNotRegisteredError`.
 */
const retryingQuery = <T>(ask: () => Promise<T>): Promise<T> =>
  retrying(ask, (error) => (error instanceof QueryNotRegisteredError ? QUERY_PAUSE_MS : undefined));

const DROPPED_PAUSE_MS = 40;

/** The first pause before an update is sent again to a session with too many waiting callers. It varies at random by half. */
const SESSION_BUSY_PAUSE_MS = 1_000;

/**
 * Makes an update, and repeats it in three cases:
 * - The Temporal server has dropped the update before the session has seen it (`isLostUpdate`). The update is sent again with the same id.
 *   If the session has seen it after all, both are the same update.
 * - The session has continued in a new run. The update is sent to that run, with the same id.
 * - The session has too many waiting callers. The update is sent again with a new id, unless callers share the update.
 */
export async function retryingUpdate<T>(
  id: string,
  update: (updateId: string) => Promise<T>,
  onSentAway: () => void = () => undefined,
): Promise<T> {
  let updateId = id;
  return retrying(
    () => update(updateId),
    (error, attempt) => {
      if (isLostUpdate(error)) return DROPPED_PAUSE_MS;
      const code = refusalCode(error);
      if (code !== 'SESSION_CONTINUED' && code !== 'SESSION_BUSY') return undefined;
      onSentAway();
      if (code === 'SESSION_CONTINUED') return DROPPED_PAUSE_MS;
      if (!isShared(id)) updateId = `${id}/${attempt}`;
      return SESSION_BUSY_PAUSE_MS * (0.5 + Math.random());
    },
  );
}

const NO_RUN_PAUSE_MS = 100;

/**
 * Sends a message to a session. If the session has ended, reads its end instead.
 *
 * The Temporal server answers "not found" to a message for an ended or unknown session. In rare cases, it also does so for a running
 * session: if the server was killed while the session continued as new. The server has not accepted the message then, so the message is
 * sent again. If the server keeps giving this answer, throws `PaysessionError` `TEMPORAL_REFUSED`.
 *
 * An update is also sent again if its run was reset before it answered. The id is the same, so if the new run already has the update, it
 * is not carried out twice.
 *
 * @param readEnd reads the session if it has ended, and returns `undefined` if it still runs. Throws `WorkflowNotFoundError` for an
 * unknown session.
 */
export function runningOrEnded<T>(
  call: () => Promise<T>,
  readEnd: () => Promise<EndedSession | undefined>,
  fromEnd: (ended: EndedSession) => T,
): Promise<T> {
  const sendOrRead = async (): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      if (!isOfNoRun(error)) throw error;
      const ended = await readEnd();
      if (ended === undefined) throw failed('TEMPORAL_REFUSED', error);
      return fromEnd(ended);
    }
  };
  return retrying(sendOrRead, (error) =>
    isPaysessionError(error, 'TEMPORAL_REFUSED') && isOfNoRun(error.cause) ? NO_RUN_PAUSE_MS : undefined,
  );
}

/** True if the run that should receive the message has ended or does not exist. */
const isOfNoRun = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError || isCutOffUpdate(error);
