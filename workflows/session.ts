import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  makeContinueAsNewFunc,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { sessionKind } from '../src/contract/kinds';
import { isPaid } from '../src/contract/paid';
import { expectedSession } from '../src/contract/snapshot';
import { ERROR_CODES, type ErrorCode } from '../src/errors/codes';
import type { SessionInput } from '../src/protocol/activities';
import { resolvePolicy, type ResolvedPolicy } from './policy';
import { DEFAULT_ACCOUNT, SEARCH_ATTRIBUTES, UNREADABLE_CODE } from '../src/protocol/names';
import type { FailureDetails, SessionResult, SessionState } from '../src/protocol/session';
import type { PaymentSessionInput } from '../src/protocol/input';
import type { ResolveCreate } from '../src/protocol/resolution';
import type { SessionFailure } from '../src/errors/failures';
import { next } from './record/record';
import {
  cancelPending,
  newRecord,
  phaseOf,
  type Observation,
  type SessionRecord,
} from './record/session-record';

/** The workflow function as it continues itself: its second argument is the record of the run before. */
export type ContinuedWorkflow = (
  input: PaymentSessionInput,
  carried: SessionRecord,
) => Promise<SessionResult>;

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

/** One running payment session: its record, and what its handlers and its main function tell each other. */
export class Session {
  readonly account: string;
  readonly policy: ResolvedPolicy;
  record: SessionRecord;
  /** The answer to a parked create, until it is taken. */
  resolution: ResolveCreate | undefined;
  /** Set when the workflow is about to fail. */
  failure: SessionFailure | undefined;
  /** Refreshes asked for, and how many of them a finished poll has served: many refreshes make one poll. */
  refreshesAsked = 0;
  refreshesServed = 0;
  /** When the last poll for a refresh began; epoch milliseconds. */
  refreshedAtMs = 0;
  /** Reports applied so far: what a poll left behind has seen counts only where nothing newer was. */
  sightings = 0;
  /** Set when the workflow is about to continue as new: callers that wait are sent away to ask again. */
  continuing = false;

  constructor(
    readonly input: PaymentSessionInput,
    carried: SessionRecord | undefined,
  ) {
    this.account = input.account ?? DEFAULT_ACCOUNT;
    this.policy = resolvePolicy(input.policy ?? {}, input.request);
    // The run before may be of an earlier version, whose record lacks what this one added.
    const { amount } = input.request;
    this.record = { ...newRecord(Date.now(), { kind: sessionKind(input.request), amount }), ...carried };
    const { kind, referenceId } = this.identity();
    upsertSearchAttributes([
      { key: keyword(SEARCH_ATTRIBUTES.kind), value: kind },
      { key: keyword(SEARCH_ATTRIBUTES.reference), value: this.policy.indexReference ? referenceId : null },
    ]);
    setCurrentDetails(this.summary());
  }

  cancelPending(): boolean {
    return cancelPending(this.record);
  }

  refreshPending(): boolean {
    return this.refreshesAsked > this.refreshesServed;
  }

  /** Whether nothing more will happen: the session has ended, or the workflow is failing. */
  closing(): boolean {
    return this.record.ended || this.failure !== undefined;
  }

  get deadlineAtMs(): number {
    return this.record.deadlineFromMs + this.policy.deadlineMs;
  }

  /** The open session at the service, for the activities, and which payment its answers must be about. */
  serviceSession(): SessionInput {
    const expected = expectedSession(this.input.request);
    return { account: this.account, sessionId: this.record.sessionId ?? '', expected };
  }

  /** Applies an observation, and shows a change of state to the engine's search and UI. */
  apply(observation: Observation): void {
    const before = this.record;
    this.record = next(before, observation, Date.now());
    if (observation.type === 'seen') this.sightings += 1;
    const { status, code, unreadableCode } = this.record;
    const isPublished =
      status === before.status && code === before.code && unreadableCode === before.unreadableCode;
    if (!isPublished) this.publish();
  }

  /** Writes the state where people look for it: search attributes and the UI's current details. */
  private publish(): void {
    const { status, code, unreadableCode } = this.record;
    setCurrentDetails(this.summary());
    upsertSearchAttributes([
      { key: keyword(SEARCH_ATTRIBUTES.status), value: status ?? null },
      { key: keyword(SEARCH_ATTRIBUTES.code), value: code ?? (unreadableCode ? UNREADABLE_CODE : null) },
    ]);
  }

  private summary(): string {
    const { status = 'Creating', code } = this.record;
    return code === undefined ? status : `${status} ${code}`;
  }

  /** Takes note of a call that failed, and waits before the next, or until `woken`. */
  async backOff(failure: SessionFailure, milliseconds: number, woken: () => boolean): Promise<void> {
    this.apply({ type: 'callFailed', failure });
    this.apply({ type: 'waits', untilMs: Date.now() + milliseconds });
    await this.wait(milliseconds, woken, `again after ${failure.code}`);
  }

  /** Waits on a durable timer, or until `woken`; the UI shows `summary` beside the timer. */
  async wait(milliseconds: number, woken: () => boolean, summary: string): Promise<void> {
    if (milliseconds > 0 && !woken()) await condition(woken, milliseconds, { summary });
  }

  state(): SessionState {
    const { status, code, sessionId, checkoutUrl, amount, cancel, unsigned, trouble } = this.record;
    const { anomalies, decisions } = this.record;
    return {
      phase: this.failure === undefined ? phaseOf(this.record) : 'ended',
      ...this.identity(),
      paid: this.isPaid(),
      ...defined({ status, code, sessionId, checkoutUrl, amount, cancel, unsigned, trouble }),
      ...defined({ failure: this.failure }),
      anomalies,
      decisions,
    };
  }

  result(): SessionResult {
    const { status = 'Cancelled', code, sessionId, checkoutUrl, amount, cancel, unsigned } = this.record;
    const { stateHistory, anomalies, decisions } = this.record;
    const isPaid = this.isPaid() && sessionId !== undefined && checkoutUrl !== undefined;
    return {
      ...this.identity(),
      ...(isPaid
        ? { paid: true, status: 'Completed', sessionId, checkoutUrl }
        : { paid: false, status, ...defined({ sessionId, checkoutUrl }) }),
      ...defined({ code, amount, cancel, unsigned }),
      stateHistory,
      anomalies,
      decisions,
    };
  }

  /** A failure that ends the workflow; users match its type, which is an error code. */
  fail(code: ErrorCode, cause?: Pick<SessionFailure, 'message' | 'status' | 'problem'>): ApplicationFailure {
    const { message = ERROR_CODES[code].meaning, status, problem } = cause ?? {};
    this.failure = { code, message, ...defined({ status, problem }) };
    const details: FailureDetails = { state: this.state(), stateHistory: this.record.stateHistory };
    return ApplicationFailure.create({ type: code, message, nonRetryable: true, details: [details] });
  }

  /**
   * Continues as new when the engine suggests it; the record goes along whole, a pending cancel with it. Callers that
   * wait are sent away first, to ask the new run.
   */
  async continueAsNewIfSuggested(): Promise<void> {
    if (!workflowInfo().continueAsNewSuggested || this.closing()) return;
    this.continuing = true;
    await condition(allHandlersFinished);
    // Encoded as usual, although the run's own arguments are taken raw.
    await makeContinueAsNewFunc<ContinuedWorkflow>({ typeInfo: {} })(this.input, this.record);
  }

  private isPaid(): boolean {
    return isPaid(this.record.kind, this.record);
  }

  private identity(): Pick<SessionState, 'key' | 'kind' | 'referenceId'> {
    const { key, request } = this.input;
    return { key, kind: this.record.kind, referenceId: request.referenceId ?? null };
  }
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the members that are undefined, so that answers hold only what is known. */
function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
