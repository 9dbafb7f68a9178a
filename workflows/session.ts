import { defined } from '../src/contract/values/json';
import { ApplicationFailure, currentUpdateInfo, workflowInfo } from '@temporalio/workflow';
import { ERROR_CODES, type ErrorCode } from '../src/errors/codes';
import type { SessionFailure } from '../src/errors/failures';
import { type KeyClaim, type PollResult, type SessionInput, isGivenBack } from '../src/protocol/activities';
import { inputAttributes, openReference } from '../src/protocol/temporal/visibility';
import { claimedMetadata } from '../src/protocol/metadata';
import { DEFAULT_ACCOUNT } from '../src/protocol/names';
import type { Decision } from '../src/protocol/state/recorded';
import type { DecidedBy, ResolveCreate } from '../src/protocol/decisions';
import type { FailureDetails, SessionResult, SessionState } from '../src/protocol/state/session';
import {
  cancelPending,
  type Denials,
  newRecord,
  type Observation,
  type SessionRecord,
  resultOf,
  stateOf,
} from './record/session-record';
import { sessionKind } from '../src/contract/statuses';
import { expectedSession } from '../src/contract/identity';
import type { PaymentSessionInput } from '../src/protocol/input';
import { resolvePolicy, type ResolvedPolicy } from '../src/protocol/policy';
import { SessionMetrics } from './record/metrics';
import { publishChange, warnOfChange, warnOfFailure } from './record/published';
import { knownReports, next } from './record/next';
import { Openings, Refreshes } from './shared-requests';
import { runSeed } from './per-run';

/** The service's report from a poll. The poll began at `lookedAtMs` or later. */
interface PolledReport extends Pick<Extract<PollResult, { outcome: 'seen' }>, 'snapshot' | 'sinceLookMs'> {
  readonly lookedAtMs: number;
}

/** One running payment session: its record, and the state that the workflow's handlers and main function share. */
export class Session {
  readonly account: string;
  readonly policy: ResolvedPolicy;
  readonly refreshes = new Refreshes();
  readonly openings = new Openings();
  readonly metrics: SessionMetrics;
  /** True if the workflow is about to continue as new. Waiting callers then get an error that makes them ask again. */
  continuing = false;
  /** See {@link SessionRecord.denials}. */
  denials: Denials | undefined;
  #current: SessionRecord;
  #answer: { readonly given: ResolveCreate; readonly updateId: string | undefined } | undefined;
  #failed: SessionFailure | undefined;
  #reports = 0;
  /** The time at which the last report was applied, in epoch milliseconds. */
  #reportedAtMs = 0;
  #givenBack = false;

  constructor(
    readonly input: PaymentSessionInput,
    carried: SessionRecord | undefined,
  ) {
    this.account = input.account ?? DEFAULT_ACCOUNT;
    this.policy = resolvePolicy(input.policy ?? {}, input.request);
    const { amount } = input.request;
    const kind = sessionKind(input.request);
    // The start time is used, not the current time. The first workflow task may come long after the start, if no worker
    // was running.
    this.#current = carried ?? newRecord(workflowInfo().startTime.getTime(), { kind, amount });
    this.denials = carried?.denials;
    this.#givenBack = isGivenBack(carried?.trouble?.code);
    const isStartCounted = carried !== undefined && carried.isStartCounted !== false;
    this.metrics = new SessionMetrics({ kind, account: this.account, isStartCounted });
  }

  get record(): SessionRecord {
    return this.#current;
  }

  /** The record for the run that continues this one. */
  get carriedRecord(): SessionRecord {
    return { ...this.record, isStartCounted: this.metrics.isStartCounted, denials: this.denials };
  }

  /** The failure with which the workflow is about to end. `undefined` if the workflow is not failing. */
  get failure(): SessionFailure | undefined {
    return this.#failed;
  }

  /** A person's decision about a parked create, until the decision is carried out or refused. */
  get resolution(): ResolveCreate | undefined {
    return this.#answer?.given;
  }

  /**
   * The number of reports that were applied so far. If it has grown since a poll began, the poll's report may be outdated. See
   * `applyPoll`.
   */
  get reportCount(): number {
    return this.#reports;
  }

  /**
   * The dispatch option of calls that need the account's credentials. Eager dispatch sends a call to the worker that has the
   * workflow in its cache. It is switched off while calls fail, and after a worker without credentials has released a call,
   * because another worker may then be the better choice.
   */
  get dispatch(): { readonly allowEagerDispatch: boolean } {
    return { allowEagerDispatch: !this.#givenBack && this.record.trouble === undefined };
  }

  /** Records that a worker has released a call. The next calls then go to any worker. */
  noteGivenBack(): void {
    this.#givenBack = true;
  }

  cancelPending(): boolean {
    return cancelPending(this.record);
  }

  /** True if nothing more will happen: the session has ended, or the workflow is failing. */
  closing(): boolean {
    return this.record.ended || this.failure !== undefined;
  }

  /** Returns the input of activities that call the service for the open session. */
  serviceSession(): SessionInput {
    const expected = expectedSession(this.input.request);
    const { sessionId = '', stateHistory, onLedger } = this.record;
    const { key } = this.input;
    const { firstExecutionRunId: firstRunId } = workflowInfo();
    const place = { key, firstRunId, states: stateHistory.length, known: knownReports(this.record) };
    return { account: this.account, sessionId, expected, ...(onLedger && { onLedger: place }) };
  }

  /** Returns the claim under which the ledger knows the session. */
  keyClaim(): KeyClaim {
    const referenceId = openReference(this.input);
    const { firstExecutionRunId: firstRunId, parent } = workflowInfo();
    const { possibleOrphans } = this.record;
    return {
      key: this.input.key,
      firstRunId,
      ...(referenceId !== undefined && { referenceId }),
      ...claimedMetadata(this.input),
      ...(possibleOrphans > 0 && { lostCreates: possibleOrphans }),
      // A child never attaches to an existing session, even if the request is the same.
      ...(parent !== undefined && { onlyNew: true }),
    };
  }

  /**
   * Publishes the session to Temporal's search and UI. Sets the attributes from the input again, because the caller may have
   * left them out or set them differently.
   */
  announce(): void {
    publishChange(this.record, this.input, inputAttributes(this.input));
  }

  /** Applies observations that were made together, and publishes the changes to Temporal's search and UI. */
  apply(...observations: readonly Observation[]): void {
    for (const observation of observations) {
      const before = this.#current;
      const nowMs = Date.now();
      this.#current = next(before, observation, nowMs);
      if (observation.type === 'seen') {
        this.#reports += 1;
        this.#reportedAtMs = nowMs;
      }
      if (observation.type === 'callFailed') this.#givenBack ||= isGivenBack(observation.failure.code);
      this.metrics.changed(before, this.#current, nowMs);
      warnOfChange(this.account, before, this.#current);
    }
    publishChange(this.#current, this.input);
  }

  /**
   * Applies the report of a poll, and returns true. Returns false if another report was applied since `reportCount` was read,
   * and the poll may have begun before that. It is then unknown which of the two reports is newer, so the poll's report is not
   * applied, and another poll must decide.
   */
  applyPoll({ snapshot, sinceLookMs, lookedAtMs }: PolledReport, reportCount: number): boolean {
    if (this.reportCount !== reportCount && lookedAtMs <= this.#reportedAtMs) {
      this.apply({ type: 'looksCrossed' });
      return false;
    }
    this.apply({ type: 'seen', snapshot, source: 'poll', lookedAtMs, ...defined({ sinceLookMs }) });
    return true;
  }

  requestCancel(by: 'caller' | 'deadline', decidedBy?: DecidedBy): void {
    this.apply({ type: 'cancelRequested', by }, ...decisionsOf('cancel', decidedBy));
  }

  /** Requests a refresh. Returns a function that returns true once a poll has served the refresh. */
  requestRefresh(decidedBy?: DecidedBy): () => boolean {
    this.apply(
      ...decisionsOf('refresh', decidedBy, this.record.parked ? 'CREATE_OUTCOME_UNKNOWN' : 'pending'),
    );
    return this.refreshes.ask();
  }

  /**
   * Records that a poll for the pending refreshes begins. Returns the function that answers these refreshes. Call that
   * function when the poll has ended, and pass the failure if the poll failed.
   */
  beginRefresh(): (failure?: SessionFailure) => void {
    const { length: count } = this.record.decisions;
    const served = this.refreshes.begin(Date.now());
    return (failure) => {
      this.apply({ type: 'refreshed', count, result: failure?.code ?? 'applied' });
      served();
    };
  }

  /** True if the record shows that the current update was already answered, by this run or an earlier run. */
  isAnswered(): boolean {
    const updateId = currentUpdateInfo()?.id;
    return updateId !== undefined && this.record.answered.includes(updateId);
  }

  /** Records that the update with this id was carried out or refused. */
  answered(updateId: string | undefined): void {
    if (updateId !== undefined) this.apply({ type: 'answered', updateId });
  }

  /** Records that a person views personal data. Returns false if the session has ended, or if its record is full. */
  recordReveal(decidedBy: DecidedBy = {}): boolean {
    const { length } = this.record.decisions;
    this.apply(...decisionsOf('reveal', decidedBy, 'applied'));
    return this.record.decisions.length > length;
  }

  /** Stores a person's decision about a parked create. The workflow's main function carries it out. */
  resolveCreate(given: ResolveCreate): void {
    this.#answer = { given, updateId: currentUpdateInfo()?.id };
  }

  /** Records that the person's decision was carried out or refused. The waiting caller then gets a reply. */
  createResolved(decision: Omit<Decision, 'at' | 'id'>, adopted?: Observation): void {
    const updateId = this.#answer?.updateId;
    // The decision is recorded before the adoption, because an adoption may end the session, and an ended record takes
    // no more decisions.
    this.apply({ type: 'createResolved', decision, run: runSeed(), updateId: updateId ?? '' });
    this.answered(updateId);
    if (adopted !== undefined) this.apply(adopted);
    this.#answer = undefined;
  }

  state(): SessionState {
    return stateOf(this.input, this.record, this.failure);
  }

  result(): SessionResult {
    return resultOf(this.input, this.record);
  }

  /** Records the failure that ends the workflow, and returns it as an error to throw. The error's type is the error code. */
  fail(code: ErrorCode, cause?: Pick<SessionFailure, 'message' | 'status' | 'problem'>): ApplicationFailure {
    const { message = ERROR_CODES[code].meaning, status, problem } = cause ?? {};
    this.#failed = { code, message, ...defined({ status, problem }) };
    this.metrics.failed(code);
    warnOfFailure(code, this.account);
    const details: FailureDetails = { state: this.state(), stateHistory: this.record.stateHistory };
    return ApplicationFailure.create({ type: code, message, nonRetryable: true, details: [details] });
  }
}

/** Returns the observation that records a decision. Returns an empty list if `decidedBy` is absent. */
function decisionsOf(
  decision: 'cancel' | 'refresh' | 'reveal',
  decidedBy: DecidedBy | undefined,
  result: Decision['result'] = 'pending',
): Observation[] {
  return decidedBy === undefined ? [] : [{ type: 'decided', decision: { decision, ...decidedBy, result } }];
}
