import type { Lane, Lanes } from './lanes';
import type { CallKind, Pace } from './pace';
import type { WaitingRoom } from './waiting-room';

/** A call that asks for its turn. */
export interface TurnRequest {
  readonly kind: CallKind;
  /** Which lane it takes is decided when its turn comes. */
  readonly lane: () => Lane;
  /** The longest time that it may wait, in milliseconds. */
  readonly withinMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Its caller holds a place in the waiting room already. */
  readonly hasPlace?: boolean | undefined;
}

/** `go` with a turn, which must be ended; otherwise the call is turned away, and may ask again after this time. */
export type TurnAnswer =
  { readonly go: true; readonly turn: Turn } | { readonly go: false; readonly retryAfterMs: number };

export interface Turn {
  readonly startedAtMs: number;
  /** Aborts when the call has to give up its connection, because it takes long and others wait. */
  readonly gaveUp: AbortSignal;
  /** Gives the connection to the next. `isAnswered`: the service took the call. */
  end(isAnswered: boolean): void;
}

export interface TurnsOptions {
  readonly pace: Pace;
  readonly lanes: Lanes;
  readonly room: WaitingRoom;
  readonly now: () => number;
  /** Whether calls wait for pauses and rate limits. Otherwise they are turned away, and wait only for a connection. */
  readonly waitsForTurn: boolean;
}

interface Waiting {
  readonly request: TurnRequest;
  readonly untilMs: number;
  readonly settle: (answer: TurnAnswer) => void;
}

interface Running {
  readonly lane: Lane;
  readonly startedAtMs: number;
  readonly giveUp: AbortController;
}

const RANKS: Readonly<Record<CallKind, number>> = { cancel: 0, create: 1, refresh: 2, poll: 3 };
/** Timers of Node count whole milliseconds, and none longer than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A call that finds no place to wait asks again after this time at the earliest. */
const NO_PLACE_MS = 1_000;
/** A poll makes room for those that wait if it takes longer than this, and this many times as long as others did. */
const SLOW_MS = 2_000;
const SLOW_TIMES = 4;
/** The weight of the latest poll in the mean. */
const LATEST = 0.1;

/**
 * Where an account's calls wait for their turn: cancels first, then creates, refreshes and polls, each first come, first
 * served. A call goes when the pace allows it and its lane has room.
 */
export class Turns {
  readonly #options: TurnsOptions;
  #waiting: Waiting[] = [];
  readonly #running = new Set<Running>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** How long answered polls took, on average. */
  #meanPollMs = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Waits for the turn. Never rejects. */
  take(request: TurnRequest): Promise<TurnAnswer> {
    const { room, now } = this.#options;
    if (request.signal?.aborted === true) return Promise.resolve({ go: false, retryAfterMs: 0 });
    return new Promise((resolve) => {
      let release = (): void => undefined;
      const settle = (answer: TurnAnswer): void => {
        release();
        resolve(answer);
      };
      const one: Waiting = { request, untilMs: now() + request.withinMs, settle };
      this.#enqueue(one);
      this.#serve();
      if (!this.#waiting.includes(one)) return;
      const needsPlace = request.hasPlace !== true;
      if (needsPlace && !room.enter(request.kind)) {
        this.#turnAway(one, NO_PLACE_MS);
        return;
      }
      const leave = (): void => {
        this.#turnAway(one, 0);
      };
      const timer = setTimeout(leave, Math.min(Math.max(0, request.withinMs), LONGEST_TIMER_MS));
      request.signal?.addEventListener('abort', leave, { once: true });
      release = () => {
        clearTimeout(timer);
        request.signal?.removeEventListener('abort', leave);
        if (needsPlace) room.leave();
      };
    });
  }

  /** Turns away all that wait, and from now on all that would have to. */
  close(): void {
    this.#closed = true;
    this.#serve();
  }

  #enqueue(one: Waiting): void {
    const rank = RANKS[one.request.kind];
    const place = this.#waiting.findIndex(({ request }) => RANKS[request.kind] > rank);
    this.#waiting.splice(place === -1 ? this.#waiting.length : place, 0, one);
  }

  #remove(one: Waiting): boolean {
    const place = this.#waiting.indexOf(one);
    if (place !== -1) this.#waiting.splice(place, 1);
    return place !== -1;
  }

  #turnAway(one: Waiting, waitMs: number): void {
    if (!this.#remove(one)) return;
    const { pace } = this.#options;
    const soonestMs = Math.max(waitMs, pace.waitMs(one.request.kind));
    one.settle({ go: false, retryAfterMs: Math.max(1, pace.turnAway(soonestMs)) });
  }

  /** Starts every call that may go, and comes back when the next one may. */
  #serve(): void {
    const { pace, lanes, waitsForTurn, now } = this.#options;
    clearTimeout(this.#timer);
    const nowMs = now();
    let nextMs = Infinity;
    for (const one of [...this.#waiting]) {
      const { kind, lane } = one.request;
      const waitMs = pace.waitMs(kind);
      const isBlocked = waitMs > 0 || !lanes.hasRoom(lane());
      if (!isBlocked) this.#start(one, nowMs);
      else if (this.#closed || (waitMs > 0 && (!waitsForTurn || nowMs + waitMs > one.untilMs)))
        this.#turnAway(one, waitMs);
      else nextMs = Math.min(nextMs, waitMs > 0 ? waitMs : this.#makeRoomMs(lane(), nowMs));
    }
    if (nextMs === Infinity) return;
    const afterMs = Math.min(Math.ceil(nextMs), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#serve();
    }, afterMs);
  }

  #start(one: Waiting, nowMs: number): void {
    const { pace, lanes } = this.#options;
    const lane = one.request.lane();
    const running: Running = { lane, startedAtMs: nowMs, giveUp: new AbortController() };
    this.#remove(one);
    this.#running.add(running);
    lanes.start(lane);
    pace.sent();
    const end = (isAnswered: boolean): void => {
      if (!this.#running.delete(running)) return;
      lanes.end(lane);
      if (isAnswered) this.#answered(running);
      this.#serve();
    };
    const turn = { startedAtMs: nowMs, gaveUp: running.giveUp.signal, end };
    one.settle({ go: true, turn });
  }

  #answered({ lane, startedAtMs }: Running): void {
    this.#options.lanes.answered(lane);
    if (lane !== 'poll' && lane !== 'hungPoll') return;
    this.#meanPollMs += LATEST * (this.#options.now() - startedAtMs - this.#meanPollMs);
  }

  /** A poll waits for a connection, so the one that takes longest gives up its own. Returns when one may have to. */
  #makeRoomMs(lane: Lane, nowMs: number): number {
    if (lane !== 'poll') return Infinity;
    const slowMs = Math.max(SLOW_MS, SLOW_TIMES * this.#meanPollMs);
    const polls = [...this.#running].filter((one) => one.lane === 'poll' && !one.giveUp.signal.aborted);
    const [longest] = polls;
    if (longest === undefined) return Infinity;
    const leftMs = longest.startedAtMs + slowMs - nowMs;
    if (leftMs > 0) return leftMs;
    this.#options.lanes.gaveUp();
    longest.giveUp.abort();
    return 1;
  }
}
