import { CallScope } from '../call-scope';
import { LONGEST_TIMER_MS } from '../options';
import type { CallKind, Pace } from './pace';
import { inOrder, Line, type WaitingRoom } from './waiting';

/** A call that asks for its turn. */
export interface TurnRequest {
  readonly kind: CallKind;
  /** True if the session's last call of this kind, or its last poll, got no answer in time. @default false */
  readonly isHung?: boolean;
  /** The longest time that the call may wait, in milliseconds. @default the longest pause that a call of its kind waits for */
  readonly withinMs?: number | undefined;
  /** Time that the call has waited elsewhere, in milliseconds: a returning call keeps its place. @default 0 */
  readonly waitedMs?: number | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** True if the call needs no place in the waiting room. @default false */
  readonly hasPlace?: boolean | undefined;
  /** The wait after which a poll becomes a refresh, in milliseconds. @default never */
  readonly urgentAfterMs?: number | undefined;
}

/** `go` with a turn, which must be ended. Otherwise the call is turned away, and may ask again after `retryAfterMs` milliseconds. */
export type TurnAnswer =
  { readonly go: true; readonly turn: Turn } | { readonly go: false; readonly retryAfterMs: number };

export interface Turn {
  readonly startedAtMs: number;
  /** Stopped when the call takes long and has to release its connection to others. */
  readonly gaveUp: CallScope;
  /** Releases the connection to the next call. `isAnswered`: the service took this call. */
  end(isAnswered: boolean): void;
}

export interface TurnsOptions {
  readonly pace: Pace;
  readonly room: WaitingRoom;
  readonly now: () => number;
  /** True if calls wait for pauses and rate limits. Otherwise these turn calls away, and calls wait only for a connection. */
  readonly waitsForTurn: boolean;
  readonly connections: number;
  /** Further connections for create requests that hang while others are answered. */
  readonly spareConnections: number;
}

/**
 * Groups of calls that share connections. Sessions whose last call hung have few: however many hang, they do not hold up the
 * others.
 */
type Bulkhead = 'cancel' | 'create' | 'poll' | 'hungCancel' | 'hungPoll';

/**
 * Maximum shares of the connections, not counting the spare ones. `own`: the share that the bulkhead's calls use. `all`: the share that all
 * calls use together when one more call of the bulkhead goes.
 */
const SHARES: Readonly<Record<Bulkhead, { readonly own: number; readonly all: number }>> = {
  cancel: { own: 1, all: 1 },
  hungCancel: { own: 1 / 4, all: 1 },
  create: { own: 3 / 4, all: 7 / 8 },
  poll: { own: 1 / 2, all: 7 / 8 },
  hungPoll: { own: 1 / 8, all: 7 / 8 },
};

/** The order in which calls go. */
const KINDS: readonly CallKind[] = ['cancel', 'create', 'refresh', 'poll'];
/**
 * The longest pause that a call waits for and, by default, its longest wait for a turn, in milliseconds. With the call after it, such a
 * wait fits into the activity's start-to-close timeout. A create request that has to wait longer does so in its workflow, whose state shows
 * the wait.
 */
export const LONGEST_PAUSE_MS: Readonly<Record<CallKind, number>> = {
  cancel: 10_000,
  create: 5_000,
  refresh: 30_000,
  poll: 30_000,
};
/** A call that finds no place to wait asks again after this time at the earliest. */
const NO_PLACE_MS = 1_000;
/**
 * A poll makes room for waiting polls if it takes longer than `SLOW_MS`, and longer than `SLOW_TIMES` times the mean. A cancel is slow
 * after `SLOW_MS`.
 */
const SLOW_MS = 2_000;
const SLOW_TIMES = 4;
/** The weight of the latest poll in the mean. */
const LATEST = 0.1;
/**
 * A create request counts as hanging, and makes room, as soon as another one that was sent this much later is answered. While create
 * requests have no room, one more goes this long after the newest.
 */
const OVERTAKEN_MS = 1_000;

interface Waiting {
  kind: CallKind;
  readonly isHung: boolean;
  readonly cameAtMs: number;
  /** The order of calls that came at the same time. */
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
 * The line of an account's calls: cancels first, then create requests, refreshes and polls. Calls of the same kind go in the order of their
 * arrival. A call goes when the pace allows it and its bulkhead has room.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #lines: Readonly<Record<CallKind, readonly [usual: Line<Waiting>, hung: Line<Waiting>]>> = {
    cancel: [new Line(), new Line()],
    create: [new Line(), new Line()],
    refresh: [new Line(), new Line()],
    poll: [new Line(), new Line()],
  };
  /** The running calls, in the order in which they went. */
  readonly #running = new Set<Running>();
  #arrivals = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #meanPollMs = 0;
  /** The time at which the latest answered create was sent. */
  #answeredCreateAtMs = -Infinity;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Waits for the turn. Never rejects. */
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

  /**
   * Makes slow cancels give up their wait for an answer, in favour of cancels that are sent now. A cancel of a session that hung before may
   * go on waiting.
   */
  giveUpSlowCancels(): void {
    const beforeMs = this.#options.now() - SLOW_MS;
    for (const { bulkhead, startedAtMs, gaveUp } of this.#running)
      if (bulkhead === 'cancel' && startedAtMs <= beforeMs) gaveUp.stop('CALL_ABORTED');
  }

  /** True if a create request that was sent at this time or later has been answered. */
  isOvertaken(createSentAtMs: number): boolean {
    return createSentAtMs <= this.#answeredCreateAtMs;
  }

  /** Turns away all waiting calls, and later calls that would have to wait. */
  close(): void {
    this.#isClosed = true;
    this.#turnAwayHopeless();
    this.#serve();
  }

  /** Bounds the wait by its time, its caller and the waiting room. Returns a function that ends these bounds. */
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
   * True if the call cannot have its turn in time. `nowMs` must be read before `waitMs`: otherwise a delay of the process in between
   * would be added to the wait.
   */
  #isHopeless({ kind, untilMs }: Waiting, waitMs: number, nowMs: number): boolean {
    if (this.#isClosed || waitMs === 0) return this.#isClosed;
    return !this.#options.waitsForTurn || waitMs > LONGEST_PAUSE_MS[kind] || nowMs + waitMs > untilMs;
  }

  /** Starts every call that may go. Runs again when the next call may go. */
  #serve(): void {
    clearTimeout(this.#timer);
    const nextMs = Math.min(...KINDS.map((kind) => this.#serveKind(kind)));
    if (nextMs === Infinity) return;
    this.#timer = setTimeout(() => {
      this.#serve();
    }, timerMs(nextMs));
  }

  /**
   * Starts the calls of this kind that may go. Returns the time until another one may go, in milliseconds; `Infinity` if none waits, or
   * if they wait only for other calls to end.
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

  /** Returns the first call of this kind whose bulkhead has room, or a create request that goes although such requests have no room. */
  #next(kind: CallKind): Waiting | undefined {
    const [first] = this.#lines[kind]
      .flatMap((line) => line.first ?? [])
      .filter((one) => this.#hasRoom(bulkheadOf(one)))
      .sort(inOrder);
    if (first !== undefined || kind !== 'create' || this.#probeInMs() > 0) return first;
    // The newest request is the least likely to hang.
    return this.#lines.create[0].last;
  }

  #hasRoom(bulkhead: Bulkhead): boolean {
    const { own, all } = SHARES[bulkhead];
    const counted = this.#counted();
    const ofOwn = counted.filter((one) => one.bulkhead === bulkhead);
    return ofOwn.length < this.#part(own) && counted.length < this.#part(all);
  }

  /** Returns the running calls, except the create requests that hang while others are answered: these use spare connections. */
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
   * Returns the time until one more create request goes although such requests have no room, in milliseconds; `Infinity` if none may go.
   * That request shows whether create requests are still answered while those under way hang.
   */
  #probeInMs(): number {
    const creates = [...this.#running].filter(({ bulkhead }) => bulkhead === 'create');
    const newest = creates.at(-1);
    const most = this.#part(SHARES.create.own) + this.#options.spareConnections;
    if (newest === undefined || creates.length >= most) return Infinity;
    return Math.max(0, newest.startedAtMs + OVERTAKEN_MS - this.#options.now());
  }

  /**
   * Makes the slowest polls release their connections to waiting polls. Returns the time until another poll may have to release its
   * connection, in milliseconds; `Infinity` if none will.
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
