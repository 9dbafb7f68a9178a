import { randomUUID } from 'node:crypto';
import {
  type Client,
  type WithStartWorkflowOperation,
  type WorkflowHandle,
  WorkflowUpdateStage,
} from '@temporalio/client';
import { MESSAGES, workflowIdOf } from '../../protocol/names';
import type { PreviewAdopt } from '../../protocol/adopt-preview';
import type { DecidedBy, ResolveCreate } from '../../protocol/decisions';
import type { StateHistoryEntry } from '../../protocol/state/recorded';
import type {
  OpenedSession,
  PaymentSessionWorkflow,
  SessionResult,
  SessionState,
} from '../../protocol/state/session';
import { type EndedSession, readEnded, toSessionFailed } from '../ended-session';
import { hedged, retryingQuery, retryingUpdate, runningOrEnded } from './retry';
import { whileWorkerPolls } from './worker-check';
import type { Wait } from './wait-options';
import { isSignalLimit, isUntaken, withTimeout } from './engine-errors';

/** How long calls wait, in milliseconds. */
export interface CallTimeouts {
  readonly openTimeoutMs: number;
  readonly queryTimeoutMs: number;
  readonly refreshTimeoutMs: number;
  readonly updateTimeoutMs: number;
}

/** How long one caller waits, and the call that many may share; in milliseconds. */
interface SharedTimes {
  readonly askMs: number;
  readonly callMs: number;
}

/** What the calls of all sessions of a client have in common. */
export interface CallContext {
  readonly client: Client;
  readonly timeouts: CallTimeouts;
  readonly shared: SharedByKey;
}

/** A worker takes an update of a session within this time, or is gone or stuck. */
const TAKEN_WITHIN_MS = 10_000;

type UpdateArgument = ResolveCreate | PreviewAdopt | DecidedBy | number;

export interface UpdateOptions {
  /** How long to wait for the answer, in milliseconds. @default `updateTimeoutMs` */
  readonly timeoutMs?: number | undefined;
  readonly argument?: UpdateArgument | undefined;
  /** @default a new one */
  readonly updateId?: string | undefined;
  /** The caller waits no more. */
  readonly leaving?: AbortSignal | undefined;
  /** Called when the session took the update, but not to its end, before it is asked anew. */
  readonly onSentAway?: () => void;
}

/**
 * The calls to the engine about one session, each within its time. They throw what the engine answers; an ended session
 * is read from what the engine keeps, so that no worker is needed.
 */
export class SessionCalls {
  readonly workflowId: string;
  readonly client: Client;
  readonly timeouts: CallTimeouts;
  readonly #shared: SharedByKey;
  readonly #workflow: WorkflowHandle<PaymentSessionWorkflow>;

  constructor(
    readonly key: string,
    { client, timeouts, shared }: CallContext,
  ) {
    this.client = client;
    this.timeouts = timeouts;
    this.#shared = shared;
    this.workflowId = workflowIdOf(key);
    this.#workflow = client.workflow.getHandle<PaymentSessionWorkflow>(this.workflowId);
  }

  /** Whether the engine has the session at all. */
  async describe(timeoutMs = this.timeouts.queryTimeoutMs): Promise<void> {
    await withTimeout(this.client, timeoutMs, () => this.#workflow.describe());
  }

  /** Those who ask while one is under way share the next one. */
  state(askMs = this.timeouts.queryTimeoutMs): Promise<SessionState> {
    const callMs = Math.max(askMs, this.timeouts.queryTimeoutMs);
    return this.#sharing(this.#shared.states, { askMs, callMs }, () =>
      this.#query<SessionState>(MESSAGES.state, ({ state }) => state, callMs),
    );
  }

  stateHistory(): Promise<readonly StateHistoryEntry[]> {
    return withTimeout(this.client, this.timeouts.queryTimeoutMs, () =>
      this.#query(MESSAGES.stateHistory, ({ stateHistory }) => stateHistory),
    );
  }

  /** Those who ask while one is under way share the next one; whoever is to be recorded asks alone. */
  refresh(
    decidedBy: DecidedBy | undefined,
    requestId: string | undefined,
    { timeoutMs: askMs, leaving }: Wait,
  ): Promise<SessionState> {
    const ask = (options: UpdateOptions) =>
      this.update<SessionState>(MESSAGES.refresh, options, ({ state }) => state);
    if (decidedBy !== undefined || requestId !== undefined)
      return ask({ argument: decidedBy, updateId: requestId, timeoutMs: askMs, leaving });
    const callMs = Math.max(askMs, this.timeouts.refreshTimeoutMs);
    return this.#sharing(this.#shared.refreshes, { askMs, callMs }, () => ask({ timeoutMs: callMs }));
  }

  /**
   * Returns once the engine holds the cancel. A run that has all the signals it may have, whoever sent them, is asked by an update, which
   * a worker has to take. Where none does, the engine holds a cancel of the workflow, which does not tell who cancelled, nor why.
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

  /** Returns once a worker has taken the update. */
  async #startCancelUpdate(decidedBy: DecidedBy | undefined): Promise<void> {
    const waitForStage = WorkflowUpdateStage.ACCEPTED;
    const name = MESSAGES.cancelAndWait;
    if (decidedBy === undefined) await this.#workflow.startUpdate<unknown, []>(name, { waitForStage });
    else await this.#workflow.startUpdate<unknown, [DecidedBy]>(name, { args: [decidedBy], waitForStage });
  }

  /**
   * Starts the session and waits until it is opened, in one round trip. The engine joins updates of one id, also those of callers with another
   * request for the key: each start has an id of its own, so that the others find the key taken and compare their requests. The id is in plain
   * text in the history, and so says nothing about the request.
   */
  openWith(
    startWorkflowOperation: WithStartWorkflowOperation<PaymentSessionWorkflow>,
    updateId: string,
    { timeoutMs, leaving }: Wait,
  ): Promise<OpenedSession> {
    const open = () =>
      this.client.workflow.executeUpdateWithStart<PaymentSessionWorkflow, OpenedSession, []>(
        MESSAGES.awaitOpened,
        { startWorkflowOperation, updateId },
      );
    return this.#whileWorkerPolls(timeoutMs, open, leaving);
  }

  /** The answer of an update. */
  update<T>(name: string, options: UpdateOptions, fromEnd: (ended: EndedSession) => T): Promise<T> {
    const { argument, onSentAway, leaving, updateId: id = randomUUID() } = options;
    const { timeoutMs = this.timeouts.updateTimeoutMs } = options;
    const send = (updateId: string) =>
      argument === undefined
        ? this.#workflow.executeUpdate<T, []>(name, { updateId })
        : this.#workflow.executeUpdate<T, [UpdateArgument]>(name, { args: [argument], updateId });
    const answer = () =>
      this.#whileWorkerPolls(timeoutMs, () => retryingUpdate(id, send, onSentAway), leaving);
    return this.#runningOrEnded(answer, fromEnd);
  }

  /** Waits for the end. Throws `SessionFailedError` if no session could be created. */
  async result(): Promise<SessionResult> {
    try {
      return await this.#workflow.result();
    } catch (error) {
      throw toSessionFailed(this.key, error) ?? error;
    }
  }

  async #query<T>(
    name: string,
    fromEnd: (ended: EndedSession) => T,
    timeoutMs = this.timeouts.queryTimeoutMs,
  ): Promise<T> {
    const ended = await readEnded(this.key, this.#workflow);
    if (ended !== undefined) return fromEnd(ended);
    const ask = () => retryingQuery(() => this.#workflow.query<T>(name));
    return this.#whileWorkerPolls(timeoutMs, () => hedged(ask));
  }

  /** Runs a call that a worker answers, within a time in milliseconds. */
  #whileWorkerPolls<T>(timeoutMs: number, call: () => Promise<T>, leaving?: AbortSignal): Promise<T> {
    return whileWorkerPolls(this.client, { workflowId: this.workflowId, timeoutMs, leaving }, call);
  }

  /** The call has a time of its own, whoever asks for it first: those who share it may have longer. */
  #sharing<T>(calls: CoalescedCalls<T>, { askMs, callMs }: SharedTimes, call: () => Promise<T>): Promise<T> {
    // One caller that leaves does not end it for the others.
    const forAll = () =>
      this.client.withAbortSignal(new AbortController().signal, () => withTimeout(this.client, callMs, call));
    return withTimeout(this.client, askMs, () => calls.run(this.key, forAll));
  }

  #runningOrEnded<T>(call: () => Promise<T>, fromEnd: (ended: EndedSession) => T): Promise<T> {
    return runningOrEnded(call, () => readEnded(this.key, this.#workflow), fromEnd);
  }
}

/**
 * Lets many callers share a call, by its key. While one is under way, all who ask share the next one, because the one under
 * way may have looked before they asked.
 */
export class CoalescedCalls<T> {
  readonly #running = new Map<string, Promise<T>>();
  readonly #following = new Map<string, Promise<T>>();

  run(key: string, call: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key, call);
    const following = this.#following.get(key) ?? this.#follow(key, running, call);
    this.#following.set(key, following);
    return following;
  }

  async #start(key: string, call: () => Promise<T>): Promise<T> {
    const running = call();
    this.#running.set(key, running);
    try {
      return await running;
    } finally {
      if (this.#running.get(key) === running) this.#running.delete(key);
    }
  }

  async #follow(key: string, running: Promise<T>, call: () => Promise<T>): Promise<T> {
    await running.catch(() => undefined);
    this.#following.delete(key);
    return this.#start(key, call);
  }
}

/**
 * What the handles of one `PaymentSessions` share. The engine holds back one query of a session at a time: many at once
 * would be sent away and come back until their time is over.
 */
export interface SharedByKey {
  readonly refreshes: CoalescedCalls<SessionState>;
  readonly states: CoalescedCalls<SessionState>;
}

export const sharedByKey = (): SharedByKey => ({
  refreshes: new CoalescedCalls(),
  states: new CoalescedCalls(),
});
