import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentSessionInput, PaymentSessionHandle } from '../../../src';
import type { SandboxSession } from '../../../sandbox';
import {
  isAt,
  isSince,
  type Act,
  type Call,
  type PayorAct,
  type Point,
  type SessionPlan,
  type Stage,
} from '../plan/plan';
import type { HttpFault } from '../plan/http-faults';
import type { ActRecord, Ending } from '../invariants/evidence';
import type { Player } from '../service/front';
import { errorsOfResets, perform } from './acts';
import { deadlinesOf } from './deadlines';
import { decisionOf } from './decision';
import { closedAtMs, readEnding, untilEnded } from './ending';
import { retryUntilAnswered } from './retry-until';
import { QUICK_POLICY, requestOf } from './request';
import { Truth } from './truth';
import type { Lane, World } from './world';

/** The shortest time between two decisions about a session, in milliseconds. */
const DECIDES_AGAIN_AFTER_MS = 3_000;
/**
 * Each operator's decision extends the time within which a session must end. Only this many decisions do so. If the session is parked again
 * after that, it counts as stuck.
 */
const MOST_DECISIONS = 20;
/** After this many reads of the session, an unavailable service is made available again, even if no worker has noticed the outage. */
const REFUSED_READS = 12;
const READ_EVERY_MS = 150;

/** Permitted error codes of a start, or of a read of a session. */
const ENDINGS_OF_CALLS = [
  'CREATE_OUTCOME_UNKNOWN',
  'CREATE_ABANDONED',
  'CREATE_DEADLINE_PASSED',
  'SESSION_NOT_OPENED',
  'SESSION_STILL_OPENING',
  'SERVICE_REQUEST_REJECTED',
];

/**
 * Permitted error codes of an operator's decision. The list of parked sessions is sometimes out of date, so the session may have left that
 * state. A decision that names the session of another key may be refused.
 */
const ANSWERS_OF_DECISIONS = [
  'INVALID_INPUT',
  'CREATE_ABANDONED',
  'CREATE_DEADLINE_PASSED',
  'SESSION_NOT_FOUND',
  'SESSION_FOLLOWED',
  'SESSION_MAYBE_FOLLOWED',
  'SESSION_MISMATCH',
];
/**
 * The time from a settlement until its return, in milliseconds. It may lie in the future, because the sandbox's files of any day can be
 * read at any time.
 */
const RETURNS_AFTER_MS = 2 * 86_400_000;
/** The number of polls after which a session is under way. */
const POLLS_UNDER_WAY = 3;

/** Data that all sessions of an episode share. */
export interface OfEpisode {
  /** The reference that all sessions with similar payments have. */
  readonly sharedReference: string;
  /** True if the plan has an outage, during which the sessions are left alone. */
  readonly isLeftAlone: boolean;
}

/** Plays the plan of one session of an episode, and records what happens. */
export class SessionRun implements Player {
  readonly input: PaymentSessionInput;
  readonly acts: ActRecord[] = [];
  readonly truth: Truth;
  readonly startedAtMs = Date.now();
  ending: Ending | undefined;
  endedAtMs = Infinity;
  openedAtMs = Infinity;
  wasParked = false;
  wasFound = false;
  /** The sessions of other keys that the operator has named for this key. */
  readonly named = new Set<string>();
  /** The number of resets of the session's run. */
  resets = 0;
  /** The service's session that was polled last. The payor acts in this session. */
  #followed: string | undefined;
  #polls = 0;
  #isBack = false;
  /** The payor's acts that are done. Each is a session's id and the act's position in the plan. */
  readonly #done = new Set<string>();
  #lastDisturbanceMs = Date.now();
  #decidesAtMs = 0;
  #decisions = 0;
  readonly #passes = new Map<string, number>();
  readonly #running = new Set<Promise<unknown>>();

  constructor(
    readonly world: World,
    readonly lane: Lane,
    readonly plan: SessionPlan,
    readonly key: string,
    { sharedReference, isLeftAlone }: OfEpisode,
  ) {
    const { kind, onUnknownCreate, sharesReference } = plan;
    this.truth = new Truth(world.sandbox, kind);
    this.input = {
      key,
      account: lane.account,
      request: requestOf(kind, { key, referenceId: sharesReference ? sharedReference : key }, world.canaries),
      policy: {
        onUnknownCreate,
        ...QUICK_POLICY,
        ...deadlinesOf(plan, isLeftAlone),
      },
    };
    lane.runs.set(key, this);
  }

  get handle(): PaymentSessionHandle {
    return this.world.sessions.get(this.input.key);
  }

  /** The time of the last event that may delay the session, such as a fault or a call, in milliseconds since 1970. */
  get lastDisturbanceMs(): number {
    return Math.max(this.#lastDisturbanceMs, this.lane.authorizeFailedAtMs);
  }

  /** The sessions that the service made for this key, oldest first. */
  get created(): readonly SandboxSession[] {
    const { sandbox } = this.world;
    return this.lane.front.sessionsOf(this.key).flatMap((id) => sandbox.session(id) ?? []);
  }

  /** Starts the session, and waits until it has ended and all its callers have their answers. */
  async play(stuckAfterMs: number): Promise<void> {
    const { world, plan } = this;
    await this.#record('start', () =>
      plan.opens ? world.sessions.open(this.input) : world.sessions.start(this.input),
    );
    this.#actAt('start');
    const isGivenUp = () => Date.now() - world.desk.quietFromMs(this.lastDisturbanceMs) > stuckAfterMs;
    let hasEnded: boolean;
    let resets: number;
    let endings = 0;
    do {
      ({ resets } = this);
      hasEnded = await untilEnded(this, isGivenUp);
      this.endedAtMs = await closedAtMs(this);
      if (endings === 0) this.#actAt('end');
      endings += 1;
      while (this.#running.size > 0) await Promise.allSettled(this.#running);
      // Waits for the end again, because the session may run again. A run that is reset just before its end continues. Or a caller may have
      // started the key again, if its session was never created.
    } while (hasEnded && (endings === 1 || resets < this.resets));
    if (hasEnded) this.ending = await readEnding(() => this.handle);
  }

  arrive(point: Point, sessionId?: string): HttpFault | undefined {
    const { payor, acts, faults, hasPage } = this.plan;
    const isLast = this.world.windsUp() && point.call === 'details';
    for (const [index, { at, does }] of payor.entries()) {
      const isDue = at === 'away' ? this.#isBack : isSince(point, at);
      if (sessionId === undefined || !(isLast || isDue)) continue;
      if (this.#pay(sessionId, index, does) && hasPage) this.#act('refresh');
    }
    if (point.call === 'details') {
      this.#followed = sessionId;
      this.#polls += 1;
    }
    if (point.call !== 'create') this.openedAtMs = Math.min(this.openedAtMs, Date.now());
    if (this.world.windsUp() || this.#isBack) return undefined;
    for (const { at, act } of acts) if (at !== 'start' && at !== 'end' && isAt(point, at)) this.#act(act);
    const fault = faults.find(({ at }) => isAt(point, at))?.fault;
    if (fault !== undefined) this.#disturbed();
    if (fault === 'refused') this.#track(this.#refuse());
    return fault;
  }

  async pass(point: Point, stage: Stage, worker: string): Promise<void> {
    const planned = this.plan.strikes.find((one) => one.stage === stage && isAt(point, one.at));
    if (planned === undefined || this.world.windsUp()) return;
    const where = `${point.call} ${point.occurrence} ${stage}`;
    await this.world.desk.strike(planned.strike, { worker, where }, () => this.#probe());
  }

  /** The same as `pass`, for the two stages inside a worker: before an activity begins, and after it has ended. */
  async passInWorker(call: Call, stage: Stage, worker: string): Promise<void> {
    const name = `${call} ${stage}`;
    const occurrence = (this.#passes.get(name) ?? 0) + 1;
    this.#passes.set(name, occurrence);
    await this.pass({ call, occurrence }, stage, worker);
  }

  /** True if the session has been polled three times, has ended, or is parked. */
  get isUnderWay(): boolean {
    return this.#polls >= POLLS_UNDER_WAY || this.endedAtMs < Infinity || this.wasParked;
  }

  /** Called when the planned outage has begun. The payor acts. From now on, there are no more HTTP faults. */
  whileAway(): void {
    this.#isBack = true;
    for (const [index, { at, does }] of this.plan.payor.entries())
      if (at === 'away' && this.#followed !== undefined && this.endedAtMs === Infinity)
        this.#pay(this.#followed, index, does);
  }

  /**
   * Performs an act of the payor in a session of the service. Each session gets each act once. The key may have several sessions at the
   * service, for example after a reset. Returns true if the act changed the session.
   */
  #pay(sessionId: string, index: number, does: PayorAct): boolean {
    const act = `${sessionId} ${index}`;
    if (this.#done.has(act)) return false;
    this.#done.add(act);
    this.#disturbed();
    const { returns } = this.plan.money ?? {};
    const hasChanged = this.truth.act(sessionId, does);
    if (hasChanged && returns !== undefined)
      this.world.sandbox.returnAfter(sessionId, RETURNS_AFTER_MS, returns);
    return hasChanged;
  }

  /** Delays the service's answer. Resolves when a caller has read the session in the meantime. */
  slowly(): Promise<void> {
    return this.#probe();
  }

  /** Decides about the session as an operator who has found it in the list of parked sessions. */
  async decide(): Promise<void> {
    this.wasFound = true;
    this.wasParked = true;
    if (Date.now() < this.#decidesAtMs) return;
    this.#decidesAtMs = Date.now() + DECIDES_AGAIN_AFTER_MS;
    const decision = decisionOf(this);
    await this.#record(
      'decision',
      () => this.handle.resolveCreate(decision, { by: 'campaign' }),
      ANSWERS_OF_DECISIONS,
    );
    this.#decisions += 1;
    if (this.#decisions < MOST_DECISIONS) this.#disturbed();
  }

  /** Reads the session's state as a caller. */
  async #probe(): Promise<void> {
    await this.#record('probe', () => this.handle.state());
    this.#disturbed();
  }

  #disturbed(): void {
    this.#lastDisturbanceMs = Date.now();
  }

  #actAt(when: 'start' | 'end'): void {
    for (const { at, act } of this.plan.acts) if (at === when) this.#act(act);
  }

  #act(act: Act): void {
    const run = perform(act, this).then((records) => {
      this.acts.push(...records);
      this.#disturbed();
    });
    this.#track(run);
  }

  #track(run: Promise<unknown>): void {
    const tracked = run.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }

  async #record(
    act: ActRecord['act'],
    call: () => Promise<unknown>,
    allowed: readonly string[] = ENDINGS_OF_CALLS,
  ): Promise<void> {
    const atMs = Date.now();
    const error = await retryUntilAnswered(call, this.world.patienceMs);
    const isWrong = error !== undefined && ![...allowed, ...errorsOfResets(this.plan)].includes(error);
    const told = error === undefined ? {} : { error };
    const doneMs = Date.now();
    const strikes = this.world.desk.countBetween(atMs, doneMs);
    this.acts.push({ act, atMs, doneMs, strikes, isCancel: false, isWrong, ...told });
  }

  /** Makes the service unavailable until a worker has noticed it. */
  async #refuse(): Promise<void> {
    const { front } = this.lane;
    front.down();
    for (let read = 0; read < REFUSED_READS; read += 1) {
      const state = await this.handle.state().catch(() => undefined);
      if (state?.trouble !== undefined || state?.phase === 'ended') break;
      await sleep(READ_EVERY_MS);
    }
    await front.up();
    this.#disturbed();
  }
}
