import { ServiceModel, type Kind } from './service-model';

/**
 * A fault of a create request. `answerLost`: the service has opened a session, but its answer is lost. `callLost`: the request does
 * not arrive. `status500`: the service answers 500. `busy`: the service answers that it is too busy.
 */
export type CreateFault = 'answerLost' | 'callLost' | 'status500' | 'busy';

/** An operator’s decision about a parked session: retry, abandon, name the lost session, or name a session that does not exist. */
export type Resolution = 'retry' | 'abandon' | 'lost' | 'unknown';

/** The options with which a random sequence starts its session. */
export interface Start {
  readonly kind: Kind;
  readonly cadence: keyof typeof CADENCES;
  readonly onUnknownCreate: 'park' | 'retry';
  /** True if the overall deadline is less than an hour. */
  readonly isShort: boolean;
  readonly authorizeFaults: number;
  readonly createFaults: readonly CreateFault[];
  /** True if the caller cancels while the first create request is under way. */
  readonly isCancelledMeanwhile: boolean;
}

/**
 * The polling intervals and deadlines of sessions, in minutes. They are chosen so that no two events coincide: time passes in steps of
 * twenty minutes, payors act at minute five of a step, and sessions expire at minute ten or fifteen.
 */
export const CADENCES = {
  brisk: { pollMin: 10, slowestUnsignedPollMin: 60, deadlineMin: 25 * 60, padMin: 9 * 60 },
  slow: { pollMin: 1_440, slowestUnsignedPollMin: 1_440, deadlineMin: 3 * 1_440, padMin: 10 * 1_440 },
} as const;
export const SHORT_DEADLINE_MIN = 41;
/** The `Retry-After` of a busy service, in minutes. The client obeys it, because it is shorter than the client’s maximum. */
export const BUSY_MIN = 14;

const MAX_ORPHANS = 3;

/** The outcome of a cancel, by the status in which the session ended. */
export const LOST: Readonly<Record<string, string>> = {
  Completed: 'lostToCompletion',
  Failed: 'lostToFailure',
  Expired: 'lostToExpiry',
  Cancelled: 'cancelled',
};

/**
 * A model of a session and its workflow. It predicts their state after any sequence of actions. If the state depends on the exact time
 * of a poll, the model allows several states.
 */
export class WorldModel {
  phase: 'creating' | 'parked' | 'open' | 'over' = 'creating';
  nowMin = 0;
  /** The number of create requests that have arrived at the service. */
  creates = 0;
  /** The number of create requests that an operator or the policy has repeated or abandoned. */
  orphans = 0;
  retries = 0;
  cancelAsked = false;
  /** The values that the result’s cancel may have, for example `caller: cancelled`. */
  cancels = new Set<string>(['none']);
  failure: string | undefined;
  /** The session at the service that the workflow has created or adopted. */
  session: ServiceModel | undefined;
  /** The session that the last create request has opened at the service, if its answer was lost. */
  lost: ServiceModel | undefined;
  /** The number of polls that may still fail. */
  pollFaults = 0;

  readonly #faults: CreateFault[];
  #busyUntilMin: number | undefined;
  #openedAtMin = 0;
  #deadlineAtMin: number;
  /** The number of the session’s states at the last poll that certainly happened, and at the last poll that may have happened. */
  #seenStates = 0;
  #perhapsSeenStates = 0;

  constructor(readonly start: Start) {
    this.#faults = [...start.createFaults];
    this.#deadlineAtMin = this.#deadlineMin;
    this.#create();
  }

  get padMin(): number {
    return CADENCES[this.start.cadence].padMin;
  }

  /** True if the workflow has ended, or `undefined` if that depends on the time of a poll. */
  hasEnded(): boolean | undefined {
    const { session } = this;
    if (this.phase === 'over') return true;
    if (session === undefined || session.isOpen()) return false;
    if (!session.isUnsigned()) return this.#isSeen();
    if (this.nowMin < this.signableUntilMin()) return false;
    return this.nowMin > this.signableUntilMin() + this.#maxPollGapMin() ? true : undefined;
  }

  /** True if the workflow has ended and certainly never created a session at the service. Its key can be used again. */
  leftNothing(): boolean {
    return this.phase === 'over' && this.session === undefined && this.orphans === 0;
  }

  /** Starts a key again after a workflow that never created a session at the service. */
  beginAnew(): void {
    this.phase = 'creating';
    this.cancelAsked = false;
    this.cancels = new Set(['none']);
    this.failure = undefined;
    this.#deadlineAtMin = this.nowMin + this.#deadlineMin;
    this.#create();
  }

  /** Returns the last time at which a signature certainly counts. */
  signableUntilMin(): number {
    return this.session?.isUnsigned() === true ? this.session.changedAtMin + this.padMin : Infinity;
  }

  advance(minutes: number): void {
    const untilMin = this.nowMin + minutes;
    while (this.#busyUntilMin !== undefined && this.#busyUntilMin <= untilMin) {
      this.nowMin = this.#busyUntilMin;
      this.#busyUntilMin = undefined;
      this.#create();
    }
    if (this.phase === 'open' && this.#deadlineAtMin <= untilMin) this.#passDeadline();
    this.nowMin = untilMin;
    this.session?.settle(untilMin);
    this.lost?.settle(untilMin);
  }

  /** Refreshes the session. Returns true if the refresh certainly polls the service and gets an answer. */
  refresh(): boolean {
    const isCertain = this.pollFaults === 0;
    this.pollFaults = Math.max(0, this.pollFaults - 1);
    this.#poll(isCertain);
    return isCertain;
  }

  /** Cancels the session, as the caller does. Returns the possible answers to `cancelAndWait`. */
  cancel(): readonly string[] {
    const hasEnded = this.hasEnded();
    if (hasEnded === true) return ['alreadyEnded'];
    if (this.phase === 'parked') {
      this.cancelAsked = true;
      return ['CREATE_OUTCOME_UNKNOWN'];
    }
    if (this.phase === 'creating') return [this.#cancelBeforeCreate()];
    const outcome = this.#cancelAtService('caller', hasEnded === false);
    return hasEnded === false ? [outcome] : [outcome, 'alreadyEnded'];
  }

  /** Carries out an operator’s decision about a parked session. */
  resolve(answer: Resolution): void {
    // The session stays parked, as if the operator had not decided.
    if (answer === 'unknown') return;
    this.#deadlineAtMin = this.nowMin + this.#deadlineMin;
    if (answer === 'lost') {
      if (this.lost !== undefined) this.#open(this.lost);
      return;
    }
    this.orphans += 1;
    this.phase = 'creating';
    if (answer === 'abandon') this.#fail('CREATE_ABANDONED');
    else this.retries += 1;
    this.#create();
  }

  #create(): void {
    while (this.phase === 'creating' && this.#busyUntilMin === undefined) {
      if (this.cancelAsked) this.#cancelBeforeCreate();
      else if (this.nowMin >= this.#deadlineAtMin) this.#fail('CREATE_DEADLINE_PASSED');
      else this.#attempt();
    }
  }

  #attempt(): void {
    this.creates += 1;
    if (this.creates === 1 && this.start.isCancelledMeanwhile) this.cancelAsked = true;
    const fault = this.#faults.shift();
    const atService = new ServiceModel(this.start.kind, this.nowMin);
    this.lost = fault === 'answerLost' ? atService : undefined;
    if (fault === undefined) this.#open(atService);
    else if (fault === 'busy') this.#busyUntilMin = this.cancelAsked ? undefined : this.#busyUntil();
    else if (this.start.onUnknownCreate === 'retry' && this.orphans < MAX_ORPHANS) this.orphans += 1;
    else this.phase = 'parked';
  }

  /** Returns the end of the wait for a busy service. It is at most the deadline. */
  #busyUntil(): number {
    return Math.min(this.nowMin + BUSY_MIN, this.#deadlineAtMin);
  }

  #open(session: ServiceModel): void {
    this.phase = 'open';
    this.session = session;
    this.#openedAtMin = this.nowMin;
    if (this.cancelAsked) this.#cancelAtService('caller', true);
    this.#poll(true);
  }

  #cancelBeforeCreate(): string {
    const outcome = this.orphans > 0 ? 'possiblyCreated' : 'neverCreated';
    this.cancels = new Set([`caller: ${outcome}`]);
    this.phase = 'over';
    this.#busyUntilMin = undefined;
    return outcome;
  }

  #fail(code: string): void {
    this.phase = 'over';
    this.failure = code;
  }

  #passDeadline(): void {
    this.nowMin = Math.max(this.nowMin, this.#deadlineAtMin);
    this.#deadlineAtMin = Infinity;
    this.session?.settle(this.nowMin);
    const isOpen = this.session?.isOpen() === true;
    // If the session has ended but no poll has seen that yet, the workflow still sends a cancel. The cancel has no effect.
    if (isOpen || this.#isSeen() !== true) this.#cancelAtService('deadline', isOpen);
  }

  #cancelAtService(by: 'caller' | 'deadline', isCertain: boolean): string {
    const { session } = this;
    session?.settle(this.nowMin);
    if (session?.isOpen() === true) session.become('Cancelled/EFT0501', this.nowMin);
    const outcome = LOST[session?.status ?? ''] ?? 'unknown';
    if (isCertain) this.cancels.clear();
    this.cancels.add(`${by}: ${outcome}`);
    this.#poll(isCertain);
    return outcome;
  }

  #poll(isCertain: boolean): void {
    const states = this.session?.states.length ?? 0;
    this.#perhapsSeenStates = states;
    if (isCertain) this.#seenStates = states;
  }

  /** True if the workflow knows the session’s current state, or `undefined` if that depends on the time of a poll. */
  #isSeen(): boolean | undefined {
    const { session, nowMin } = this;
    if (session === undefined) return false;
    if (this.#seenStates === session.states.length) return true;
    if (nowMin > session.changedAtMin + this.#maxPollGapMin()) return true;
    // A session with the cadence `slow` is first polled almost a day after it opened.
    const isUnpolled = this.start.cadence === 'slow' && nowMin - this.#openedAtMin < 1_200;
    return isUnpolled && this.#perhapsSeenStates < session.states.length ? false : undefined;
  }

  /** Returns the maximum time between two polls in minutes, including jitter, faults and pauses of the account. */
  #maxPollGapMin(): number {
    return CADENCES[this.start.cadence].slowestUnsignedPollMin * 1.2 * (this.pollFaults + 1) + 10;
  }

  get #deadlineMin(): number {
    return this.start.isShort ? SHORT_DEADLINE_MIN : CADENCES[this.start.cadence].deadlineMin;
  }
}
