import { CallScope } from '../call-scope';
import { LONGEST_TIMER_MS } from '../options';
import type { CallKind, Pace } from './pace';
import { inOrder, Line, type WaitingRoom } from './waiting';

/** A call that asks for its turn, which is the permission to be sent. */
export interface TurnRequest {
  readonly kind: CallKind;
  /** True if the session's last call of this kind or its last poll was not answered in time. @default false */
  readonly isHung?: boolean;
  /** The longest time that the call may wait, in milliseconds. @default `LONGEST_PAUSE_MS` of its kind */
  readonly withinMs?: number | undefined;
  /**
   * The time that the call has already waited elsewhere, in milliseconds. With it, a call that was turned away keeps its place in the line.
   * @default 0
   */
  readonly waitedMs?: number | undefined;
  /** Abort this signal to end the wait. */
  readonly signal?: AbortSignal | undefined;
  /** True if the call needs no place in the waiting room, which limits the number of waiting calls. @default false */
  readonly hasPlace?: boolean | undefined;
  /** The waiting time after which a poll gets the priority of a refresh, in milliseconds. @default never */
  readonly urgentAfterMs?: number | undefined;
}

/**
 * If `go` is true, the call may be sent, and its turn must be ended after it. Otherwise, the call is turned away, and may ask again after
 * `retryAfterMs` milliseconds.
 */
export type TurnAnswer =
  | { readonly go: true; readonly turn: Turn }
  | { readonly go: false; readonly retryAfterMs: number };

export interface Turn {
  readonly startedAtMs: number;
  /** Stopped if the call takes long, and has to release its connection to other calls. */
  readonly gaveUp: CallScope;
  /** Ends the turn, and releases the connection to the next call. `isAnswered` is true if the service answered this call. */
  end(isAnswered: boolean): void;
}

export interface TurnsOptions {
  readonly pace: Pace;
  readonly room: WaitingRoom;
  readonly now: () => number;
  /**
   * True if calls wait for the end of pauses and for the rate limit. Otherwise, pauses and rate limits turn calls away, and calls wait only
   * for a connection.
   */
  readonly waitsForTurn: boolean;
  readonly connections: number;
  /** The number of additional connections for create requests that hang while other calls are answered. */
  readonly spareConnections: number;
}

/**
 * A bulkhead is a group of calls with its own share of the connections. Calls of sessions whose last call hung are in separate, small
 * groups. So even many hanging calls cannot block the other calls.
 */
type Bulkhead = 'cancel' | 'create' | 'poll' | 'hungCancel' | 'hungPoll';

/**
 * The maximum share of the connections for each bulkhead, not counting the spare connections. A call may be sent if its bulkhead uses less
 * than the share `own`, and all calls together use less than the share `all`.
 */
const SHARES: Readonly<Record<Bulkhead, { readonly own: number; readonly all: number }>> = {
  cancel: { own: 1, all: 1 },
  hungCancel: { own: 1 / 4, all: 1 },
  create: { own: 3 / 4, all: 7 / 8 },
  poll: { own: 1 / 2, all: 7 / 8 },
  hungPoll: { own: 1 / 8, all: 7 / 8 },
};

/** The kinds of calls, in the order in which they are sent. */
const KINDS: readonly CallKind[] = ['cancel', 'create', 'refresh', 'poll'];
/**
 * The longest pause for which a call waits, in milliseconds. It is also the default of the longest wait for a turn. The wait and the
 * following call together fit into the activity's start-to-close timeout. If a create request has to wait longer, it waits in its workflow,
 * where the session's state shows the wait.
 */
export const LONGEST_PAUSE_MS: Readonly<Record<CallKind, number>> = {
  cancel: 10_000,
  create: 5_000,
  refresh: 30_000,
  poll: 30_000,
};
/** If there is no place to wait, a call may ask again after this time at the earliest. */
const NO_PLACE_MS = 1_000;
/**
 * A running poll is stopped in favour of waiting polls if it takes longer than `SLOW_MS`, and longer than `SLOW_TIMES` times the mean
 * duration of polls. A cancel is slow after `SLOW_MS`.
 */
const SLOW_MS = 2_000;
const SLOW_TIMES = 4;
/** The weight of the latest poll in the mean duration of polls. */
const LATEST = 0.1;
/**
 * A create request counts as hanging if another create request that was sent this much later has been answered. The hanging request then
 * uses a spare connection. If all connections for create requests are in use, one more create request is sent this long after the newest,
 * to find out whether such requests are still answered.
 */
const OVERTAKEN_MS = 1_000;

interface Waiting {
  kind: CallKind;
  readonly isHung: boolean;
  readonly cameAtMs: number;
  /** The arrival number, which orders calls that came at the same time. */
  readonly number: number;
  readonly untilMs: number;
  readonly settle: (answer: TurnAnswer) => void;
}

interface Running {
  readonly bulkhead: Bulkhead;
  readonly startedAtMs: number;
  readonly gaveUp: CallScope;
}

/**
 * The line of an account's waiting calls. Cancels are sent first, then create requests, refreshes and polls. Calls of the same kind are
 * sent in the order of their arrival. A call is sent as soon as the pace allows it and its bulkhead has a free connection.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #lines: Readonly<Record<CallKind, readonly [usual: Line<Waiting>, hung: Line<Waiting>]>> = {
    cancel: [new Line(), new Line()],
    create: [new Line(), new Line()],
    refresh: [new Line(), new Line()],
    poll: [new Line(), new Line()],
  };
  /** The running calls, in the order in which they were sent. */
  readonly #running = new Set<Running>();
  #arrivals = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #meanPollMs = 0;
  /** The time at which the latest answered create request was sent. */
  #answeredCreateAtMs = -Infinity;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Waits for a call's turn. Never rejects. */
  take(request: TurnRequest): Promise<TurnAnswer> {
    if (request.signal?.aborted === true) return Promise.resolve({ go: false, retryAfterMs: 0 });
    return new Promise((resolve) => {
      const nowMs = this.#options.now();
      const { kind, isHung = false, withinMs = LONGEST_PAUSE_MS[kind], waitedMs = 0 } = request;
      let release = (): void => undefined;
      const one: Waiting = {
        ...{ kind, isHung, cameAtMs: nowMs - waitedMs, number: this.#arrivals, untilMs: nowMs + withinMs },
        settle: (answer) => {
          release();
          resolve(answer);
        },
      };
      this.#arrivals += 1;
      this.#lineOf(one).add(one);
      const waitMs = this.#options.pace.waitMs(kind);
      if (waitMs > 0 && this.#isHopeless(one, waitMs, nowMs)) this.#turnAway(one, waitMs);
      else this.#serve();
      if (this.#lineOf(one).has(one)) release = this.#letWait(one, { ...request, withinMs });
    });
  }

  /** Stops slow cancels, so that they can be sent again now. Does not stop cancels of sessions whose calls already hung before. */
  giveUpSlowCancels(): void {
    const beforeMs = this.#options.now() - SLOW_MS;
    for (const { bulkhead, startedAtMs, gaveUp } of this.#running)
      if (bulkhead === 'cancel' && startedAtMs <= beforeMs) gaveUp.stop('CALL_ABORTED');
  }

  /** True if a create request that was sent at `createSentAtMs` or later has been answered. */
  isOvertaken(createSentAtMs: number): boolean {
    return createSentAtMs <= this.#answeredCreateAtMs;
  }

  /** Turns away all waiting calls, and later calls that would have to wait. */
  close(): void {
    this.#isClosed = true;
    this.#turnAwayHopeless();
    this.#serve();
  }

  /** Lets a call wait, with its time limit, its caller's signal and a place in the waiting room. Returns a function that releases these. */
  #letWait(one: Waiting, request: TurnRequest): () => void {
    const { room } = this.#options;
    const { signal, withinMs = Infinity, hasPlace = false, urgentAfterMs = Infinity } = request;
    if (this.#isClosed || (!hasPlace && !room.enter(one.kind))) {
      this.#turnAway(one, NO_PLACE_MS);
      return () => undefined;
    }
    const leave = (): void => {
      this.#turnAway(one, 0);
      this.#serve();
    };
    const timer = setTimeout(leave, timerMs(withinMs));
    const mayHurry = one.kind === 'poll' && urgentAfterMs < withinMs;
    const hurry = mayHurry
      ? setTimeout(() => {
          this.#hurry(one);
        }, timerMs(urgentAfterMs))
      : undefined;
    signal?.addEventListener('abort', leave, { once: true });
    return () => {
      clearTimeout(timer);
      clearTimeout(hurry);
      signal?.removeEventListener('abort', leave);
      if (!hasPlace) room.leave();
    };
  }

  #hurry(one: Waiting): void {
    this.#lineOf(one).delete(one);
    one.kind = 'refresh';
    this.#lineOf(one).add(one);
    this.#serve();
  }

  #turnAway(one: Waiting, waitMs: number): void {
    if (!this.#lineOf(one).delete(one)) return;
    const { pace } = this.#options;
    const soonestMs = Math.max(waitMs, pace.waitMs(one.kind));
    one.settle({ go: false, retryAfterMs: Math.max(1, pace.turnAway(soonestMs)) });
  }

  /** Turns away the calls that cannot have their turn in time. */
  #turnAwayHopeless(): void {
    const nowMs = this.#options.now();
    for (const kind of KINDS) {
      const waitMs = this.#options.pace.waitMs(kind);
      if (waitMs === 0 && !this.#isClosed) continue;
      for (const one of this.#lines[kind].flatMap((line) => line.all))
        if (this.#isHopeless(one, waitMs, nowMs)) this.#turnAway(one, waitMs);
    }
  }

  /**
   * True if the call cannot get its turn in time. `nowMs` must be read before `waitMs`. Otherwise, a delay of the process between the two
   * would be added to the wait.
   */
  #isHopeless({ kind, untilMs }: Waiting, waitMs: number, nowMs: number): boolean {
    if (this.#isClosed || waitMs === 0) return this.#isClosed;
    return !this.#options.waitsForTurn || waitMs > LONGEST_PAUSE_MS[kind] || nowMs + waitMs > untilMs;
  }

  /** Starts every call that may be sent now. Runs again when the next call may be sent. */
  #serve(): void {
    clearTimeout(this.#timer);
    const nextMs = Math.min(...KINDS.map((kind) => this.#serveKind(kind)));
    if (nextMs === Infinity) return;
    this.#timer = setTimeout(() => {
      this.#serve();
    }, timerMs(nextMs));
  }

  /**
   * Starts the calls of this kind that may be sent now. Returns the time until another call may be sent, in milliseconds. Returns
   * `Infinity` if no call waits, or if the calls wait only for the end of other calls.
   */
  #serveKind(kind: CallKind): number {
    const { pace, now } = this.#options;
    for (;;) {
      if (this.#lines[kind].every(({ length }) => length === 0)) return Infinity;
      const waitMs = pace.waitMs(kind);
      if (waitMs > 0) return waitMs;
      const next = this.#next(kind);
      if (next === undefined) return kind === 'create' ? this.#probeInMs() : this.#makeRoomMs(kind);
      this.#start(next, now());
    }
  }

  /**
   * Returns the first call of this kind whose bulkhead has a free connection. May also return a create request that tests whether create
   * requests are answered (see `OVERTAKEN_MS`).
   */
  #next(kind: CallKind): Waiting | undefined {
    const [first] = this.#lines[kind]
      .flatMap((line) => line.first ?? [])
      .filter((one) => this.#hasRoom(bulkheadOf(one)))
      .sort(inOrder);
    if (first !== undefined || kind !== 'create' || this.#probeInMs() > 0) return first;
    // The newest request is used, because it is the least likely to hang.
    return this.#lines.create[0].last;
  }

  #hasRoom(bulkhead: Bulkhead): boolean {
    const { own, all } = SHARES[bulkhead];
    const counted = this.#counted();
    const ofOwn = counted.filter((one) => one.bulkhead === bulkhead);
    return ofOwn.length < this.#part(own) && counted.length < this.#part(all);
  }

  /** Returns the running calls, without the hanging create requests that use spare connections. */
  #counted(): Running[] {
    let spare = this.#options.spareConnections;
    return [...this.#running].filter(({ bulkhead, startedAtMs }) => {
      const hangs = bulkhead === 'create' && spare > 0 && this.isOvertaken(startedAtMs + OVERTAKEN_MS);
      if (hangs) spare -= 1;
      return !hangs;
    });
  }

  #part(share: number): number {
    return Math.max(1, Math.floor(this.#options.connections * share));
  }

  /**
   * If all connections for create requests are in use, one more create request may be sent as a test: it shows whether create requests are
   * still answered while the running ones hang. Returns the time until that test, in milliseconds, or `Infinity` if no test may be sent.
   */
  #probeInMs(): number {
    const creates = [...this.#running].filter(({ bulkhead }) => bulkhead === 'create');
    const newest = creates.at(-1);
    const most = this.#part(SHARES.create.own) + this.#options.spareConnections;
    if (newest === undefined || creates.length >= most) return Infinity;
    return Math.max(0, newest.startedAtMs + OVERTAKEN_MS - this.#options.now());
  }

  /**
   * Stops the slowest polls, so that waiting polls get their connections. Returns the time until another poll may have to be stopped, in
   * milliseconds, or `Infinity` if there is none.
   */
  #makeRoomMs(kind: CallKind): number {
    let waiting = kind === 'cancel' ? 0 : this.#lines[kind][0].length;
    const startedBeforeMs = this.#options.now() - Math.max(SLOW_MS, SLOW_TIMES * this.#meanPollMs);
    for (const { bulkhead, startedAtMs, gaveUp } of this.#running) {
      if (waiting === 0) break;
      if (bulkhead !== 'poll' || gaveUp.stoppedBy !== undefined) continue;
      if (startedAtMs > startedBeforeMs) return startedAtMs - startedBeforeMs;
      gaveUp.stop('CALL_ABORTED');
      waiting -= 1;
    }
    return Infinity;
  }

  #start(one: Waiting, nowMs: number): void {
    const { kind } = one;
    const running: Running = { bulkhead: bulkheadOf(one), startedAtMs: nowMs, gaveUp: new CallScope() };
    this.#lineOf(one).delete(one);
    this.#running.add(running);
    this.#options.pace.sent(kind);
    const end = (isAnswered: boolean): void => {
      if (!this.#running.delete(running)) return;
      if (isAnswered) this.#answered(running);
      else this.#turnAwayHopeless();
      this.#serve();
    };
    one.settle({ go: true, turn: { startedAtMs: nowMs, gaveUp: running.gaveUp, end } });
  }

  #answered({ bulkhead, startedAtMs }: Running): void {
    const tookMs = this.#options.now() - startedAtMs;
    if (bulkhead === 'poll' || bulkhead === 'hungPoll')
      this.#meanPollMs += LATEST * (tookMs - this.#meanPollMs);
    if (bulkhead === 'create') this.#answeredCreateAtMs = Math.max(this.#answeredCreateAtMs, startedAtMs);
  }

  #lineOf({ kind, isHung }: Waiting): Line<Waiting> {
    return this.#lines[kind][isHung ? 1 : 0];
  }
}

function bulkheadOf({ kind, isHung }: Waiting): Bulkhead {
  if (kind === 'create') return kind;
  if (kind === 'cancel') return isHung ? 'hungCancel' : 'cancel';
  return isHung ? 'hungPoll' : 'poll';
}

/** Node's timers count whole milliseconds. */
const timerMs = (ms: number): number => Math.min(Math.max(0, Math.ceil(ms)), LONGEST_TIMER_MS);
