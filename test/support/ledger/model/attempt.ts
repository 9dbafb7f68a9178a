import { CompleteAsyncError, type Info } from '@temporalio/activity';
import { asActivity } from '../../activities/as-activity';
import { createActivities, type ActivitiesOptions, type Claims } from '../../../../activities';
import type { CreateSessionInput } from '../../../../src/protocol/activities';
import type { SessionRequest } from '../../../../src';
import type { PacedService } from '../../../../src/service';
import { PaysessionError } from '../../../../src/errors';
import { Gates, isAbandoned, type How } from './gates';
import type { Run, ScheduledActivity } from './run';
import { failure, type ServedSession, type SimulatedService } from './simulated-service';
import { UnknownAttempt, type AttemptPlace, type SimulatedTemporal } from './simulated-temporal';
import type { SessionLedger } from '../../../../activities/ledger';

/** Everything that an attempt needs from its world. */
export interface AttemptParts {
  readonly temporal: SimulatedTemporal;
  readonly service: SimulatedService;
  readonly claims: Claims;
  /** The worker’s ledger, or `undefined` for a worker without a ledger. */
  readonly ledger: SessionLedger | undefined;
  readonly now: () => number;
  /** Called before a create request leaves the worker. */
  readonly sending: (input: CreateSessionInput, place: AttemptPlace) => void;
  /** Called after the service has created a session. */
  readonly sent: (session: ServedSession) => Promise<void>;
  /** Adds a line to the story, which a failing history prints. */
  readonly tell: (line: string) => void;
}

/**
 * One attempt of an activity in a simulated worker. It runs the product’s own activity. Before each step that can go wrong, it waits
 * at a gate, until the test decides the step’s outcome.
 */
export class Attempt {
  readonly gates = new Gates();
  readonly place: AttemptPlace;
  readonly #parts: AttemptParts;
  readonly #run: Run;
  readonly #activity: ScheduledActivity;
  readonly #ended: Promise<void>;
  #isAboutToSend = false;
  isOver = false;
  /** True if the Temporal server has timed out this attempt. The worker does not know that, and may continue. */
  isGivenUp = false;

  constructor(parts: AttemptParts, run: Run, activity: ScheduledActivity) {
    this.#parts = parts;
    this.#run = run;
    this.#activity = activity;
    this.place = { runId: run.start.runId, seq: activity.seq, attempt: activity.attempt };
    this.#ended = this.#work();
  }

  get name(): string {
    return `${this.#activity.type} of ${this.#run.start.key} (${this.#run.start.runId})`;
  }

  get key(): string {
    return this.#run.start.key;
  }

  get type(): string {
    return this.#activity.type;
  }

  /** Lets the attempt pass its gate, and resolves at its next gate or its end. */
  async pass(how: How): Promise<void> {
    await this.gates.pass(how, this.#ended);
  }

  /** Resolves when the attempt has reached a gate or its end. */
  async reached(): Promise<void> {
    await this.gates.reached(this.#ended);
  }

  /** Ends the attempt at its current or next gate. */
  async abandon(): Promise<void> {
    this.gates.abandon();
    await this.#ended;
  }

  async #work(): Promise<void> {
    const { temporal } = this.#parts;
    try {
      const result = await asActivity(() => this.#perform(), { info: this.#info() });
      await this.#report(() => temporal.complete(this.place, result));
    } catch (error) {
      if (!(error instanceof CompleteAsyncError)) await this.#report(() => temporal.fail(this.place, error));
    } finally {
      this.isOver = true;
    }
  }

  /** Reports the attempt’s end to the Temporal server, as the SDK does. The report may be lost, or come for a timed-out attempt. */
  async #report(report: () => Promise<void>): Promise<void> {
    try {
      const how = await this.gates.wait('report');
      if (how === 'ok') await report();
      else await this.#parts.temporal.timeOut(this.place);
    } catch (error) {
      if (!(error instanceof UnknownAttempt) && !isAbandoned(error)) throw error;
    }
  }

  async #perform(): Promise<unknown> {
    const activities = createActivities(this.#options());
    const { type, input } = this.#activity;
    const byName = activities as unknown as Readonly<Record<string, (input: unknown) => Promise<unknown>>>;
    return byName[type]?.(input);
  }

  #info(): Partial<Info> {
    const { start } = this.#run;
    const { activityId, attempt, scheduledAtMs } = this.#activity;
    return {
      workflowExecution: { workflowId: start.workflowId, runId: start.runId },
      taskToken: Buffer.from(JSON.stringify(this.place)),
      activityId,
      attempt,
      scheduledTimestampMs: scheduledAtMs,
      currentAttemptScheduledTimestampMs: attempt === 1 ? scheduledAtMs : this.#parts.now(),
    };
  }

  #options(): ActivitiesOptions {
    const { temporal, claims, ledger, now } = this.#parts;
    return {
      serviceOf: () => this.#service(),
      readState: () => Promise.reject(new Error('no workflow of the model reads another')),
      completion: {
        heartbeat: (_token, details) =>
          unlessAbandoned(async () => {
            // Only the first heartbeat with details has a gate. Later heartbeats have the same content.
            const isFirst = details !== undefined && !this.#isAboutToSend;
            this.#isAboutToSend ||= isFirst;
            if (isFirst) await this.gates.wait('heartbeat');
            temporal.heartbeat(this.place, details);
          }),
        complete: (_token, result) =>
          unlessAbandoned(async () => {
            const how = await this.gates.wait('report');
            if (how === 'ok') await temporal.complete(this.place, result);
            else await temporal.timeOut(this.place);
          }),
        fail: () => Promise.reject(new Error('unused')),
        reportCancellation: () => Promise.reject(new Error('unused')),
      },
      claims,
      now,
      ...(ledger !== undefined && { ledger: this.#gated(ledger) }),
    };
  }

  /** Returns the worker's ledger with a gate before each call that can go wrong. */
  #gated(ledger: SessionLedger): SessionLedger {
    return {
      claim: async (claim) => {
        const how = await this.gates.wait('claim');
        return faulty(how, () => ledger.claim(claim));
      },
      record: async (claim, facts) => {
        const how = await this.gates.wait('record');
        if (how === 'away' || how === 'refused') return undefined;
        const fault = await ledger.record(claim, facts);
        return how === 'ok' ? fault : undefined;
      },
      adopt: async (claim, adopted) => {
        const how = await this.gates.wait('adopt');
        return faulty(how, () => ledger.adopt(claim, adopted));
      },
      followerOf: (sessionId) => ledger.followerOf(sessionId),
    };
  }

  #service(): PacedService {
    const { service } = this.#parts;
    const served: Partial<PacedService> = {
      authenticate: () => Promise.resolve(),
      createSession: async (request, options) => {
        await options?.beforeSend?.();
        return this.#create(request, await this.gates.wait('send'));
      },
      sessionDetails: async (sessionId) => Promise.resolve(service.details(sessionId).snapshot),
      identifySession: async (sessionId) => Promise.resolve(service.details(sessionId)),
      cancelSession: async (sessionId) => Promise.resolve(service.cancel(sessionId)),
      checkoutUrl,
    };
    return served as PacedService;
  }

  async #create(request: SessionRequest, how: How): ReturnType<PacedService['createSession']> {
    const { service, temporal, sending, sent, tell, ledger } = this.#parts;
    if (how === 'refused') return { outcome: 'rejected', failure: failure('SERVICE_REQUEST_REJECTED', 400) };
    sending(this.#activity.input as CreateSessionInput, this.place);
    if (how === 'away') {
      tell(`the create of ${this.key} is lost on its way`);
      return { outcome: 'unknown', failure: failure('SERVICE_INTERRUPTED') };
    }
    const { start } = this.#run;
    const session = service.create(request, {
      environment: temporal.name,
      key: start.key,
      firstRunId: start.firstRunId,
      runId: start.runId,
      activityId: this.#activity.activityId,
      onLedger: ledger !== undefined,
    });
    const { sessionId } = session;
    await sent(session);
    tell(`the service makes ${sessionId} for ${this.key}${how === 'lost' ? ', and its answer is lost' : ''}`);
    if (how === 'lost') return { outcome: 'unknown', failure: failure('SERVICE_INTERRUPTED') };
    const { referenceId = null } = request;
    return { outcome: 'created', sessionId, referenceId, checkoutUrl: checkoutUrl(sessionId) };
  }
}

const checkoutUrl = (sessionId: string): string => `https://pay.example/app/?sessionId=${sessionId}`;

/** Makes a call to the ledger with the outcome `how`: it succeeds, its answer is lost, or it does not arrive. */
async function faulty<T>(how: How, call: () => Promise<T>): Promise<T> {
  if (how === 'away' || how === 'refused') throw ledgerAway();
  const answer = await call();
  if (how === 'lost') throw ledgerAway();
  return answer;
}

/** Makes a call. If the attempt is abandoned meanwhile, throws the error for an attempt that the Temporal server does not know. */
async function unlessAbandoned(call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (error) {
    throw isAbandoned(error) ? new UnknownAttempt('the worker is gone') : error;
  }
}

export function ledgerAway(): PaysessionError {
  return new PaysessionError('LEDGER_UNAVAILABLE', 'The ledger is away.');
}
