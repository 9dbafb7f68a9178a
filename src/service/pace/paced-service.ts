import { dropOldest } from '../../contract/values/drop-oldest';
import type { SessionRequest, SessionSnapshot } from '../../contract';
import { ERROR_CODES, explain, ServiceError, type ServiceFailure } from '../../errors';
import { type CallScope, withinScope } from '../call-scope';
import type { Tell } from '../observer';
import { steadyClock, type CallOptions, type CreateCallOptions, type SessionCallOptions } from '../options';
import type { PaymentService } from '../payment-service';
import type { Pace } from './pace';
import { PendingCancels } from './pending-cancels';
import { Turns, type Turn, type TurnRequest } from './turns';
import { WaitingRoom } from './waiting';
import type { CreateOutcome, IdentifiedSession } from '../../protocol/activities';

export interface PollOptions extends SessionCallOptions {
  /** A person waits for it: it goes before other polls. @default false */
  readonly urgent?: boolean;
  /** It becomes urgent when it has waited this long for its turn, in milliseconds. @default never */
  readonly urgentAfterMs?: number;
  /** Called when it has its turn: what it reads is no older than that. It must not throw. */
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
  /**
   * Time since the call was first turned away, in milliseconds, which it waited elsewhere. A call that has waited longer goes
   * earlier. @default 0
   */
  readonly waitedMs?: number | undefined;
}

export interface CancelOptions extends SessionCallOptions {
  /**
   * Called once the service answers again, if it failed this cancel because it was down: the cancel may then be sent again,
   * whatever back-off it waits for. It must not throw.
   */
  readonly onServiceBack?: (() => void) | undefined;
}

export interface PacedServiceOptions {
  readonly pace: Pace;
  /** The clock of the pace. @default a monotonic clock */
  readonly now?: () => number;
  /** Bounds how many calls wait at once; accounts of a worker share one. @default unbounded */
  readonly room?: WaitingRoom;
  /**
   * True if calls wait here for pauses and rate limits. With a clock that skips, set it to false: then such calls are turned away
   * at once, and the workflow makes them again. @default true
   */
  readonly waitsForTurn?: boolean;
  /** Reports turns to the observers. @default nothing is reported */
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

/** The sessions that hang, beyond which the oldest are forgotten. */
const MOST_HUNG = 10_000;
/** A call that got no answer for this long hung; one that was cut off sooner failed. */
const HANG_MS = 1_900;

/** A call's turn, and the session that it asks for. */
interface Call extends Omit<TurnRequest, 'isHung'> {
  readonly sessionId?: string;
  /** It goes as soon as a cancel does, and reads the details. */
  readonly isLook?: boolean;
  readonly onServiceBack?: CancelOptions['onServiceBack'];
  readonly onTurn?: (() => void) | undefined;
}

/**
 * The payment service at the account's pace: calls wait for their turn, for a bounded time and in bounded numbers. A call
 * that is turned away fails with `SERVICE_PAUSED` and the time after which to ask again; nothing is sent. Pauses do not hold
 * back cancels.
 */
export class PacedService {
  readonly #service: PacedCalls;
  readonly #pace: Pace;
  readonly #turns: Turns;
  readonly #now: () => number;
  readonly #tell: Tell;
  /** The sessions whose last call got no answer in time. */
  readonly #hung = new Set<string>();
  readonly #pendingCancels: PendingCancels;

  constructor(service: PacedCalls, options: PacedServiceOptions) {
    const { pace, now = steadyClock, room = new WaitingRoom(), waitsForTurn = true } = options;
    const { maxConnections: connections, spareConnections } = service;
    this.#service = service;
    this.#pace = pace;
    this.#now = now;
    this.#tell = options.tell ?? (() => undefined);
    this.#turns = new Turns({ pace, room, now, waitsForTurn, connections, spareConnections });
    this.#pendingCancels = new PendingCancels(pace, now);
  }

  /** As `PaymentService.authenticate`: needs no turn of its own, since one token serves all calls. */
  authenticate(options?: CallOptions): Promise<void> {
    return this.#service.authenticate(options);
  }

  /** As `PaymentService.createSession`; `signal` ends the wait for its turn, never a create that has begun. */
  async createSession(request: SessionRequest, options: CreateOptions = {}): Promise<CreateOutcome> {
    const { beforeSend, ...turn } = options;
    try {
      return await this.#inTurn<CreateOutcome>({ kind: 'create', ...turn }, async () => {
        const outcome = await this.#service.createSession(request, { beforeSend });
        return outcome.outcome === 'created'
          ? { value: outcome }
          : { value: outcome, failure: outcome.failure };
      });
    } catch (error) {
      if (error instanceof ServiceError) return { outcome: 'notSent', failure: error.failure };
      throw error;
    }
  }

  /** As `PaymentService.sessionDetails`. */
  sessionDetails(sessionId: string, options: PollOptions = {}): Promise<SessionSnapshot> {
    const { urgent = false, expected, ...turn } = options;
    const kind = urgent || turn.urgentAfterMs === 0 ? 'refresh' : 'poll';
    return this.#call({ kind, sessionId, ...turn }, (scope) =>
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
    const { expected, ...turn } = options;
    return this.#call({ kind: 'cancel', sessionId, ...turn }, (scope) =>
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

  /** Waits for the call's turn, makes it, and learns from how it ended. Throws `ServiceError`. */
  async #inTurn<T>(call: Call, run: (turn: Turn) => Promise<Ended<T>>): Promise<T> {
    const turn = await this.#turnOf(call);
    call.onTurn?.();
    let isAnswered = false;
    try {
      const ended = await run(turn);
      isAnswered = this.#learn(call, turn.startedAtMs, ended.failure);
      if ('error' in ended) throw ended.error;
      return ended.value;
    } finally {
      turn.end(isAnswered);
    }
  }

  async #turnOf(call: Call): Promise<Turn> {
    const { kind, sessionId } = call;
    const cameAtMs = this.#now();
    const isHung = sessionId !== undefined && this.#hung.has(sessionId);
    const answer = await this.#turns.take({ ...call, isHung });
    const waited = { call: kind, waitedMs: Math.max(0, this.#now() - cameAtMs) };
    this.#tell(answer.go ? 'turnTaken' : 'turnedAway', waited);
    if (answer.go) return answer.turn;
    throw new ServiceError(paused(answer.retryAfterMs));
  }

  /** Learns from a call's end how the service is. Returns true if the service took the call. */
  #learn(call: Call, sentAtMs: number, failure: ServiceFailure | undefined): boolean {
    if (failure === undefined) return this.#answered(call, sentAtMs);
    // A call that its caller gave up says nothing about the service, but a create goes on to its end.
    if (call.kind !== 'create' && call.signal?.aborted === true) return false;
    switch (verdictOf(failure, this.#now() - sentAtMs)) {
      case 'nothing':
        return false;
      case 'answered':
        return this.#answered(call, sentAtMs);
      case 'hung':
        this.#hangs(call);
        this.#failed(call, sentAtMs);
        // One session that hangs is no outage. But each create that hangs may leave a session behind.
        if (call.kind === 'create' && !this.#turns.isOvertaken(sentAtMs))
          this.#pace.failed({ kind: call.kind, sentAtMs }, failure);
        return false;
      case 'failed':
        if (failure.code !== 'SERVICE_RATE_LIMITED') this.#failed(call, sentAtMs);
        this.#pace.failed({ kind: call.kind, sentAtMs }, failure);
        return false;
    }
  }

  #answered({ kind, sessionId, isLook = false }: Call, sentAtMs: number): true {
    this.#pace.answered({ kind, sentAtMs });
    if (sessionId !== undefined) this.#hung.delete(sessionId);
    if (sessionId !== undefined && kind === 'cancel' && !isLook) this.#pendingCancels.settled(sessionId);
    // What hangs of the time before holds up its caller for nothing.
    if (this.#pendingCancels.answered(sentAtMs)) this.#turns.giveUpSlowCancels();
    return true;
  }

  #hangs({ sessionId }: Call): void {
    if (sessionId === undefined) return;
    this.#hung.delete(sessionId);
    this.#hung.add(sessionId);
    dropOldest(this.#hung, MOST_HUNG);
  }

  /** The service failed a call, and so may fail cancels. */
  #failed({ kind, sessionId, onServiceBack }: Call, sentAtMs: number): void {
    this.#pendingCancels.failed(kind, sentAtMs);
    if (sessionId !== undefined && onServiceBack !== undefined)
      this.#pendingCancels.add(sessionId, sentAtMs, onServiceBack);
  }
}

/** A call that has ended, with its failure if the service or the network failed it. */
type Ended<T> =
  | { readonly value: T; readonly failure?: ServiceFailure }
  | { readonly error: ServiceError; readonly failure: ServiceFailure };

/** Returns a failed call's verdict on the service. This is the one rule for how failed calls count for the pace. */
function verdictOf({ code }: ServiceFailure, tookMs: number): 'nothing' | 'answered' | 'hung' | 'failed' {
  switch (ERROR_CODES[code].outage) {
    case 'unclear':
      return 'nothing';
    case 'unlessSlow':
      return tookMs >= HANG_MS ? 'hung' : 'failed';
    case 'yes':
      return 'failed';
    case 'no':
      return 'answered';
  }
}

function paused(retryAfterMs: number): ServiceFailure {
  const code = 'SERVICE_PAUSED';
  return { code, message: explain(code), retryAfterMs };
}
