import type { SessionRequest, SessionSnapshot } from '../contract';
import { explain, ServiceError, type ServiceFailure } from '../errors';
import { type CallScope, withinScope } from './call-scope';
import { verdictOf } from './pace/call-verdict';
import type { CreateOutcome, IdentifiedSession } from '../protocol/activities/service-calls';
import { HungSessions } from './pace/hung-sessions';
import { bulkheadOf, Bulkheads } from './pace/bulkheads';
import { steadyClock, type CallOptions, type CreateCallOptions, type SessionCallOptions } from './options';
import type { CallKind, Pace } from './pace/pace';
import type { Tell } from './observer';
import { PendingCancels, type Route } from './pace/pending-cancels';
import type { PaymentService } from './payment-service';
import { Turns, type Turn } from './pace/turns';
import { WaitingRoom } from './pace/waiting-room';

export interface PollOptions extends SessionCallOptions {
  /** Somebody waits for it: it goes before other polls. @default false */
  readonly urgent?: boolean;
  /** It becomes urgent when it has waited for its turn for so long, in milliseconds. @default never */
  readonly urgentAfterMs?: number;
  /** Is called when it has its turn: what it reads is no older than that. It must not throw. @default nobody is told */
  readonly onTurn?: () => void;
  /** Its caller already holds a place in the waiting room. @default false */
  readonly hasPlace?: boolean;
  /**
   * The longest wait for its turn, in milliseconds. It may be longer than 30 seconds where many polls share a rate. While all
   * polls are held back for longer than 30 seconds at a stretch, it is turned away all the same. @default 30000
   */
  readonly withinMs?: number;
}

export interface CreateOptions extends CreateCallOptions {
  /** The longest wait for its turn, in milliseconds; 5 seconds at most. @default 5000 */
  readonly withinMs?: number | undefined;
  /** How long it has waited elsewhere since it was first turned away, in milliseconds: it goes before those that came later. @default 0 */
  readonly waitedMs?: number | undefined;
}

export interface CancelOptions extends SessionCallOptions {
  /**
   * Is called where the service failed this cancel because it is down, once it answers again: then the cancel may be sent
   * again, whatever back-off it waits for. It must not throw. @default nobody is told
   */
  readonly onServiceBack?: (() => void) | undefined;
}

export interface PacedServiceOptions {
  readonly pace: Pace;
  /** The clock of the pace. @default a clock that nobody sets */
  readonly now?: () => number;
  /** Bounds how many calls wait at once; accounts of a worker share one. @default unbounded */
  readonly room?: WaitingRoom;
  /**
   * Whether calls wait here for pauses and rate limits. With a clock that skips, set it to false: such calls are then turned
   * away at once, and the workflow makes them again. @default true
   */
  readonly waitsForTurn?: boolean;
  /** Is told of turns. @default nobody is */
  readonly tell?: Tell;
}

/** The part of `PaymentService` that is called. */
export type PacedCalls = Pick<
  PaymentService,
  | 'authenticate'
  | 'createSession'
  | 'sessionDetails'
  | 'identifySession'
  | 'cancelSession'
  | 'checkoutUrl'
  | 'maxConnections'
  | 'spareConnections'
>;

/**
 * Each wait, with the longest call after it, fits into its activity's start-to-close timeout, unless the caller says else. A create
 * that has longer to wait does so in its workflow, whose state shows it.
 */
const LONGEST_WAIT_MS: Readonly<Record<CallKind, number>> = {
  cancel: 10_000,
  create: 5_000,
  refresh: 30_000,
  poll: 30_000,
};

/** What a call is for, and which session it asks for. */
interface Call extends CallOptions {
  readonly kind: CallKind;
  /** It goes as soon as a cancel does, and reads the details. */
  readonly isLook?: boolean;
  readonly sessionId?: string;
  readonly onServiceBack?: CancelOptions['onServiceBack'];
  readonly withinMs?: number;
  readonly waitedMs?: number | undefined;
  readonly hasPlace?: boolean;
  readonly urgentAfterMs?: number;
  readonly onTurn?: () => void;
}

/**
 * The payment service at the account's pace: calls wait for their turn, for a bounded time and in bounded numbers. A call
 * that is turned away fails with `SERVICE_PAUSED` and the time after which to ask again; nothing is sent. Pauses do not hold
 * back cancels.
 */
export class PacedService {
  readonly #service: PacedCalls;
  readonly #pace: Pace;
  readonly #bulkheads: Bulkheads;
  readonly #turns: Turns;
  readonly #now: () => number;
  readonly #tellObservers: Tell;
  readonly #hung = new HungSessions();
  readonly #pendingCancels: PendingCancels;

  constructor(service: PacedCalls, options: PacedServiceOptions) {
    const { pace, now = steadyClock, room = new WaitingRoom(), waitsForTurn = true } = options;
    this.#service = service;
    this.#pace = pace;
    this.#now = now;
    this.#pendingCancels = new PendingCancels(pace, now);
    this.#tellObservers = options.tell ?? (() => undefined);
    this.#bulkheads = new Bulkheads(service.maxConnections, service.spareConnections);
    this.#turns = new Turns({ pace, bulkheads: this.#bulkheads, room, now, waitsForTurn });
  }

  /** As `PaymentService.authenticate`: needs no turn of its own, since one token serves all calls. */
  authenticate(options?: CallOptions): Promise<void> {
    return this.#service.authenticate(options);
  }

  /** As `PaymentService.createSession`; `signal` ends the wait for its turn, never a create that has begun. */
  async createSession(request: SessionRequest, options: CreateOptions = {}): Promise<CreateOutcome> {
    try {
      const { signal, beforeSend } = options;
      const withinMs = Math.min(options.withinMs ?? Infinity, LONGEST_WAIT_MS.create);
      return await this.#inTurn<CreateOutcome>(
        { kind: 'create', ...(signal && { signal }), withinMs },
        async () => {
          const outcome = await this.#service.createSession(request, { beforeSend });
          return outcome.outcome === 'created'
            ? { value: outcome }
            : { value: outcome, failure: outcome.failure };
        },
      );
    } catch (error) {
      if (error instanceof ServiceError) return { outcome: 'notSent', failure: error.failure };
      throw error;
    }
  }

  /** As `PaymentService.sessionDetails`. */
  sessionDetails(sessionId: string, options: PollOptions = {}): Promise<SessionSnapshot> {
    const { urgent = false, expected, ...rest } = options;
    const kind = urgent || rest.urgentAfterMs === 0 ? 'refresh' : 'poll';
    return this.#call({ kind, sessionId, ...rest }, (scope) =>
      this.#service.sessionDetails(sessionId, { scope, ...(expected !== undefined && { expected }) }),
    );
  }

  /** As `PaymentService.identifySession`. A person or a cancel waits for it, so it is not held back either. */
  identifySession(sessionId: string, options: SessionCallOptions = {}): Promise<IdentifiedSession> {
    return this.#call({ kind: 'cancel', isLook: true, sessionId, ...options }, (scope) =>
      this.#service.identifySession(sessionId, { ...options, scope }),
    );
  }

  /** As `PaymentService.cancelSession`. */
  cancelSession(sessionId: string, options: CancelOptions = {}): Promise<SessionSnapshot> {
    const { expected } = options;
    return this.#call({ kind: 'cancel', sessionId, ...options }, (scope) =>
      this.#service.cancelSession(sessionId, { scope, ...(expected !== undefined && { expected }) }),
    );
  }

  /** The payor's page of a session. */
  checkoutUrl(sessionId: string): string {
    return this.#service.checkoutUrl(sessionId);
  }

  /** Turns away all calls that wait, and later ones that would have to wait. */
  stopWaiting(): void {
    this.#turns.close();
    this.#pendingCancels.stop();
  }

  #call<T>(call: Call, run: (scope: CallScope) => Promise<T>): Promise<T> {
    return this.#inTurn(call, async (turn) => {
      try {
        return { value: await withinScope({ signals: [call.signal, turn.gaveUp] }, run) };
      } catch (error) {
        if (error instanceof ServiceError) return { error, failure: error.failure };
        throw error;
      }
    });
  }

  /** Makes a call in its turn, and tells the pace how it went. Throws `ServiceError`. */
  async #inTurn<T>(call: Call, run: (turn: Turn) => Promise<Ended<T>>): Promise<T> {
    const turn = await this.#turnOf(call);
    call.onTurn?.();
    let isAnswered = false;
    try {
      const ended = await run(turn);
      isAnswered = this.#tell(call, turn, ended.failure);
      if ('error' in ended) throw ended.error;
      return ended.value;
    } finally {
      turn.end(isAnswered);
    }
  }

  async #turnOf(call: Call): Promise<Turn> {
    const { kind, sessionId, signal, hasPlace, urgentAfterMs, withinMs, waitedMs = 0 } = call;
    const cameAtMs = this.#now();
    const answer = await this.#turns.take({
      kind,
      cameAtMs: cameAtMs - waitedMs,
      bulkhead: () => bulkheadOf(kind, this.#hung.has(sessionId)),
      withinMs: withinMs ?? LONGEST_WAIT_MS[kind],
      longestPauseMs: LONGEST_WAIT_MS[kind],
      signal,
      hasPlace,
      urgentAfterMs,
    });
    const waited = { call: kind, waitedMs: Math.max(0, this.#now() - cameAtMs) };
    this.#tellObservers(answer.go ? 'turnTaken' : 'turnedAway', waited);
    if (answer.go) return answer.turn;
    throw new ServiceError(paused(answer.retryAfterMs));
  }

  /** Returns whether the service took the call. A call that its caller gave up says nothing about the service. */
  #tell(call: Call, { startedAtMs: sentAtMs }: Turn, failure: ServiceFailure | undefined): boolean {
    if (failure === undefined) return this.#answered(call, sentAtMs);
    // A create goes on to its end, even if its caller gave up.
    if (call.kind !== 'create' && call.signal?.aborted === true) return false;
    switch (verdictOf(failure, this.#now() - sentAtMs)) {
      case 'nothing':
        return false;
      case 'answered':
        return this.#answered(call, sentAtMs);
      case 'hung':
        this.#hung.add(call.sessionId);
        this.#down(call, sentAtMs);
        // One session that hangs is no outage. But each create that hangs may leave a session behind.
        if (call.kind === 'create' && !this.#turns.isOvertaken(sentAtMs))
          this.#failed(call, sentAtMs, failure);
        return false;
      case 'failed':
        if (failure.code !== 'SERVICE_RATE_LIMITED') this.#down(call, sentAtMs);
        this.#failed(call, sentAtMs, failure);
        return false;
    }
  }

  #answered(call: Call, sentAtMs: number): true {
    const { kind, sessionId } = call;
    const route = routeOf(call);
    this.#hung.delete(sessionId);
    this.#pace.answered({ kind, sentAtMs });
    if (route === 'cancel') this.#pendingCancels.settled(sessionId);
    // What hangs of the time before holds up its caller for nothing.
    if (this.#pendingCancels.answered({ route, sentAtMs })) this.#turns.giveUpSlowCancels();
    return true;
  }

  #down(call: Call, sentAtMs: number): void {
    const { sessionId, onServiceBack } = call;
    this.#pendingCancels.failed({ route: routeOf(call), sentAtMs });
    if (sessionId !== undefined && onServiceBack !== undefined)
      this.#pendingCancels.add(sessionId, sentAtMs, onServiceBack);
  }

  #failed({ kind }: Call, sentAtMs: number, failure: ServiceFailure): void {
    if (this.#pace.failed({ kind, sentAtMs }, failure)) this.#bulkheads.narrow();
  }
}

function routeOf({ kind, isLook }: Pick<Call, 'kind' | 'isLook'>): Route {
  if (kind === 'create') return 'create';
  return kind === 'cancel' && isLook !== true ? 'cancel' : 'details';
}

/** A call that has ended, with its failure if the service or the network failed it. */
type Ended<T> =
  | { readonly value: T; readonly failure?: ServiceFailure }
  | { readonly error: ServiceError; readonly failure: ServiceFailure };

function paused(retryAfterMs: number): ServiceFailure {
  const code = 'SERVICE_PAUSED';
  return { code, message: explain(code), retryAfterMs };
}
