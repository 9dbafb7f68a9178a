import { dropOldest } from '../../contract/values/drop-oldest';
import type { SessionRequest, SessionSnapshot } from '../../contract';
import { ERROR_CODES, explain, ServiceError, type ServiceFailure } from '../../errors';
import { type CallScope, withinScope } from '../call-scope';
import type { Tell } from '../observer';
import { steadyClock, type CallOptions, type CreateCallOptions, type SessionCallOptions } from '../options';
import type { PaymentService } from '../payment-service';
import type { Pace } from './pace';
import { PendingCancels } from './pending-cancels';
import { LONGEST_PAUSE_MS, Turns, type Turn, type TurnRequest } from './turns';
import { WaitingRoom } from './waiting';
import type { CreateOutcome, IdentifiedSession } from '../../protocol/activities';

export interface PollOptions extends SessionCallOptions {
  /** True if the poll goes before other polls, for instance because a person waits for it. @default false */
  readonly urgent?: boolean;
  /** The wait after which the poll becomes urgent, in milliseconds. @default never */
  readonly urgentAfterMs?: number;
  /** Called when the poll has its turn: the poll's answer is no older than this moment. It must not throw. */
  readonly onTurn?: () => void;
  /** True if the poll needs no place in the waiting room, because it occupies no activity slot. @default false */
  readonly hasPlace?: boolean;
  /**
   * The longest wait for the poll's turn, in milliseconds. It may be longer than 30 seconds if many polls share a rate. If all polls are
   * held back for longer than 30 seconds at a stretch, the poll is still turned away. @default 30000
   */
  readonly withinMs?: number;
}

export interface CreateOptions extends CreateCallOptions {
  /** The longest wait for the create request's turn, in milliseconds; 5 seconds at most. @default 5000 */
  readonly withinMs?: number | undefined;
  /**
   * Time since a create request of the session was first postponed or failed, in milliseconds. A request that has waited longer goes
   * earlier.
   * @default 0
   */
  readonly waitedMs?: number | undefined;
}

export interface CancelOptions extends SessionCallOptions {
  /**
   * Called, possibly several times, when the service answers again after this cancel failed or hung in an outage. The cancel may then be
   * sent again before its back-off is over. It must not throw.
   */
  readonly onServiceBack?: (() => void) | undefined;
}

export interface PacedServiceOptions {
  readonly pace: Pace;
  /** The clock of the pace. @default a monotonic clock */
  readonly now?: () => number;
  /** Bounds the number of calls that wait at once; the accounts of a worker share one. @default unbounded */
  readonly room?: WaitingRoom;
  /**
   * True if calls wait here for pauses and rate limits. Set it to false with a clock that skips: calls that would have to wait are then
   * turned away at once, and the workflow makes them again. @default true
   */
  readonly waitsForTurn?: boolean;
  /** Reports turns to the observers. @default nothing is reported */
  readonly tell?: Tell;
}

/** The part of `PaymentService` that a `PacedService` calls. */
export type PacedCalls = Omit<PaymentService, 'close'>;

/** The maximum number of hung sessions to remember; the oldest are forgotten. */
const MOST_HUNG = 10_000;
/** An interrupted call counts as hung if it took at least this time, otherwise as failed. */
const HANG_MS = 1_900;

/** A call's request for its turn, and its session, if it has one. */
interface Call extends Omit<TurnRequest, 'isHung'> {
  readonly sessionId?: string;
  /** True if the call goes as soon as a cancel does, and reads the details. */
  readonly readsDetails?: boolean;
  readonly onServiceBack?: CancelOptions['onServiceBack'];
  readonly onTurn?: (() => void) | undefined;
}

/**
 * The payment service at the account's pace: calls wait for their turn, for a bounded time and in bounded numbers. A call that is
 * turned away sends nothing, and fails with `SERVICE_PAUSED` and the time after which to ask again. Pauses do not hold back
 * cancels.
 */
export class PacedService {
  readonly #service: PacedCalls;
  readonly #pace: Pace;
  readonly #turns: Turns;
  readonly #now: () => number;
  readonly #tell: Tell;
  /** The sessions whose last cancel got no answer in time. */
  readonly #hungCancels = new Set<string>();
  /** The sessions whose last reading of the details got no answer in time. */
  readonly #hungReads = new Set<string>();
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

  /** Does the same as `PaymentService.authenticate`. The token request needs no turn, because one token serves all calls. */
  authenticate(options?: CallOptions): Promise<void> {
    return this.#service.authenticate(options);
  }

  /** Does the same as `PaymentService.createSession`. `signal` ends the wait for the turn, never a create request that has begun. */
  async createSession(request: SessionRequest, options: CreateOptions = {}): Promise<CreateOutcome> {
    const { beforeSend, withinMs = Infinity, ...turn } = options;
    // Without this bound, a create request could be sent when its activity's time is nearly over.
    const within = { withinMs: Math.min(withinMs, LONGEST_PAUSE_MS.create) };
    try {
      return await this.#inTurn<CreateOutcome>({ kind: 'create', ...turn, ...within }, async () => {
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

  /** Does the same as `PaymentService.sessionDetails`. */
  sessionDetails(sessionId: string, options: PollOptions = {}): Promise<SessionSnapshot> {
    const { urgent = false, expected, ...turn } = options;
    const kind = urgent || turn.urgentAfterMs === 0 ? 'refresh' : 'poll';
    return this.#call({ kind, sessionId, ...turn }, (scope) =>
      this.#service.sessionDetails(sessionId, { scope, expected }),
    );
  }

  /** Does the same as `PaymentService.identifySession`. It is not held back, because a person or a cancel waits for it. */
  identifySession(sessionId: string, options: SessionCallOptions = {}): Promise<IdentifiedSession> {
    return this.#call({ kind: 'cancel', readsDetails: true, sessionId, ...options }, (scope) =>
      this.#service.identifySession(sessionId, { ...options, scope }),
    );
  }

  /** Does the same as `PaymentService.cancelSession`. */
  cancelSession(sessionId: string, options: CancelOptions = {}): Promise<SessionSnapshot> {
    const { expected, ...turn } = options;
    return this.#call({ kind: 'cancel', sessionId, ...turn }, (scope) =>
      this.#service.cancelSession(sessionId, { scope, expected }),
    );
  }

  /** Returns the URL of the payor's page of a session. */
  checkoutUrl(sessionId: string): string {
    return this.#service.checkoutUrl(sessionId);
  }

  /** Turns away all waiting calls, and later calls that would have to wait. */
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

  /** Waits for the call's turn, makes the call, and learns from its end. Throws the errors of `#turnOf` and of the call. */
  async #inTurn<T>(call: Call, run: (turn: Turn) => Promise<Ended<T>>): Promise<T> {
    const turn = await this.#turnOf(call);
    call.onTurn?.();
    let isAnswered = false;
    try {
      const ended = await run(turn);
      isAnswered = this.#learn(call, turn, ended.failure);
      if ('error' in ended) throw ended.error;
      return ended.value;
    } finally {
      turn.end(isAnswered);
    }
  }

  /** Waits for the call's turn. Throws `ServiceError` `SERVICE_PAUSED` if the call is turned away. */
  async #turnOf(call: Call): Promise<Turn> {
    const { kind } = call;
    const cameAtMs = this.#now();
    const answer = await this.#turns.take({ ...call, isHung: this.#isHung(call) });
    const waitedMs = Math.max(0, this.#now() - cameAtMs);
    const turn = { call: kind, waitedMs, isPaused: this.#pace.isPaused(kind) };
    if (answer.go) {
      this.#tell('turnTaken', turn);
      return answer.turn;
    }
    const { retryAfterMs } = answer;
    this.#tell('turnedAway', { ...turn, retryAfterMs });
    throw new ServiceError(paused(retryAfterMs));
  }

  /** Learns the service's state from a call's end. Returns true if the service took the call. */
  #learn(call: Call, turn: Turn, failure: ServiceFailure | undefined): boolean {
    const sentAtMs = turn.startedAtMs;
    if (failure === undefined) return this.#answered(call, sentAtMs);
    // A call that its caller stopped says nothing about the service. A create request is not stopped.
    if (call.kind !== 'create' && call.signal?.aborted === true) return false;
    switch (verdictOf(failure, this.#now() - sentAtMs)) {
      case 'nothing':
        return false;
      case 'answered':
        return this.#answered(call, sentAtMs);
      case 'hung':
        this.#hangs(call);
        this.#failed(call, turn);
        // One session that hangs is not an outage. But each create request that hangs may leave a session behind.
        if (call.kind === 'create' && !this.#turns.isOvertaken(sentAtMs))
          this.#pace.failed({ kind: call.kind, sentAtMs }, failure);
        return false;
      case 'failed':
        if (failure.code !== 'SERVICE_RATE_LIMITED') this.#failed(call, turn);
        if (!hasGivenUp(turn)) this.#pace.failed({ kind: call.kind, sentAtMs }, failure);
        return false;
    }
  }

  #answered(call: Call, sentAtMs: number): true {
    const { kind, sessionId, readsDetails = false } = call;
    this.#pace.answered({ kind, sentAtMs });
    if (sessionId !== undefined) this.#hungLike(call).delete(sessionId);
    if (sessionId !== undefined && kind === 'cancel' && !readsDetails)
      this.#pendingCancels.settled(sessionId);
    // Cancels that hung while the service was down only hold up their callers, so they give up.
    if (this.#pendingCancels.answered(sentAtMs)) this.#turns.giveUpSlowCancels();
    return true;
  }

  #hangs(call: Call): void {
    const { sessionId } = call;
    if (sessionId === undefined) return;
    const hung = this.#hungLike(call);
    hung.delete(sessionId);
    hung.add(sessionId);
    dropOldest(hung, MOST_HUNG);
  }

  /**
   * True if the call may hang: the session's last call of this kind or its last poll hung. If a session's polls hang, its cancels may hang
   * too.
   */
  #isHung(call: Call): boolean {
    const { sessionId } = call;
    if (sessionId === undefined) return false;
    return this.#hungLike(call).has(sessionId) || this.#hungReads.has(sessionId);
  }

  /** Returns the sessions whose last call of this kind hung. */
  #hungLike({ kind, readsDetails = false }: Call): Set<string> {
    return kind === 'cancel' && !readsDetails ? this.#hungCancels : this.#hungReads;
  }

  /** Records a failed call. Unless the call gave up in favour of others, it shows that the service may fail cancels too. */
  #failed({ kind, sessionId, onServiceBack }: Call, turn: Turn): void {
    const { startedAtMs } = turn;
    if (!hasGivenUp(turn)) this.#pendingCancels.failed(kind, startedAtMs);
    if (sessionId !== undefined && onServiceBack !== undefined)
      this.#pendingCancels.add(sessionId, startedAtMs, onServiceBack);
  }
}

/** True if this side stopped the call in favour of others, which says nothing about the service. */
const hasGivenUp = ({ gaveUp }: Turn): boolean => gaveUp.stoppedBy !== undefined;

/** A call that has ended, with its failure if the service or the network failed it. */
type Ended<T> =
  | { readonly value: T; readonly failure?: ServiceFailure }
  | { readonly error: ServiceError; readonly failure: ServiceFailure };

/**
 * Returns a failed call's verdict on the service. `nothing`: it shows nothing. `answered`: the service works. `hung`: at least the call's
 * session hangs. `failed`: the service fails, or limits calls.
 */
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
