import { isPaysessionError, type PaymentSessionInput, type PaymentSessionHandle } from '../../../src';
import type { SandboxSession } from '../../../sandbox';
import { isAt, type Call, type PayorAct, type Point, type SessionPlan, type Stage } from '../plan/plan';
import type { HttpFault } from '../plan/http-faults';
import type { ActRecord, Ending } from '../invariants/evidence';
import type { Player } from '../service/front';
import type { Told } from '../service/exchange';
import { perform } from './acts';
import { insist } from './insist';
import { requestOf } from './request';
import type { Lane, World } from './world';

/** A session of an episode: plays what its plan says, and writes down what happened. */
export class SessionRun implements Player {
  readonly input: PaymentSessionInput;
  readonly acts: ActRecord[] = [];
  readonly startedAtMs = Date.now();
  /** The states that each of its sessions at the service was truly in. */
  readonly truths = new Map<string, Told[]>();
  /** When the payor ended each of them, in milliseconds since 1970. */
  readonly overAtMs = new Map<string, number>();
  /** Milliseconds from a strike to the first answer after it. */
  readonly recoveries: number[] = [];
  /** What was struck, and where. */
  readonly strikes: string[] = [];
  ending: Ending | undefined;
  endedAtMs = Infinity;
  openedAtMs = Infinity;
  wasParked = false;
  wasFound = false;
  #lastDisturbanceMs = Date.now();
  #decidesAt = 0;
  readonly #passes = new Map<string, number>();
  readonly #running = new Set<Promise<unknown>>();

  constructor(
    readonly world: World,
    readonly lane: Lane,
    readonly plan: SessionPlan,
    readonly reference: string,
  ) {
    const { kind, onUnknownCreate } = plan;
    this.input = {
      key: reference,
      account: lane.account,
      request: requestOf(kind, reference, world.canaries),
      policy: {
        onUnknownCreate,
        fastestPoll: '500ms',
        slowestPoll: '1s',
        slowestUnsignedPoll: '500ms',
        refreshSpacing: '200ms',
        deadline: '10m',
        padSignatureDeadline: '10m',
      },
    };
    lane.runs.set(reference, this);
  }

  get handle(): PaymentSessionHandle {
    return this.world.sessions.get(this.input.key);
  }

  /** When nothing of its own went wrong any more. */
  get lastDisturbanceMs(): number {
    return Math.max(this.#lastDisturbanceMs, this.lane.authorizeFailedAtMs);
  }

  disturbed(): void {
    this.#lastDisturbanceMs = Date.now();
  }

  /** Starts it, and waits until it has ended and all its callers have been answered. */
  async play(stuckAfterMs: number): Promise<void> {
    await this.#record('start', async () => {
      if (this.plan.opens) await this.#open();
      else await this.world.sessions.start(this.input);
    });
    this.#actAt('start');
    await this.#untilEnded(stuckAfterMs);
    this.#actAt('end');
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    if (this.ending !== undefined) await this.#readEnding();
  }

  arrive(point: Point, sessionId?: string): HttpFault | undefined {
    for (const { at, does } of this.plan.payor) if (isAt(point, at)) this.#payorDoes(does, sessionId);
    for (const { at, act } of this.plan.acts)
      if (at !== 'start' && at !== 'end' && isAt(point, at)) this.#act(act);
    if (point.call !== 'create') this.openedAtMs = Math.min(this.openedAtMs, Date.now());
    const fault = this.plan.faults.find(({ at }) => isAt(point, at))?.fault;
    if (fault !== undefined) this.disturbed();
    if (fault === 'refused') this.#refuse();
    return fault;
  }

  async pass(point: Point, stage: Stage, worker: string): Promise<void> {
    const planned = this.plan.strikes.find((one) => one.stage === stage && isAt(point, one.at));
    if (planned === undefined) return;
    const where = `${point.call} ${point.occurrence} ${stage}`;
    const name = worker === '' ? this.world.fleet.any() : worker;
    const hasStruck = await this.world.desk.strike(planned.strike, { worker: name, where }, () =>
      this.probe(true),
    );
    if (hasStruck) this.strikes.push(`${planned.strike} ${stage}`);
  }

  /** The same, where the worker says so: before an activity begins and after it has ended. */
  async passInWorker(call: Call, stage: Stage, worker: string): Promise<void> {
    const name = `${call} ${stage}`;
    const occurrence = (this.#passes.get(name) ?? 0) + 1;
    this.#passes.set(name, occurrence);
    await this.pass({ call, occurrence }, stage, worker);
  }

  async slowly(): Promise<void> {
    await this.probe(false);
    this.disturbed();
  }

  /** Asks for the state, as somebody would who looks just now. */
  async probe(isAfterStrike: boolean): Promise<void> {
    const askedAtMs = Date.now();
    await this.#record('probe', () => this.handle.state());
    if (isAfterStrike) this.recoveries.push(Date.now() - askedAtMs);
    this.disturbed();
  }

  /** The session waits for a person, and a list of such sessions has shown it. */
  async decide(): Promise<void> {
    this.wasFound = true;
    this.wasParked = true;
    if (Date.now() < this.#decidesAt) return;
    this.#decidesAt = Date.now() + DECIDES_AGAIN_AFTER_MS;
    const [created] = this.#created();
    const { decision } = this.plan;
    const answer =
      decision === 'adopt' && created !== undefined
        ? { sessionId: created.sessionId }
        : decision === 'abandon'
          ? ({ abandon: true } as const)
          : ({ retry: true } as const);
    // It may be decided already: the list lags behind.
    const allowed = ['INVALID_INPUT', 'CREATE_ABANDONED', 'SESSION_NOT_FOUND'];
    await this.#record('decision', () => this.handle.resolveCreate(answer, { by: 'campaign' }), allowed);
    this.disturbed();
  }

  /** The sessions that the service made for it, oldest first. */
  #created(): SandboxSession[] {
    return [...this.lane.front.sessionsOf(this.reference)].flatMap(
      (sessionId) => this.world.sandbox.session(sessionId) ?? [],
    );
  }

  created(): readonly SandboxSession[] {
    return this.#created();
  }

  async #open(): Promise<void> {
    await this.world.sessions.open(this.input);
  }

  #actAt(when: 'start' | 'end'): void {
    for (const { at, act } of this.plan.acts) if (at === when) this.#act(act);
  }

  #act(act: SessionPlan['acts'][number]['act']): void {
    const run = perform(act, this).then((records) => {
      this.acts.push(...records);
      this.disturbed();
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
    const error = await insist(call, this.world.patienceMs);
    const isWrong = error !== undefined && !allowed.includes(error);
    this.acts.push({
      act,
      atMs,
      doneMs: Date.now(),
      isCancel: false,
      isWrong,
      ...(error !== undefined && { error }),
    });
  }

  #payorDoes(planned: PayorAct, sessionId: string | undefined): void {
    if (sessionId === undefined) return;
    const isETransfer = this.plan.kind === 'e-Transfer';
    // It has no agreement to sign.
    if (isETransfer && planned === 'bankValidated') return;
    const does = isETransfer && planned === 'padSigned' ? 'completed' : planned;
    const result = this.world.sandbox.act(sessionId, does);
    this.disturbed();
    if (!result.accepted) return;
    const { status, code } = result.session.state;
    this.#truthOf(sessionId).push({ status, ...(code !== undefined && { code }) });
    if (isOver(result.session)) this.overAtMs.set(sessionId, Date.now());
    if (this.plan.hasPage) this.#act('refresh');
  }

  /** What the service has been through with a session, but for what happened last. */
  #truthOf(sessionId: string): Told[] {
    const begun = this.truths.get(sessionId) ?? [
      { status: 'Initiated', ...(this.plan.kind !== 'e-Transfer' && { code: 'EFT0101' }) },
    ];
    this.truths.set(sessionId, begun);
    return begun;
  }

  /** The states that a session was truly in, each once. */
  truth({ sessionId, state: { status, code } }: SandboxSession): readonly Told[] {
    const known = [...this.#truthOf(sessionId), { status, ...(code !== undefined && { code }) }];
    return known.filter(
      (one, index) => index === 0 || JSON.stringify(one) !== JSON.stringify(known[index - 1]),
    );
  }

  /** The service is gone until somebody sees that it is. */
  #refuse(): void {
    const { front } = this.lane;
    front.down();
    const isSeen = async () => {
      const state = await this.handle.state();
      if (state.trouble === undefined && state.phase !== 'ended') throw new Error('not seen yet');
    };
    const run = retried(isSeen, REFUSED_LOOKS)
      .then(() => front.up())
      .then(() => {
        this.disturbed();
      });
    this.#track(run);
  }

  async #untilEnded(stuckAfterMs: number): Promise<void> {
    for (;;) {
      const patience = new AbortController();
      const timer = setTimeout(() => {
        patience.abort();
      }, 5_000);
      try {
        await this.world.client.withAbortSignal(patience.signal, () => this.handle.result());
        this.endedAtMs = Date.now();
        this.ending = PENDING;
        return;
      } catch (error) {
        if (isPaysessionError(error) && !TRANSIENT.includes(error.code) && !patience.signal.aborted) {
          this.endedAtMs = Date.now();
          this.ending = PENDING;
          return;
        }
      } finally {
        clearTimeout(timer);
      }
      const quietFromMs = this.world.desk.quietFromMs(this.lastDisturbanceMs);
      if (Date.now() - quietFromMs > stuckAfterMs) {
        this.endedAtMs = Date.now();
        return;
      }
    }
  }

  /** As every caller can read it from now on, without a worker. */
  async #readEnding(): Promise<void> {
    const { handle } = this;
    await insist(async () => {
      const state = await handle.state();
      const stateHistory = await handle.stateHistory();
      this.ending =
        state.failure === undefined
          ? { how: 'ended', result: await handle.result() }
          : { how: 'failed', code: state.failure.code, state, stateHistory };
    });
  }
}

const isOver = ({ state: { status, code } }: SandboxSession): boolean =>
  status !== 'Initiated' && code !== 'EFT0302';

/** Until it is read. */
const PENDING = {} as Ending;

/** A person looks again after this time, in milliseconds. */
const DECIDES_AGAIN_AFTER_MS = 3_000;
const REFUSED_LOOKS = 12;
const LOOK_EVERY_MS = 150;
const TRANSIENT: readonly string[] = ['ENGINE_UNAVAILABLE', 'WORKER_UNAVAILABLE'];

/** How a start, or a look at a session, may be answered besides. */
const ENDINGS_OF_CALLS = [
  'CREATE_OUTCOME_UNKNOWN',
  'CREATE_ABANDONED',
  'SESSION_NOT_OPENED',
  'SESSION_STILL_OPENING',
  'SERVICE_REQUEST_REJECTED',
];

async function retried(look: () => Promise<void>, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    try {
      await look();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}
