import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@temporalio/activity';
import { explain, nameOf, withRemedy } from '../src/errors';
import { soon } from '../src/contract/values/soon';
import type { CallFailure } from '../src/errors/failures';
import { ABOUT_TO_SEND, ABOUT_TO_SEND_ON_LEDGER } from '../src/protocol/names';
import { Delivered, type ActivityCompletion } from './activity-attempt';

/** The functions that the sender of a create request needs from the running activity. */
export interface Alive {
  /** Aborts when the create must not be sent any more. */
  readonly signal: AbortSignal;
  /**
   * Records at the Temporal server that the create is about to be sent. If it rejects with a `NotOnRecordError`, the create
   * must not be sent.
   */
  readonly beforeSend: () => Promise<void>;
}

/**
 * Thrown if the create must not be sent: the activity was cancelled, or the Temporal server has not recorded that the create
 * is about to be sent.
 */
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

/** The part of an activity's context that `WriteAhead` needs. */
export type ExecutionContext = Pick<Context, 'info' | 'cancellationSignal' | 'cancellationDetails'>;

/** The interval between heartbeats. Heartbeats keep the activity alive, and their answers bring its cancellation. */
const BEAT_EVERY_MS = 1_000;
/** After this time without an answer, a heartbeat that records the create counts as lost. */
const ANSWER_WITHIN_MS = 2_000;
/** The longest time for recording the create. Meanwhile, other calls of the account wait behind the create. */
const RECORD_WITHIN_MS = 5_000;
const REPEAT_MS = 200;
const LONGEST_REPEAT_MS = 2_000;
/**
 * The longest time for delivering a result. It is only reached if the Temporal server does not answer. Otherwise, the server
 * gives the activity up long before.
 */
const LONGEST_DELIVERY_MS = 24 * 60 * 60_000;
/**
 * The longest time for one attempt to deliver a result. If the worker is stopping, the longest time for all attempts. The SDK
 * gives up its own deliveries after ten seconds, too.
 */
const DELIVER_WITHIN_MS = 10_000;

/**
 * The errors of a heartbeat after which the activity must end: the Temporal server does not know the activity any more, or
 * wants it to end.
 */
const CALLED_OFF = [
  'ActivityNotFoundError',
  'ActivityCancelledError',
  'ActivityPausedError',
  'ActivityResetError',
];

/**
 * Records at the Temporal server, by heartbeats, whether a create request may have been sent. The payment service has no
 * idempotency key, so a create whose worker is lost must not simply be repeated.
 *
 * At first, the heartbeats are empty. Just before the create is sent, and from then on, they say that the create is about to
 * be sent. If the worker is lost, the workflow reads the last heartbeat. If it is empty, the create was not sent, and can be
 * repeated safely.
 *
 * All heartbeats are sent through the client, because the SDK's own heartbeats are not acknowledged. While an empty heartbeat
 * is still being sent, the first heartbeat with the record waits. Otherwise, the empty heartbeat could arrive later and
 * overwrite the record.
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
   * Does the work, sends heartbeats meanwhile, and returns the work's result.
   *
   * If the create may have been sent, or if the SDK has timed out the activity, delivers the result itself and rejects with a
   * `Delivered`. The SDK would not do that reliably: if the Temporal server does not answer, the SDK stops the heartbeats and
   * drops the result after ten seconds.
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
   * True if the SDK has timed out the activity. The SDK sees only heartbeats that are sent through its worker. Without such
   * heartbeats, it drops the activity's result after the heartbeat timeout, although the Temporal server has received the
   * client's heartbeats.
   */
  get #isGivenUpBySdk(): boolean {
    return this.#context.cancellationDetails?.timedOut === true;
  }

  /**
   * Resolves once the Temporal server has recorded that the create is about to be sent. An answer that comes too late does
   * not count.
   */
  async #record(): Promise<void> {
    const givesUpAt = performance.now() + RECORD_WITHIN_MS;
    // An empty heartbeat that is still being sent could reach the server after the record, and overwrite it.
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

  /** Sends a heartbeat. Returns true if the Temporal server has accepted it. */
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

  /**
   * Delivers a result. Repeats the delivery until the Temporal server accepts the result or does not know the activity any
   * more, or until the time is over.
   */
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

  /**
   * Completes the activity. Returns true if the Temporal server has accepted the result, or does not know the activity any
   * more.
   */
  async #complete(result: unknown): Promise<boolean> {
    try {
      await this.#completion.complete(this.#context.info.taskToken, result);
      return true;
    } catch (error) {
      return nameOf(error) === 'ActivityNotFoundError';
    }
  }
}

/**
 * Returns the failure of a create whose activity was cancelled before the create was sent. The create itself has not failed.
 */
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
