import { ServiceModel, type Kind } from './service-model';

/** A fault of a create: its answer is lost, with or without a session, or the service is too busy to accept it. */
export type CreateFault = 'answerLost' | 'callLost' | 'status500' | 'busy';

/** A person's decision about a parked create. It may name the lost session, or one that does not exist. */
export type Resolution = 'retry' | 'abandon' | 'lost' | 'unknown';

/** The start of a sequence. */
export interface Start {
  readonly kind: Kind;
  readonly cadence: keyof typeof CADENCES;
  readonly onUnknownCreate: 'park' | 'retry';
  /** True if the overall deadline is less than an hour. */
  readonly isShort: boolean;
  readonly authorizeFaults: number;
  readonly createFaults: readonly CreateFault[];
  /** True if the caller cancels while the first create is under way. */
  readonly isCancelledMeanwhile: boolean;
}

/**
 * Minutes. Time passes in steps of twenty, payors act at five past, and sessions expire at ten or fifteen past (a
 * create may take some minutes of back-off), so no two events coincide.
 */
export const CADENCES = {
  brisk: { pollMin: 10, slowestUnsignedPollMin: 60, deadlineMin: 25 * 60, padMin: 9 * 60 },
  slow: { pollMin: 1_440, slowestUnsignedPollMin: 1_440, deadlineMin: 3 * 1_440, padMin: 10 * 1_440 },
} as const;
export const SHORT_DEADLINE_MIN = 41;
/** Below the longest `Retry-After` that the client obeys. */
export const BUSY_MIN = 14;

const MAX_ORPHANS = 3;

export const LOST: Readonly<Record<string, string>> = {
  Completed: 'lostToCompletion',
  Failed: 'lostToFailure',
  Expired: 'lostToExpiry',
  Cancelled: 'cancelled',
};

/**
 * The expected state of a session after any actions. If it depends on the time of a poll, the model lists the
 * possible states.
 */
export class WorldModel {
  phase: 'creating' | 'parked' | 'open' | 'over' = 'creating';
  nowMin = 0;
  /** Creates that reached the service. */
  creates = 0;
  /** Creates that a person or the policy has repeated or given up. */
  orphans = 0;
  retries = 0;
  cancelAsked = false;
  /** The possible values of the result's cancel: `caller: cancelled`. */
  cancels = new Set<string>(['none']);
  failure: string | undefined;
  /** The session that the caller has. */
  session: ServiceModel | undefined;
  /** The session that the last create left at the service if its answer was lost. */
  lost: ServiceModel | undefined;
  /** The number of polls that may still fail. */
  pollFaults = 0;

  readonly #faults: CreateFault[];
  #busyUntilMin: number | undefined;
  #openedAtMin = 0;
  #deadlineAtMin: number;
  /** The number of states that the session had been in at its last certain poll, and at its last possible poll. */
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

  /** True if the workflow has ended; `undefined` if a poll decides it. */
  hasEnded(): boolean | undefined {
    const { session } = this;
    if (this.phase === 'over') return true;
    if (session === undefined || session.isOpen()) return false;
    if (!session.isUnsigned()) return this.#isSeen();
    if (this.nowMin < this.signableUntilMin()) return false;
    return this.nowMin > this.signableUntilMin() + this.#looksWithinMin() ? true : undefined;
  }

  /** True if it has ended, and certainly never created a session at the service. Its key can be used again. */
  leftNothing(): boolean {
    return this.phase === 'over' && this.session === undefined && this.orphans === 0;
  }

  /** Starts a key again that never created a session at the service. */
  beginAnew(): void {
    this.phase = 'creating';
    this.cancelAsked = false;
    this.cancels = new Set(['none']);
    this.failure = undefined;
    this.#deadlineAtMin = this.nowMin + this.#deadlineMin;
    this.#create();
  }

  /** Returns the time until which a signature certainly counts. */
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

  /** True if a refresh certainly polls the service, and gets an answer. */
  refresh(): boolean {
    const isCertain = this.pollFaults === 0;
    this.pollFaults = Math.max(0, this.pollFaults - 1);
    this.#look(isCertain);
    return isCertain;
  }

  /** Cancels like a caller. Returns the possible answers. */
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

  /** A person settles a parked create. */
  resolve(answer: Resolution): void {
    // The session continues to wait, as if without an answer.
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

  /** Ends the wait for a busy service at the deadline. */
  #busyUntil(): number {
    return Math.min(this.nowMin + BUSY_MIN, this.#deadlineAtMin);
  }

  #open(session: ServiceModel): void {
    this.phase = 'open';
    this.session = session;
    this.#openedAtMin = this.nowMin;
    if (this.cancelAsked) this.#cancelAtService('caller', true);
    this.#look(true);
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
    // Cancels a session that has ended, without success, if no poll has shown its end yet.
    if (isOpen || this.#isSeen() !== true) this.#cancelAtService('deadline', isOpen);
  }

  #cancelAtService(by: 'caller' | 'deadline', isCertain: boolean): string {
    const { session } = this;
    session?.settle(this.nowMin);
    if (session?.isOpen() === true) session.become('Cancelled/EFT0501', this.nowMin);
    const outcome = LOST[session?.status ?? ''] ?? 'unknown';
    if (isCertain) this.cancels.clear();
    this.cancels.add(`${by}: ${outcome}`);
    this.#look(isCertain);
    return outcome;
  }

  #look(isCertain: boolean): void {
    const states = this.session?.states.length ?? 0;
    this.#perhapsSeenStates = states;
    if (isCertain) this.#seenStates = states;
  }

  /** True if the workflow knows the state of the session; `undefined` if that depends on a poll. */
  #isSeen(): boolean | undefined {
    const { session, nowMin } = this;
    if (session === undefined) return false;
    if (this.#seenStates === session.states.length) return true;
    if (nowMin > session.changedAtMin + this.#looksWithinMin()) return true;
    // The first poll is most of a day later.
    const isUnpolled = this.start.cadence === 'slow' && nowMin - this.#openedAtMin < 1_200;
    return isUnpolled && this.#perhapsSeenStates < session.states.length ? false : undefined;
  }

  /** Returns the longest time between two polls, including jitter, faults and pauses of the account. */
  #looksWithinMin(): number {
    return CADENCES[this.start.cadence].slowestUnsignedPollMin * 1.2 * (this.pollFaults + 1) + 10;
  }

  get #deadlineMin(): number {
    return this.start.isShort ? SHORT_DEADLINE_MIN : CADENCES[this.start.cadence].deadlineMin;
  }
}
