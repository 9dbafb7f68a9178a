/** Limits of a call's wait: its time, and its caller's abort signal. */
import { once, setMaxListeners } from 'node:events';
import type { Client } from '@temporalio/client';
import { soon } from '../../contract/values/soon';
import { checkOptions, type RulesOf } from './options';

/** Options of a call that waits. Requests that were sent before the wait ends stay sent: a session that was started continues. */
export interface WaitOptions {
  /**
   * The longest wait, in milliseconds. The call takes up to two seconds longer if it has to find out why no answer came.
   * @default the limit of the call in {@link PaymentSessionsOptions}
   */
  readonly timeoutMs?: number;
  /** Ends the wait: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The limits of a wait. */
export interface Wait {
  readonly timeoutMs: number;
  /** Aborted once the caller stops waiting. */
  readonly leaving: AbortSignal | undefined;
}

/** A wait that has begun. */
export interface Deadline extends Pick<Wait, 'leaving'> {
  /** The end of the wait, by this process's steady clock in milliseconds. */
  readonly endsAtMs: number;
}

/**
 * Checks the options of a call that waits, and returns its wait, with `defaultMs` for an absent time. Throws `PaysessionError`
 * `INVALID_INPUT` for invalid options.
 */
export function waitOf<Options extends WaitOptions>(
  options: Options,
  rules: RulesOf<Options>,
  defaultMs: number,
): Wait {
  checkOptions(options, rules);
  return { timeoutMs: options.timeoutMs ?? defaultMs, leaving: options.signal };
}

/** Begins a wait. */
export const deadlineOf = ({ timeoutMs, leaving }: Wait): Deadline => ({
  endsAtMs: performance.now() + timeoutMs,
  leaving,
});

/** Returns the time that is left, in milliseconds. */
export const leftUntil = ({ endsAtMs }: Pick<Deadline, 'endsAtMs'>): number =>
  Math.max(0, endsAtMs - performance.now());

/** A signal for the requests of one call. */
interface CallSignal {
  readonly signal: AbortSignal;
  /** Aborts the requests that are still under way, and removes the listeners from the followed signals. */
  readonly end: () => void;
}

/**
 * Returns a signal that aborts as soon as one of the `followed` signals does. Temporal's client adds a listener for each request and never
 * removes it. On a signal that outlives the call, these listeners would pile up.
 */
export function signalOfCall(...followed: readonly AbortSignal[]): CallSignal {
  const own = new AbortController();
  // Any number of calls may follow one signal at a time.
  setMaxListeners(0, own.signal, ...followed);
  const end = (): void => {
    own.abort();
    for (const signal of followed) signal.removeEventListener('abort', end);
  };
  for (const signal of followed) signal.addEventListener('abort', end);
  if (followed.some(({ aborted }) => aborted)) end();
  return { signal: own.signal, end };
}

/**
 * Runs a call. If the caller stops waiting first, rejects with the reason of the signal `leaving`. The signal also ends the requests of the
 * call, except those that other callers share.
 */
export async function untilLeft<T>(
  client: Client,
  leaving: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  if (leaving === undefined) return call();
  leaving.throwIfAborted();
  const settled = new AbortController();
  const { signal, end } = signalOfCall(leaving);
  try {
    return await Promise.race([client.withAbortSignal(signal, call), reasonOf(leaving, settled.signal)]);
  } finally {
    settled.abort();
    end();
  }
}

/** Rejects with the signal's reason as soon as the caller stops waiting. */
async function reasonOf(leaving: AbortSignal, settled: AbortSignal): Promise<never> {
  await once(leaving, 'abort', { signal: settled });
  throw leaving.reason as Error;
}

/** The error of a call that the Temporal server did not answer in time, if the connection has not reported that itself. */
export class TemporalTimeout extends Error {}

/** The time that the connection gets to report the passed deadline itself. */
const GRACE_MS = 100;

/** The longest timer of Node. A longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Runs a call to the Temporal server. Throws an error that `isTimeout` recognizes if the call takes longer than `timeoutMs`. The time is
 * also measured here, because a worker's connection restarts the deadline for each attempt, and repeats a call that the Temporal server
 * cut off at its deadline.
 */
export async function withTimeout<T>(client: Client, timeoutMs: number, call: () => Promise<T>): Promise<T> {
  const inTime = client.withDeadline(Date.now() + timeoutMs, call);
  const boxed = inTime.then((answer) => ({ answer }));
  const settled = await soon(boxed, Math.min(timeoutMs + GRACE_MS, LONGEST_MS));
  if (settled !== undefined) return settled.answer;
  throw new TemporalTimeout(`the Temporal server did not answer within ${timeoutMs} ms`);
}
