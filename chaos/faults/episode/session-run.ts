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
import { answersOfResets, perform } from './acts';
import { deadlinesOf } from './deadlines';
import { decisionOf } from './decision';
import { closedAtMs, readEnding, untilEnded } from './ending';
import { retryUntilAnswered } from './retry-until';
import { QUICK_POLICY, requestOf } from './request';
import { Truth } from './truth';
import type { Lane, World } from './world';

/** The interval at which a person checks again, in milliseconds. */
const DECIDES_AGAIN_AFTER_MS = 3_000;
/** The most decisions about a session. A session that still waits for a person is stuck. */
const MOST_DECISIONS = 20;
/** An unavailable service is back after this many reads of the session, even if no worker notices before. */
const REFUSED_LOOKS = 12;
const LOOK_EVERY_MS = 150;

/** Further possible answers to a start, or to a read of a session. */
const ENDINGS_OF_CALLS = [
  'CREATE_OUTCOME_UNKNOWN',
  'CREATE_ABANDONED',
  'CREATE_DEADLINE_PASSED',
  'SESSION_NOT_OPENED',
  'SESSION_STILL_OPENING',
  'SERVICE_REQUEST_REJECTED',
];

/**
 * Possible answers to a decision. The list lags behind, so another person may have decided before. A session of
 * another key is refused.
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
/** The time from a settlement until its return, in milliseconds. Files of any day can be read at any time. */
const RETURNS_AFTER_MS = 2 * 86_400_000;
/** The number of polls after which a session is under way. */
const POLLS_UNDER_WAY = 3;

/** The session's view of its episode. */
export interface OfEpisode {
  /** The reference that sessions share. */
  readonly sharedReference: string;
  /** True while no worker runs. */
  readonly isLeftAlone: boolean;
}

/** A session of an episode. Plays its plan, and records the events. */
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
  /** The sessions of other keys that a person named for it. */
  readonly named = new Set<string>();
  /** The number of times that an operator has reset its run. */
  resets = 0;
  /** The session that was polled last: its payor has its link. */
  #followed: string | undefined;
  #polls = 0;
  #isBack = false;
  /** The acts of payors, by session and place in the plan. */
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

  /** The time from which none of its own faults happened any more. */
  get lastDisturbanceMs(): number {
    return Math.max(this.#lastDisturbanceMs, this.lane.authorizeFailedAtMs);
  }

  /** The sessions that the service made for it, oldest first. */
  get created(): readonly SandboxSession[] {
    const { sandbox } = this.world;
    return this.lane.front.sessionsOf(this.key).flatMap((id) => sandbox.session(id) ?? []);
  }

  /** Starts it, and waits until it has ended and all its callers have their answers. */
  async play(stuckAfterMs: number): Promise<void> {
    const { world, plan } = this;
    await this.#record('start', () =>
      plan.opens ? world.sessions.open(this.input) : world.sessions.start(this.input),
    );
    this.#actAt('start');
    const isGivenUp = () => Date.now() - world.desk.quietFromMs(this.lastDisturbanceMs) > stuckAfterMs;
    let hasEnded: boolean;
    let resets: number;
    let looks = 0;
    do {
      ({ resets } = this);
      hasEnded = await untilEnded(this, isGivenUp);
      this.endedAtMs = await closedAtMs(this);
      if (looks === 0) this.#actAt('end');
      looks += 1;
      while (this.#running.size > 0) await Promise.allSettled(this.#running);
      // A run that is reset just as it ends continues. A caller who starts a key again whose session was never
      // created begins a new session.
    } while (hasEnded && (looks === 1 || resets < this.resets));
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

  /** The same at the worker's own stages: before an activity begins and after it has ended. */
  async passInWorker(call: Call, stage: Stage, worker: string): Promise<void> {
    const name = `${call} ${stage}`;
    const occurrence = (this.#passes.get(name) ?? 0) + 1;
    this.#passes.set(name, occurrence);
    await this.pass({ call, occurrence }, stage, worker);
  }

  /** True if it is open and followed, or cannot continue by itself. */
  get isUnderWay(): boolean {
    return this.#polls >= POLLS_UNDER_WAY || this.endedAtMs < Infinity || this.wasParked;
  }

  /** No worker runs: its payor acts, and the service has no more faults. */
  whileAway(): void {
    this.#isBack = true;
    for (const [index, { at, does }] of this.plan.payor.entries())
      if (at === 'away' && this.#followed !== undefined && this.endedAtMs === Infinity)
        this.#pay(this.#followed, index, does);
  }

  /**
   * Acts once for each session: a session that was created again, after a reset, has a payor too. Returns true if
   * that changed the session.
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

  /** Delays the service's answer until a caller has read the session meanwhile. */
  slowly(): Promise<void> {
    return this.#probe();
  }

  /** True if the session waits for a person, and a list of such sessions has shown it. */
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

  /** Reads the state, like a caller at this moment. */
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
    const isWrong = error !== undefined && ![...allowed, ...answersOfResets(this.plan)].includes(error);
    const told = error === undefined ? {} : { error };
    const doneMs = Date.now();
    const strikes = this.world.desk.countBetween(atMs, doneMs);
    this.acts.push({ act, atMs, doneMs, strikes, isCancel: false, isWrong, ...told });
  }

  /** Makes the service unavailable until a worker notices. */
  async #refuse(): Promise<void> {
    const { front } = this.lane;
    front.down();
    for (let look = 0; look < REFUSED_LOOKS; look += 1) {
      const state = await this.handle.state().catch(() => undefined);
      if (state?.trouble !== undefined || state?.phase === 'ended') break;
      await sleep(LOOK_EVERY_MS);
    }
    await front.up();
    this.#disturbed();
  }
}
