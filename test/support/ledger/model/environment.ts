import type { Client } from '@temporalio/client';
import type { SinkCall } from '@temporalio/workflow';
import type { PaymentLedger } from '../../../../ledger';
import { sweepLedger } from '../../../../ledger/sweep';
import type { PaymentSessionInput } from '../../../../src';
import type { CreateSessionInput } from '../../../../src/protocol/activities';
import { prepareStart } from '../../../../src/sessions/start/prepare-start';
import { sessionLedger, type WatchedLedger, ledgerSinks } from '../../../../worker/session-ledger';
import { Attempt } from './attempt';
import type { Clock } from './clock';
import { SimulatedClaims } from './temporal-claims';
import { ReachableLedger, type LedgerObserver } from './reachable-ledger';
import type { Run, ScheduledActivity } from './run';
import { simulatedClient } from './simulated-client';
import type { ServedSession, SimulatedService } from './simulated-service';
import { SimulatedTemporal, type AttemptPlace } from './simulated-temporal';
import type { WorkflowCode } from './workflow-code';
import { readClaim } from '../../../../src/sessions/stored-start';
import { startOrAttach } from '../../../../src/sessions/start/start';

/** Everything that an environment needs from its world. */
export interface EnvironmentParts {
  readonly name: string;
  /** The ledger connections, one for each worker. */
  readonly ledgers: readonly PaymentLedger[];
  readonly service: SimulatedService;
  readonly code: WorkflowCode;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly observer: LedgerObserver;
  /** Called when a run has ended. */
  readonly ended: (run: Run) => void;
  /** Called for each fact that a workflow sends to the ledger through its worker. */
  readonly told: (run: Run, call: SinkCall) => void;
  /** Called before a create request leaves a worker. */
  readonly sending: (environment: Environment, input: CreateSessionInput, place: AttemptPlace) => void;
  /** Called after the service has created a session. */
  readonly sent: (session: ServedSession, input: CreateSessionInput) => Promise<void>;
  /** Adds a line to the story, which a failing history prints. */
  readonly tell: (line: string) => void;
  readonly isLedgerAway: () => boolean;
  /** True if workers have a ledger. It may be switched on later. */
  readonly hasLedger: () => boolean;
}

interface Worker {
  readonly ledger: WatchedLedger;
  readonly claims: SimulatedClaims;
}

/**
 * An environment, such as production or staging: a simulated Temporal namespace, workers that run the product’s code, and an
 * environment of the ledger.
 */
export class Environment {
  readonly temporal: SimulatedTemporal;
  readonly client: Client;
  readonly #parts: EnvironmentParts;
  readonly #workers: readonly Worker[];
  /** The running attempts, oldest first, including those that the Temporal server has forgotten. */
  #attempts: Attempt[] = [];

  constructor(parts: EnvironmentParts) {
    this.#parts = parts;
    const { name, code, clock, newId, ended } = parts;
    const sink = (run: Run, calls: readonly SinkCall[]) => this.#sink(run, calls);
    this.temporal = new SimulatedTemporal({ name, code, clock, newId, sink, ended });
    this.client = simulatedClient(this.temporal);
    this.#workers = parts.ledgers.map((ledger) => ({
      ledger: this.#watched(ledger),
      claims: new SimulatedClaims(this.temporal),
    }));
  }

  get name(): string {
    return this.#parts.name;
  }

  /** A ledger connection for the checks. It works also while the workers’ connections do not. */
  get ledger(): PaymentLedger {
    const [ledger] = this.#parts.ledgers;
    if (ledger === undefined) throw new Error('there is no ledger');
    return ledger;
  }

  get attempts(): readonly Attempt[] {
    this.#attempts = this.#attempts.filter(({ isOver }) => !isOver);
    return this.#attempts;
  }

  /** The activities that no worker has taken yet. */
  get waiting(): readonly { readonly run: Run; readonly activity: ScheduledActivity }[] {
    return this.temporal.runs
      .filter(({ isRunning }) => isRunning)
      .flatMap((run) =>
        [...run.state.activities.values()]
          .filter(({ isStarted }) => !isStarted)
          .map((activity) => ({ run, activity })),
      );
  }

  /** Starts a session as a caller does. Throws the caller's error. */
  async start(input: PaymentSessionInput): ReturnType<typeof startOrAttach> {
    return startOrAttach(this.client, prepareStart(input, 'model'));
  }

  /** Lets a worker take an activity, and run it to its first gate. */
  async take(run: Run, { seq }: ScheduledActivity, worker: number): Promise<Attempt> {
    const activity = this.temporal.take(run, seq);
    const { ledger, claims } = this.#worker(worker);
    const { service, clock, sending, sent, tell, hasLedger } = this.#parts;
    const input = activity.input as CreateSessionInput;
    const attempt = new Attempt(
      {
        temporal: this.temporal,
        service,
        claims,
        ledger: hasLedger() ? ledger : undefined,
        now: clock.now,
        sending: (created, place) => {
          sending(this, created, place);
        },
        sent: (session) => sent(session, input),
        tell,
      },
      run,
      activity,
    );
    this.#attempts.push(attempt);
    await attempt.reached();
    return attempt;
  }

  /** Sweeps: for the workflows that Temporal still has, records missing ends in the ledger. */
  async sweep(): Promise<void> {
    const { ledger } = this;
    const reachable = this.#reachable(ledger) as unknown as PaymentLedger;
    for await (const { key, left } of sweepLedger({ client: this.client, ledger: reachable }))
      if (left === 'unreadable') throw new Error(`the sweep cannot read ${key}`);
  }

  async close(): Promise<void> {
    for (const attempt of this.attempts) await attempt.abandon();
    for (const run of this.temporal.runs) await run.evict();
  }

  #worker(number: number): Worker {
    const worker = this.#workers[number % this.#workers.length];
    if (worker === undefined) throw new Error('there is no worker');
    return worker;
  }

  #watched(ledger: PaymentLedger): WatchedLedger {
    return sessionLedger({
      ledger: this.#reachable(ledger),
      readClaim: (claim) => readClaim(this.client, claim),
      log: { warn: () => undefined, info: () => undefined },
      observer: { called: () => undefined, away: () => undefined },
    });
  }

  #reachable(ledger: PaymentLedger): ReachableLedger {
    const { isLedgerAway, observer } = this.#parts;
    return new ReachableLedger(ledger, isLedgerAway, observer);
  }

  /** Records facts in the ledger that a workflow sends through its worker (the SDK calls this a sink). */
  async #sink(run: Run, calls: readonly SinkCall[]): Promise<void> {
    const { hasLedger, told } = this.#parts;
    const { paymentLedger } = ledgerSinks(hasLedger() ? this.#worker(0).ledger : undefined);
    for (const call of calls) {
      if (call.ifaceName !== 'paymentLedger') continue;
      told(run, call);
      const sinks = paymentLedger as unknown as Readonly<Record<string, Sink>>;
      await sinks[call.fnName]?.fn(call.workflowInfo, ...(call.args as unknown[]));
    }
  }
}

interface Sink {
  readonly fn: (info: unknown, ...args: readonly unknown[]) => Promise<void> | undefined;
}
