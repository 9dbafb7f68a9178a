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
  /** The waiting time after which the poll becomes urgent, in milliseconds. @default never */
  readonly urgentAfterMs?: number;
  /** Called when the poll gets its turn. The poll's answer is not older than this moment. Must not throw. */
  readonly onTurn?: () => void;
  /** True if the poll occupies no activity slot while it waits, and so needs no place in the waiting room. @default false */
  readonly hasPlace?: boolean;
  /**
   * The longest wait for the poll's turn, in milliseconds. A value above 30 seconds is useful if many polls share a rate. But if all polls
   * are paused for more than 30 seconds, the poll is turned away.
   * @default 30000
   */
  readonly withinMs?: number;
}

export interface CreateOptions extends CreateCallOptions {
  /** The longest wait for the create request's turn, in milliseconds. At most 5 seconds. @default 5000 */
  readonly withinMs?: number | undefined;
  /**
   * The time since a create request of the session was first postponed or failed, in milliseconds. Requests that have waited longer are
   * sent first.
   * @default 0
   */
  readonly waitedMs?: number | undefined;
}

export interface CancelOptions extends SessionCallOptions {
  /**
   * If this cancel fails or hangs in an outage, this function is called when the service answers again, possibly several times. The caller
   * may then send the cancel again before the planned time. Must not throw.
   */
  readonly onServiceBack?: (() => void) | undefined;
}

export interface PacedServiceOptions {
  readonly pace: Pace;
  /** The clock of the pace. @default a monotonic clock */
  readonly now?: () => number;
  /** Limits the number of waiting calls. All accounts of a worker share one room. @default no limit */
  readonly room?: WaitingRoom;
  /**
   * True if calls wait here for the end of pauses and for the rate limit. Set it to false for a clock that skips. Calls that would have to
   * wait are then turned away at once, and the workflow repeats them.
   * @default true
   */
  readonly waitsForTurn?: boolean;
  /** Reports events of turns to the observers. @default nothing is reported */
  readonly tell?: Tell;
}

/** The part of `PaymentService` that a `PacedService` calls. */
export type PacedCalls = Omit<PaymentService, 'close'>;

/** The maximum number of remembered sessions whose calls hung. */
const MOST_HUNG = 10_000;
/** An interrupted call counts as hung if it took at least this time. Otherwise, it counts as failed. */
const HANG_MS = 1_900;

/** A call that needs a turn, with its session if it has one. */
interface Call extends Omit<TurnRequest, 'isHung'> {
  readonly sessionId?: string;
  /** True if the call reads the details, with the priority of a cancel. */
  readonly readsDetails?: boolean;
  readonly onServiceBack?: CancelOptions['onServiceBack'];
  readonly onTurn?: (() => void) | undefined;
}

/**
 * The client of the payment service, with a limited rate of calls. Each call waits for its turn. The waiting time and the number of
 * waiting calls are limited. A call that cannot wait is turned away: it sends nothing, and fails with `SERVICE_PAUSED` and the time after
 * which it may be repeated. Cancels are never paused.
 */
export class PacedService {
  readonly #service: PacedCalls;
  readonly #pace: Pace;
  readonly #turns: Turns;
  readonly #now: () => number;
  readonly #tell: Tell;
  /** The sessions whose last cancel was not answered in time. */
  readonly #hungCancels = new Set<string>();
  /** The sessions whose last reading of the details was not answered in time. */
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

  /** As `PaymentService.authenticate`. A token request needs no turn, because all calls share one token. */
  authenticate(options?: CallOptions): Promise<void> {
    return this.#service.authenticate(options);
  }

  /** As `PaymentService.createSession`. `signal` ends the wait for the turn. It never aborts a create request that has been sent. */
  async createSession(request: SessionRequest, options: CreateOptions = {}): Promise<CreateOutcome> {
    const { beforeSend, withinMs = Infinity, ...turn } = options;
    // Without this limit, a create request could be sent when its activity's time is almost over.
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

  /** As `PaymentService.sessionDetails`. */
  sessionDetails(sessionId: string, options: PollOptions = {}): Promise<SessionSnapshot> {
    const { urgent = false, expected, ...turn } = options;
    const kind = urgent || turn.urgentAfterMs === 0 ? 'refresh' : 'poll';
    return this.#call({ kind, sessionId, ...turn }, (scope) =>
      this.#service.sessionDetails(sessionId, { scope, expected }),
    );
  }

  /** As `PaymentService.identifySession`. It is never paused, because a person or a cancel waits for it. */
  identifySession(sessionId: string, options: SessionCallOptions = {}): Promise<IdentifiedSession> {
    return this.#call({ kind: 'cancel', readsDetails: true, sessionId, ...options }, (scope) =>
      this.#service.identifySession(sessionId, { ...options, scope }),
    );
  }

  /** As `PaymentService.cancelSession`. */
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

  /** Waits for the call's turn, makes the call, and records how it ended. Throws the errors of `#turnOf` and of the call. */
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

  /** Records what the end of a call shows about the service. Returns true if the service answered the call. */
  #learn(call: Call, turn: Turn, failure: ServiceFailure | undefined): boolean {
    const sentAtMs = turn.startedAtMs;
    if (failure === undefined) return this.#answered(call, sentAtMs);
    // A call that its caller stopped shows nothing about the service. Create requests are never stopped.
    if (call.kind !== 'create' && call.signal?.aborted === true) return false;
    switch (verdictOf(failure, this.#now() - sentAtMs)) {
      case 'nothing':
        return false;
      case 'answered':
        return this.#answered(call, sentAtMs);
      case 'hung':
        this.#hangs(call);
        this.#failed(call, turn);
        // One session that hangs is not an outage. But hanging create requests count as failures, because each of them
        // may create a session that no workflow follows.
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
    // The service is back. Cancels that have hung since the outage are stopped, so that their callers can send them
    // again.
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
   * True if the call may hang, because the session's last call of this kind hung, or its last poll. If a session's polls hang, its cancels
   * may hang too.
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

  /** Records a failed call. It shows that the service may also fail cancels, unless the client itself stopped the call. */
  #failed({ kind, sessionId, onServiceBack }: Call, turn: Turn): void {
    const { startedAtMs } = turn;
    if (!hasGivenUp(turn)) this.#pendingCancels.failed(kind, startedAtMs);
    if (sessionId !== undefined && onServiceBack !== undefined)
      this.#pendingCancels.add(sessionId, startedAtMs, onServiceBack);
  }
}

/** True if the client stopped the call to free its connection for other calls. That shows nothing about the service. */
const hasGivenUp = ({ gaveUp }: Turn): boolean => gaveUp.stoppedBy !== undefined;

/** A call that has ended. Has a failure if the service or the network failed the call. */
type Ended<T> =
  | { readonly value: T; readonly failure?: ServiceFailure }
  | { readonly error: ServiceError; readonly failure: ServiceFailure };

/**
 * Returns what a failed call shows about the service:
 * - `nothing`: it shows nothing.
 * - `answered`: the service works.
 * - `hung`: calls about the session hang.
 * - `failed`: the service fails, or limits the rate of calls.
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
