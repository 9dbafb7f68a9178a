import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@temporalio/activity';
import { explain, nameOf, withRemedy } from '../src/errors';
import { soon } from '../src/contract/values/soon';
import type { CallFailure } from '../src/errors/failures';
import { ABOUT_TO_SEND, ABOUT_TO_SEND_ON_LEDGER } from '../src/protocol/names';
import { Delivered, type ActivityCompletion } from './activity-attempt';

/** The part of a create's execution that the sender of the request uses. */
export interface Alive {
  /** Aborts when the create is no longer wanted. */
  readonly signal: AbortSignal;
  /** Records that the create is about to be sent. If this rejects with a `NotOnRecordError`, the create must not be sent. */
  readonly beforeSend: () => Promise<void>;
}

/** Thrown if the create must not be sent: it was called off, or the server has not recorded that it is about to be sent. */
export class NotOnRecordError extends Error {
  override readonly name = 'NotOnRecordError';

  constructor(readonly failure: CallFailure) {
    super(failure.message);
  }
}

/** Options of `WriteAhead`. */
export interface WriteAheadOptions {
  /** True if the worker is stopping. @default always false */
  readonly isStopping?: (() => boolean) | undefined;
  /** True if the worker records the create's answer in a ledger before it delivers the answer. @default false */
  readonly isOnLedger?: boolean;
}

/** The part of an activity's context that is needed. */
export type ExecutionContext = Pick<Context, 'info' | 'cancellationSignal' | 'cancellationDetails'>;

/** The interval of heartbeats. They bring cancels, and keep the execution alive. */
const BEAT_EVERY_MS = 1_000;
/** A heartbeat that records the create counts as lost after this time. */
const ANSWER_WITHIN_MS = 2_000;
/** After this time, no further attempt to record the create begins. The create holds its turn meanwhile. */
const RECORD_WITHIN_MS = 5_000;
const REPEAT_MS = 200;
const LONGEST_REPEAT_MS = 2_000;
/** The longest time for delivering a result. The server gives up the execution long before that, unless it is away. */
const LONGEST_DELIVERY_MS = 24 * 60 * 60_000;
/**
 * The longest time for one attempt at delivery, and for all attempts of a stopping worker. The SDK gives up its own
 * deliveries after the same time.
 */
const DELIVER_WITHIN_MS = 10_000;

/** The server no longer knows the execution, or wants it to end. */
const CALLED_OFF = [
  'ActivityNotFoundError',
  'ActivityCancelledError',
  'ActivityPausedError',
  'ActivityResetError',
];

/**
 * Sends the heartbeats of a create, which record whether the create may have been sent. They are empty at first. From just
 * before the create is sent, they say that it is about to be sent. If the execution is lost, the last heartbeat shows the
 * workflow how far the create got. All heartbeats go through the client, because the SDK's own are not acknowledged. When
 * the first heartbeat with the record is sent, no empty one is under way: it could arrive later and overwrite the record.
 */
export class WriteAhead {
  readonly #over = new AbortController();
  #isAboutToSend = false;
  #beat: Promise<void> | undefined;
  readonly #completion: ActivityCompletion;
  readonly #context: ExecutionContext;
  readonly #isStopping: () => boolean;
  readonly #aboutToSend: string;

  constructor(completion: ActivityCompletion, context: ExecutionContext, options: WriteAheadOptions = {}) {
    const { isStopping = () => false, isOnLedger = false } = options;
    this.#completion = completion;
    this.#context = context;
    this.#isStopping = isStopping;
    this.#aboutToSend = isOnLedger ? ABOUT_TO_SEND_ON_LEDGER : ABOUT_TO_SEND;
  }

  /**
   * Does the work, sends heartbeats meanwhile, and returns the work's result. If the create may have been sent, or the SDK
   * has timed out the execution, delivers the result itself and rejects with a `Delivered`: the SDK would stop the heartbeats
   * and drop the result after ten seconds without a server.
   */
  async run<T>(work: (alive: Alive) => Promise<T>): Promise<T> {
    const { cancellationSignal } = this.#context;
    const beats = setInterval(() => void this.#beatOnce(), BEAT_EVERY_MS);
    const onAbort = (): void => {
      if (!this.#isGivenUpBySdk) this.#over.abort();
    };
    cancellationSignal.addEventListener('abort', onAbort);
    if (cancellationSignal.aborted) onAbort();
    try {
      const { signal } = this.#over;
      const result = await work({ signal, beforeSend: () => this.#record() });
      return this.#isAboutToSend || this.#isGivenUpBySdk ? await this.#deliver(result) : result;
    } finally {
      clearInterval(beats);
      cancellationSignal.removeEventListener('abort', onAbort);
    }
  }

  /**
   * True if the SDK has timed out the execution. The SDK counts only heartbeats that are sent through its worker, and drops
   * the result of an execution without one for longer than the timeout. The server has received the client's heartbeats.
   */
  get #isGivenUpBySdk(): boolean {
    return this.#context.cancellationDetails?.timedOut === true;
  }

  /** Resolves once the server has recorded that the create is about to be sent. Only a fresh answer counts. */
  async #record(): Promise<void> {
    const givesUpAt = performance.now() + RECORD_WITHIN_MS;
    // A heartbeat that is under way could reach the server after the record, and overwrite it.
    if (!this.#isAboutToSend && this.#beat !== undefined) {
      const isOver = await soon(
        this.#beat.then(() => true),
        RECORD_WITHIN_MS,
      );
      if (isOver !== true) throw new NotOnRecordError(temporalAway());
    }
    while (performance.now() < givesUpAt) {
      if (this.#over.signal.aborted) throw new NotOnRecordError(calledOff());
      this.#isAboutToSend = true;
      const askedAt = performance.now();
      const isTaken = (await soon(this.#send(), ANSWER_WITHIN_MS)) === true;
      const isFresh = performance.now() - askedAt < ANSWER_WITHIN_MS;
      if (isTaken && isFresh) return;
      await sleep(REPEAT_MS);
    }
    throw new NotOnRecordError(temporalAway());
  }

  async #beatOnce(): Promise<void> {
    if (this.#beat !== undefined) return;
    this.#beat = this.#send().then(() => {
      this.#beat = undefined;
    });
    await this.#beat;
  }

  /** Sends a heartbeat. Returns true if the server has accepted it. */
  async #send(): Promise<boolean> {
    try {
      const details = this.#isAboutToSend ? this.#aboutToSend : undefined;
      await this.#completion.heartbeat(this.#context.info.taskToken, details);
      return true;
    } catch (error) {
      if (CALLED_OFF.includes(nameOf(error))) this.#over.abort();
      return false;
    }
  }

  /** Repeats the delivery until the server accepts the result or no longer knows the execution, or until the time is over. */
  async #deliver(result: unknown): Promise<never> {
    const startedAt = performance.now();
    let pauseMs = REPEAT_MS;
    const leftMs = (): number =>
      startedAt + (this.#isStopping() ? DELIVER_WITHIN_MS : LONGEST_DELIVERY_MS) - performance.now();
    for (let left = leftMs(); left > 0; left = leftMs()) {
      if (await soon(this.#complete(result), Math.min(left, DELIVER_WITHIN_MS))) break;
      await sleep(Math.min(pauseMs, Math.max(0, leftMs())));
      pauseMs = Math.min(2 * pauseMs, LONGEST_REPEAT_MS);
    }
    throw new Delivered(result);
  }

  /** Completes the activity. Returns true if nothing is left to deliver. */
  async #complete(result: unknown): Promise<boolean> {
    try {
      await this.#completion.complete(this.#context.info.taskToken, result);
      return true;
    } catch (error) {
      return nameOf(error) === 'ActivityNotFoundError';
    }
  }
}

/** Returns the failure of a create that was called off before it was sent. The create itself has not failed. */
function calledOff(): CallFailure {
  const code = 'SERVICE_PAUSED';
  return {
    code,
    message: withRemedy(code, 'The create request was called off before it was sent.'),
    retryAfterMs: 1,
  };
}

function temporalAway(): CallFailure {
  const code = 'TEMPORAL_UNAVAILABLE';
  const happened =
    'The worker could not record that it was about to send the create request, so nothing was sent.';
  return { code, message: `${happened} ${explain(code)}` };
}
