import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentSessionHandle, PaymentSessionInput, ResolveCreate } from '../../../src';
import { codeOf, retryUntilAnswered } from '../episode/retry-until';
import { QUICK_POLICY, requestOf } from '../episode/request';
import { Truth } from '../episode/truth';
import type { Lane, World, WorkerPlayer } from '../episode/world';
import type { DecisionRecord, DroppedRun, KeyCall } from '../invariants/key-evidence';
import type { HttpFault } from '../plan/http-faults';
import {
  isAt,
  type Call,
  type KeyPlan,
  type KeyStep,
  type Moment,
  type Point,
  type Stage,
} from '../plan/plan';

/** Deadlines that are longer than any episode, so they do not pass. */
const DEADLINES = { deadline: '2h', padSignatureDeadline: '2h' } as const;
/** The amounts of the two requests for a key, in dollars. */
export const AMOUNT = 25;
const OTHER_AMOUNT = 26;

const SOON_MS = 400;
/** The longest wait of a step for its moment, in milliseconds. */
const MOMENT_WITHIN_MS = 2_500;
const CHECK_EVERY_MS = 50;
/** The time, in milliseconds, for which the service is unavailable or delays an answer. */
const SERVICE_GONE_MS = 600;
/** Longer than a restore of both servers, in milliseconds. */
const PATIENCE_MS = 90_000;
/** Longer than the Temporal server takes to drop a workflow, in milliseconds. */
const DROPPED_WITHIN_MS = 10_000;

/** A step that concerns only its own key. */
export type OwnStep = Exclude<KeyStep, 'sweep' | 'file' | `copy${string}` | `restore${string}`>;

/** Plays the plan's steps for one key of an episode, and records what happens. Most calls of a step continue during the next step. */
export class KeyRun implements WorkerPlayer {
  readonly truth: Truth;
  readonly decisions: DecisionRecord[] = [];
  readonly drops: DroppedRun[] = [];
  readonly calls: KeyCall[] = [];
  readonly figures = { starts: 0, terminations: 0, dropped: 0 };
  /** The number of calls that the service has received for the key since its last start. */
  #points: Record<Call, number> = { create: 0, details: 0, cancel: 0 };
  readonly #passes = new Map<string, number>();
  readonly #running = new Set<Promise<unknown>>();
  #isQuiet = false;

  constructor(
    readonly world: World,
    readonly lane: Lane,
    readonly plan: KeyPlan,
    readonly key: string,
    /** The reference of all keys of the episode. It is the same for all, so that their payments look alike. */
    readonly sharedReference: string,
  ) {
    this.truth = new Truth(world.sandbox, 'EFT');
    lane.others.set(key, this);
  }

  get handle(): PaymentSessionHandle {
    return this.world.sessions.get(this.key);
  }

  /** The sessions that the service made for the key, oldest first. */
  get made(): readonly string[] {
    return this.lane.front.sessionsOf(this.key);
  }

  /** Plays a step. Resolves when the next step may begin. */
  async take(does: OwnStep, others: readonly KeyRun[]): Promise<void> {
    const { world, handle } = this;
    switch (does) {
      case 'start':
        this.start(AMOUNT);
        return;
      case 'startOther':
        this.start(OTHER_AMOUNT);
        return;
      case 'startAndCancel':
        this.start(AMOUNT, () => handle.cancel());
        return;
      case 'cancel':
        void this.#call('cancel', () => handle.cancel());
        return;
      case 'pay':
        this.pay();
        return;
      case 'fail':
        for (const sessionId of this.made) this.truth.act(sessionId, 'loginFailed');
        return;
      case 'terminate':
        void this.#call('terminate', async () => {
          await world.client.workflow.getHandle(handle.workflowId).terminate('in a campaign');
          this.figures.terminations += 1;
        });
        return;
      case 'drop':
        await this.drop();
        return;
      case 'adopt':
        this.#adopt(this.made.at(-1));
        return;
      case 'adoptOther':
        this.#adopt(others.filter((other) => other !== this).flatMap(({ made }) => made)[0]);
        return;
      case 'retry':
        this.decide({ retry: true });
        return;
      case 'abandon':
        this.decide({ abandon: true });
        return;
    }
  }

  /** Starts the key with a request of this amount. The amount shows which of the key's two requests it is. Then calls `next`. */
  start(amount: number, next: () => Promise<unknown> = () => Promise.resolve()): void {
    this.#points = { create: 0, details: 0, cancel: 0 };
    this.figures.starts += 1;
    const input = this.#input(amount);
    void this.#call(`start ${amount}`, () => this.world.sessions.start(input).then(next));
  }

  /** Lets all payors of the key pay. */
  pay(): void {
    for (const sessionId of this.made) this.truth.act(sessionId, 'completed');
  }

  decide(decision: ResolveCreate): void {
    const made: DecisionRecord = {
      decision: Object.keys(decision)[0] ?? '',
      ...('sessionId' in decision && { sessionId: decision.sessionId }),
      atMs: Date.now(),
      doneAtMs: Infinity,
    };
    this.decisions.push(made);
    const resolve = () => this.handle.resolveCreate(decision, { by: 'campaign' });
    void this.#call(JSON.stringify(decision), resolve).then(() => {
      made.doneAtMs = Date.now();
    });
  }

  /** Makes the Temporal server drop the key's closed workflows, as at the end of their retention. */
  async drop(): Promise<void> {
    const { client } = this.world;
    const { workflowId } = this.handle;
    const { namespace } = client.options;
    const gone: string[] = [];
    const error = await retryUntilAnswered(async () => {
      for await (const run of client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
        const { runId, startTime, closeTime } = run;
        if (run.status.name === 'RUNNING' || closeTime === undefined || gone.includes(runId)) continue;
        const workflowExecution = { workflowId, runId };
        await client.workflowService
          .deleteWorkflowExecution({ namespace, workflowExecution })
          .catch(unlessGone);
        this.drops.push({ atMs: Date.now(), fromMs: startTime.getTime(), toMs: closeTime.getTime() });
        gone.push(runId);
      }
    }, PATIENCE_MS);
    if (error !== undefined) this.calls.push({ does: 'drop', atMs: Date.now(), error });
    this.figures.dropped += gone.length;
    for (const runId of gone) await this.#untilGone(runId);
  }

  /** Waits until the moment of a step has come, for at most `MOMENT_WITHIN_MS`. */
  async untilMoment(moment: Moment): Promise<void> {
    if (moment === 'soon') await sleep(SOON_MS);
    if (moment === 'now' || moment === 'soon') return;
    const untilMs = Date.now() + MOMENT_WITHIN_MS;
    while (Date.now() < untilMs && !(await this.#hasCome(moment))) await sleep(CHECK_EVERY_MS);
  }

  async #hasCome(moment: Exclude<Moment, 'now' | 'soon'>): Promise<boolean> {
    if (moment === 'sent') return this.#points.create > 0;
    if (moment === 'open') return this.#points.details > 0;
    return (await this.status()) !== 'RUNNING';
  }

  /** Returns the status of the key's newest workflow, or `undefined` if Temporal has no workflow of the key. */
  async status(): Promise<string | undefined> {
    let status: string | undefined;
    await retryUntilAnswered(async () => {
      ({
        status: { name: status },
      } = await this.world.client.workflow.getHandle(this.handle.workflowId).describe());
    }, PATIENCE_MS);
    return status;
  }

  /** From now on, the key has no more faults and strikes. Resolves when all its callers have their answers. */
  async quieten(): Promise<void> {
    this.#isQuiet = true;
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  arrive(point: Point): HttpFault | undefined {
    this.#points[point.call] += 1;
    if (this.#isQuiet) return undefined;
    const fault = this.plan.faults.find(({ at }) => isAt(point, at))?.fault;
    if (fault === 'refused') this.#track(this.#refuse());
    return fault;
  }

  async pass(point: Point, stage: Stage, worker: string): Promise<void> {
    const planned = this.plan.strikes.find((one) => one.stage === stage && isAt(point, one.at));
    if (planned === undefined || this.#isQuiet) return;
    const where = `${point.call} ${point.occurrence} ${stage}`;
    await this.world.desk.strike(planned.strike, { worker, where }, async () => {
      await retryUntilAnswered(() => this.handle.state(), PATIENCE_MS);
    });
  }

  async passInWorker(call: Call, stage: Stage, worker: string): Promise<void> {
    const name = `${call} ${stage}`;
    const occurrence = (this.#passes.get(name) ?? 0) + 1;
    this.#passes.set(name, occurrence);
    await this.pass({ call, occurrence }, stage, worker);
  }

  slowly(): Promise<void> {
    return sleep(SERVICE_GONE_MS);
  }

  #input(amount: number): PaymentSessionInput {
    const { key, lane, sharedReference: referenceId, plan, world } = this;
    const request = requestOf('EFT', { key, referenceId }, world.canaries);
    const { onUnknownCreate } = plan;
    const policy = { onUnknownCreate, ...QUICK_POLICY, ...DEADLINES };
    return { key, account: lane.account, request: { ...request, amount }, policy };
  }

  #adopt(sessionId: string | undefined): void {
    if (sessionId !== undefined) this.decide({ sessionId });
  }

  #call(does: string, call: () => Promise<unknown>): Promise<void> {
    const made: KeyCall = { does, atMs: Date.now() };
    this.calls.push(made);
    const answered = retryUntilAnswered(call, PATIENCE_MS).then((error) => {
      made.doneAtMs = Date.now();
      if (error !== undefined) made.error = error;
    });
    this.#track(answered);
    return answered;
  }

  #track(run: Promise<unknown>): void {
    const tracked = run.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }

  async #untilGone(runId: string): Promise<void> {
    const run = this.world.client.workflow.getHandle(this.handle.workflowId, runId);
    const untilMs = Date.now() + DROPPED_WITHIN_MS;
    while (Date.now() < untilMs) {
      const answer = await retryUntilAnswered(() => run.describe(), PATIENCE_MS);
      if (answer === 'WorkflowNotFoundError') return;
      await sleep(CHECK_EVERY_MS);
    }
  }

  /** Makes the service unavailable for a moment. */
  async #refuse(): Promise<void> {
    const { front } = this.lane;
    front.down();
    await sleep(SERVICE_GONE_MS);
    await front.up();
  }
}

function unlessGone(error: unknown): void {
  if (codeOf(error) !== 'WorkflowNotFoundError') throw error;
}
