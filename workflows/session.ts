import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  makeContinueAsNewFunc,
  workflowInfo,
} from '@temporalio/workflow';
import { sessionKind } from '../src/contract/kinds';
import { expectedSession } from '../src/contract/snapshot';
import { ERROR_CODES, type ErrorCode } from '../src/errors/codes';
import type { SessionFailure } from '../src/errors/failures';
import type { SessionInput } from '../src/protocol/activities';
import type { PaymentSessionInput } from '../src/protocol/input';
import { DEFAULT_ACCOUNT } from '../src/protocol/names';
import type { Decision } from '../src/protocol/recorded';
import type { ResolveCreate } from '../src/protocol/resolution';
import type { FailureDetails, SessionResult, SessionState } from '../src/protocol/session';
import { resolvePolicy, type ResolvedPolicy } from './policy';
import { publishChange, publishStart } from './publish';
import { next } from './record/record';
import { cancelPending, newRecord, type Observation, type SessionRecord } from './record/session-record';
import { Refreshes } from './refreshes';
import { defined, resultOf, stateOf } from './views';

/** The workflow function as it continues itself: its second argument is the record of the run before. */
export type ContinuedWorkflow = (
  input: PaymentSessionInput,
  carried: SessionRecord,
) => Promise<SessionResult>;

/** One running payment session: its record, and what its handlers and its main function tell each other. */
export class Session {
  readonly account: string;
  readonly policy: ResolvedPolicy;
  readonly refreshes = new Refreshes();
  private current: SessionRecord;
  private answer: ResolveCreate | undefined;
  private failed: SessionFailure | undefined;
  private reports = 0;
  private leaving = false;

  constructor(
    readonly input: PaymentSessionInput,
    carried: SessionRecord | undefined,
  ) {
    this.account = input.account ?? DEFAULT_ACCOUNT;
    this.policy = resolvePolicy(input.policy ?? {}, input.request);
    // The run before may be of an earlier version, whose record lacks what this one added.
    const { amount } = input.request;
    this.current = { ...newRecord(Date.now(), { kind: sessionKind(input.request), amount }), ...carried };
  }

  get record(): SessionRecord {
    return this.current;
  }

  /** Why the workflow is about to fail. */
  get failure(): SessionFailure | undefined {
    return this.failed;
  }

  /** The answer to a parked create, until it is carried out. */
  get resolution(): ResolveCreate | undefined {
    return this.answer;
  }

  /** Reports applied so far: what a poll left behind has seen counts only where nothing newer was. */
  get sightings(): number {
    return this.reports;
  }

  /** Whether the workflow is about to continue as new: callers that wait are sent away to ask again. */
  get continuing(): boolean {
    return this.leaving;
  }

  get deadlineAtMs(): number {
    return this.record.deadlineFromMs + this.policy.deadlineMs;
  }

  cancelPending(): boolean {
    return cancelPending(this.record);
  }

  /** Whether nothing more will happen: the session has ended, or the workflow is failing. */
  closing(): boolean {
    return this.record.ended || this.failure !== undefined;
  }

  /** The open session at the service, for the activities, and which payment its answers must be about. */
  serviceSession(): SessionInput {
    const expected = expectedSession(this.input.request);
    return { account: this.account, sessionId: this.record.sessionId ?? '', expected };
  }

  /** Shows the session to the engine's search and UI. */
  announce(): void {
    publishStart(this.record, this.input);
  }

  /** Applies an observation, and shows a change of state to the engine's search and UI. */
  apply(observation: Observation): void {
    const before = this.current;
    this.current = next(before, observation, Date.now());
    if (observation.type === 'seen') this.reports += 1;
    publishChange(before, this.current);
  }

  requestCancel(by: 'caller' | 'deadline'): void {
    this.apply({ type: 'cancelRequested', by });
  }

  /** A person answers what becomes of a parked create; the main function carries it out. */
  resolveCreate(answer: ResolveCreate): void {
    this.answer = answer;
  }

  /** The answer was carried out, or refused: whoever gave it hears. */
  createResolved(decision: Omit<Decision, 'at'>): void {
    this.apply({ type: 'decided', decision });
    this.answer = undefined;
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
    return stateOf(this.input, this.record, this.failure);
  }

  result(): SessionResult {
    return resultOf(this.input, this.record);
  }

  /** A failure that ends the workflow; users match its type, which is an error code. */
  fail(code: ErrorCode, cause?: Pick<SessionFailure, 'message' | 'status' | 'problem'>): ApplicationFailure {
    const { message = ERROR_CODES[code].meaning, status, problem } = cause ?? {};
    this.failed = { code, message, ...defined({ status, problem }) };
    const details: FailureDetails = { state: this.state(), stateHistory: this.record.stateHistory };
    return ApplicationFailure.create({ type: code, message, nonRetryable: true, details: [details] });
  }

  /**
   * Continues as new when the engine suggests it; the record goes along whole, a pending cancel with it. Callers that
   * wait are sent away first, to ask the new run.
   */
  async continueAsNewIfSuggested(): Promise<void> {
    if (!workflowInfo().continueAsNewSuggested || this.closing()) return;
    this.leaving = true;
    await condition(allHandlersFinished);
    // Encoded as usual, although the run's own arguments are taken raw.
    await makeContinueAsNewFunc<ContinuedWorkflow>({ typeInfo: {} })(this.input, this.record);
  }
}
