import { CreateTimes } from './create-times';
import type { Bulkhead, Bulkheads } from './bulkheads';
import { CallScope } from '../call-scope';
import type { CallKind, Pace } from './pace';
import { WaitingCalls, type LinedUp } from './waiting-calls';
import type { WaitingRoom } from './waiting-room';

/** A call that asks for its turn. */
export interface TurnRequest extends Omit<LinedUp, 'cameAtMs'> {
  /** The longest time that it may wait, in milliseconds. */
  readonly withinMs: number;
  /** Since when it waits, by the pace's clock. @default now */
  readonly cameAtMs?: number;
  /** It does not wait for a pause that is longer than this, in milliseconds. */
  readonly longestPauseMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Its caller holds a place in the waiting room already. */
  readonly hasPlace?: boolean | undefined;
  /** A poll that has waited so long, in milliseconds, goes on waiting as a refresh. @default never */
  readonly urgentAfterMs?: number | undefined;
}

/** `go` with a turn, which must be ended; otherwise the call is turned away, and may ask again after this time. */
export type TurnAnswer =
  { readonly go: true; readonly turn: Turn } | { readonly go: false; readonly retryAfterMs: number };

export interface Turn {
  readonly startedAtMs: number;
  /** Is stopped when the call has to give up its connection, because it takes long and others wait. */
  readonly gaveUp: CallScope;
  /** Gives the connection to the next. `isAnswered`: the service took the call. */
  end(isAnswered: boolean): void;
}

export interface TurnsOptions {
  readonly pace: Pace;
  readonly bulkheads: Bulkheads;
  readonly room: WaitingRoom;
  readonly now: () => number;
  /** Whether calls wait for pauses and rate limits. Otherwise they are turned away, and wait only for a connection. */
  readonly waitsForTurn: boolean;
}

interface Waiting extends LinedUp {
  kind: CallKind;
  readonly request: TurnRequest;
  readonly untilMs: number;
  readonly settle: (answer: TurnAnswer) => void;
}

interface Running {
  bulkhead: Bulkhead;
  readonly startedAtMs: number;
  readonly gaveUp: CallScope;
}

/** Who goes first. */
const KINDS: readonly CallKind[] = ['cancel', 'create', 'refresh', 'poll'];
/** Timers of Node count whole milliseconds, and none longer than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A call that finds no place to wait asks again after this time at the earliest. */
const NO_PLACE_MS = 1_000;
/** Calls that wait are looked through again when their pause has become longer by this. */
const LONGER_PAUSE_MS = 1_000;
/** A poll makes room for those that wait if it takes longer than this, and this many times as long as others did. */
const SLOW_MS = 2_000;
const SLOW_TIMES = 4;
/** Where all places are taken by creates that may hang, one more goes so often to tell whether others are answered. */
const PROBE_EVERY_MS = 2_000;
/** The weight of the latest poll in the mean. */
const LATEST = 0.1;

/**
 * Where an account's calls wait for their turn: cancels first, then creates, refreshes and polls, each first come, first
 * served. A call goes when the pace allows it and its bulkhead has room.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #waiting = new WaitingCalls<Waiting>();
  readonly #running = new Set<Running>();
  /** Until when the calls of each kind that wait are known to have time. */
  readonly #lookedThroughMs: Record<CallKind, number> = {
    cancel: -Infinity,
    create: -Infinity,
    refresh: -Infinity,
    poll: -Infinity,
  };
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** How long answered polls took, on average. */
  #meanPollMs = 0;
  readonly #createTimes = new CreateTimes();
  /** While creates hang, every other turn is that of the create that came last. */
  #isNewestNext = true;
  #probeAtMs = -Infinity;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Waits for the turn. Never rejects. */
  take(request: TurnRequest): Promise<TurnAnswer> {
    const { room, now, pace } = this.#options;
    if (request.signal?.aborted === true) return Promise.resolve({ go: false, retryAfterMs: 0 });
    return new Promise((resolve) => {
      let release = (): void => undefined;
      const settle = (answer: TurnAnswer): void => {
        release();
        resolve(answer);
      };
      const nowMs = now();
      const { kind, bulkhead, withinMs, cameAtMs = nowMs } = request;
      const one: Waiting = { kind, bulkhead, cameAtMs, request, untilMs: nowMs + withinMs, settle };
      const waitMs = pace.waitMs(kind);
      this.#waiting.add(one);
      if (waitMs > 0 && this.#isTooLong(one, waitMs, nowMs)) this.#turnAway(one, waitMs);
      else this.#serve();
      if (!this.#waiting.has(one)) return;
      const needsPlace = request.hasPlace !== true;
      if (needsPlace && !room.enter(kind)) {
        this.#turnAway(one, NO_PLACE_MS);
        return;
      }
      const leave = (): void => {
        this.#turnAway(one, 0);
        this.#serve();
      };
      const timer = setTimeout(leave, Math.min(Math.max(0, withinMs), LONGEST_TIMER_MS));
      const urgent = this.#becomesUrgent(one);
      request.signal?.addEventListener('abort', leave, { once: true });
      release = () => {
        clearTimeout(timer);
        clearTimeout(urgent);
        request.signal?.removeEventListener('abort', leave);
        if (needsPlace) room.leave();
      };
    });
  }

  /** Cancels that have had no answer for long give up, for those that are sent now. One whose session has hung before takes its time. */
  giveUpSlowCancels(): void {
    const beforeMs = this.#options.now() - SLOW_MS;
    for (const { bulkhead, startedAtMs, gaveUp } of this.#running)
      if (bulkhead === 'cancel' && startedAtMs <= beforeMs) gaveUp.stop('CALL_ABORTED');
  }

  /** Whether a create that was sent no earlier than then has been answered. */
  isOvertaken(createSentAtMs: number): boolean {
    return this.#createTimes.isOvertaken(createSentAtMs);
  }

  /** Turns away all that wait, and from now on all that would have to. */
  close(): void {
    this.#closed = true;
    this.#serve();
  }

  #becomesUrgent(one: Waiting): NodeJS.Timeout | undefined {
    const { urgentAfterMs = Infinity, withinMs } = one.request;
    if (one.kind !== 'poll' || urgentAfterMs >= withinMs) return undefined;
    return setTimeout(() => {
      this.#waiting.delete(one);
      one.kind = 'refresh';
      this.#waiting.add(one);
      this.#serve();
    }, urgentAfterMs);
  }

  #turnAway(one: Waiting, waitMs: number): void {
    if (!this.#waiting.delete(one)) return;
    const { pace } = this.#options;
    const soonestMs = Math.max(waitMs, pace.waitMs(one.kind));
    one.settle({ go: false, retryAfterMs: Math.max(1, pace.turnAway(soonestMs)) });
  }

  /** Starts every call that may go, and comes back when the next one may. However many wait, it looks at few of them. */
  #serve(): void {
    clearTimeout(this.#timer);
    const nowMs = this.#options.now();
    const nextMs = Math.min(...KINDS.map((kind) => this.#serveKind(kind, nowMs)));
    if (nextMs === Infinity) return;
    const afterMs = Math.min(Math.ceil(nextMs), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#serve();
    }, afterMs);
  }

  /** Returns when the next call of the kind may go; `Infinity` if none waits, or only for others to end. */
  #serveKind(kind: CallKind, nowMs: number): number {
    const { pace, bulkheads } = this.#options;
    if (kind === 'create' && this.#waiting.count(kind) > 0) this.#setSlowCreatesAside(nowMs);
    const hasRoom = (bulkhead: Bulkhead): boolean => bulkheads.hasRoom(bulkhead);
    while (pace.waitMs(kind) === 0) {
      const isNewest = kind === 'create' && bulkheads.createsHang && this.#isNewestNext;
      const next = isNewest ? this.#waiting.last(kind, hasRoom) : this.#waiting.first(kind, hasRoom);
      if (next === undefined) break;
      if (kind === 'create') this.#isNewestNext = !isNewest;
      this.#start(next, nowMs);
    }
    if (kind === 'create') this.#probe(nowMs);
    const waitMs = pace.waitMs(kind);
    this.#turnAwayHopeless(kind, waitMs, nowMs);
    if (this.#waiting.count(kind) === 0) return Infinity;
    if (waitMs > 0) return waitMs;
    return kind === 'create'
      ? this.#slowCreateInMs(nowMs)
      : this.#makeRoomMs(this.#waiting.count(kind, 'poll'), nowMs);
  }

  /** Those who will not have their turn in their time. They are looked through only where they have to wait longer now. */
  #turnAwayHopeless(kind: CallKind, waitMs: number, nowMs: number): void {
    const { waitsForTurn } = this.#options;
    const isFutile = this.#closed || (waitMs > 0 && !waitsForTurn);
    const readyAtMs = nowMs + waitMs;
    const isLonger = waitMs > 0 && readyAtMs >= this.#lookedThroughMs[kind] + LONGER_PAUSE_MS;
    if (!isFutile && !isLonger) return;
    this.#lookedThroughMs[kind] = readyAtMs;
    for (const one of this.#waiting.all(kind)) {
      if (this.#isTooLong(one, waitMs, nowMs)) this.#turnAway(one, waitMs);
    }
  }

  /** `nowMs` was read before `waitMs`: otherwise what the process was held up in between would be added to the wait. */
  #isTooLong({ untilMs, request }: Waiting, waitMs: number, nowMs: number): boolean {
    if (this.#closed) return true;
    if (waitMs === 0) return false;
    return !this.#options.waitsForTurn || waitMs > request.longestPauseMs || nowMs + waitMs > untilMs;
  }

  #start(one: Waiting, nowMs: number, bulkhead = one.bulkhead()): void {
    const { pace, bulkheads } = this.#options;
    const running: Running = { bulkhead, startedAtMs: nowMs, gaveUp: new CallScope() };
    this.#waiting.delete(one);
    this.#running.add(running);
    bulkheads.start(bulkhead);
    pace.sent();
    const end = (isAnswered: boolean): void => {
      if (!this.#running.delete(running)) return;
      bulkheads.end(running.bulkhead);
      if (isAnswered) this.#answered(running);
      this.#serve();
    };
    const turn = { startedAtMs: nowMs, gaveUp: running.gaveUp, end };
    one.settle({ go: true, turn });
  }

  #answered({ bulkhead, startedAtMs }: Running): void {
    const { bulkheads, now } = this.#options;
    bulkheads.answered(bulkhead);
    const tookMs = now() - startedAtMs;
    if (bulkhead === 'poll' || bulkhead === 'hungPoll')
      this.#meanPollMs += LATEST * (tookMs - this.#meanPollMs);
    else if (bulkhead === 'create' || bulkhead === 'slowCreate' || bulkhead === 'hungCreate')
      this.#createTimes.answered(startedAtMs, tookMs);
  }

  /** Creates wait: those under way that take long make room for them, as the bulkheads allow. */
  #setSlowCreatesAside(nowMs: number): void {
    const { bulkheads } = this.#options;
    const { slowMs } = this.#createTimes;
    for (const running of this.#running) {
      const { bulkhead, startedAtMs } = running;
      if ((bulkhead !== 'create' && bulkhead !== 'slowCreate') || nowMs < startedAtMs + slowMs) continue;
      const aside =
        this.isOvertaken(startedAtMs) && bulkheads.hasRoom('hungCreate') ? 'hungCreate' : 'slowCreate';
      if (bulkheads.moveCreate(bulkhead, aside)) running.bulkhead = aside;
    }
  }

  /** The create that came last goes, though all places are taken by creates of which none is known to be answered. */
  #probe(nowMs: number): void {
    const { bulkheads, pace } = this.#options;
    if (!bulkheads.createsHang || bulkheads.hasRoom('create') || !bulkheads.hasRoom('hungCreate')) return;
    if (nowMs < this.#probeAtMs || pace.waitMs('create') > 0) return;
    const newest = this.#waiting.last('create', () => true);
    if (newest === undefined) return;
    this.#probeAtMs = nowMs + PROBE_EVERY_MS;
    this.#start(newest, nowMs, 'hungCreate');
  }

  /** When the next create under way is slow, or the next probe may go; `Infinity` if neither will be. */
  #slowCreateInMs(nowMs: number): number {
    const { bulkheads } = this.#options;
    const probeAtMs = bulkheads.createsHang && bulkheads.hasRoom('hungCreate') ? this.#probeAtMs : Infinity;
    const first = [...this.#running].find(({ bulkhead }) => bulkhead === 'create');
    const slowAtMs = first === undefined ? Infinity : first.startedAtMs + this.#createTimes.slowMs;
    return Math.max(1, Math.min(slowAtMs, probeAtMs) - nowMs);
  }

  /**
   * So many polls wait for a connection: as many of those that take longest give up theirs. Returns when the next one may
   * have to.
   */
  #makeRoomMs(waiting: number, nowMs: number): number {
    if (waiting === 0) return Infinity;
    const slowMs = Math.max(SLOW_MS, SLOW_TIMES * this.#meanPollMs);
    let gaveUp = 0;
    for (const { bulkhead, startedAtMs, gaveUp: scope } of this.#running) {
      if (bulkhead !== 'poll' || scope.stoppedBy !== undefined) continue;
      const leftMs = startedAtMs + slowMs - nowMs;
      if (leftMs > 0 || gaveUp === waiting) return gaveUp > 0 ? 1 : leftMs;
      this.#options.bulkheads.gaveUp();
      scope.stop('CALL_ABORTED');
      gaveUp += 1;
    }
    return gaveUp > 0 ? 1 : Infinity;
  }
}
