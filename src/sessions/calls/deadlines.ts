/** Limits how long a call waits: by a time limit, and by the caller's abort signal. */
import { once, setMaxListeners } from 'node:events';
import type { Client } from '@temporalio/client';
import { soon } from '../../contract/values/soon';
import { checkOptions, type RulesOf } from './options';

/**
 * Options of a call that waits. The end of the wait does not take back requests that were already sent. For instance, a started session
 * continues.
 */
export interface WaitOptions {
  /**
   * The longest wait, in milliseconds. If no answer comes, the call takes up to two more seconds to find out why.
   * @default the limit of the call in {@link PaymentSessionsOptions}
   */
  readonly timeoutMs?: number;
  /** Abort this signal to end the wait. The call then rejects with the signal's reason. */
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
  /** The end of the wait, in milliseconds of `performance.now()`. */
  readonly endsAtMs: number;
}

/**
 * Checks the options of a call that waits, and returns the limits of its wait. `defaultMs` is the default time limit. Throws
 * `PaysessionError` `INVALID_INPUT` for invalid options.
 */
export function waitOf<Options extends WaitOptions>(
  options: Options,
  rules: RulesOf<Options>,
  defaultMs: number,
): Wait {
  checkOptions(options, rules);
  return { timeoutMs: options.timeoutMs ?? defaultMs, leaving: options.signal };
}

/** Returns a wait that begins now. */
export const deadlineOf = ({ timeoutMs, leaving }: Wait): Deadline => ({
  endsAtMs: performance.now() + timeoutMs,
  leaving,
});

/** Returns the remaining time, in milliseconds. */
export const leftUntil = ({ endsAtMs }: Pick<Deadline, 'endsAtMs'>): number =>
  Math.max(0, endsAtMs - performance.now());

/** A signal for the requests of one call. */
interface CallSignal {
  readonly signal: AbortSignal;
  /** Aborts the requests that are still running, and removes the listeners from the followed signals. */
  readonly end: () => void;
}

/**
 * Returns a signal that aborts as soon as one of the `followed` signals aborts. Each call needs such a signal of its own: Temporal's client
 * adds a listener for each request and never removes it, so the listeners would accumulate on a signal that outlives the call.
 */
export function signalOfCall(...followed: readonly AbortSignal[]): CallSignal {
  const own = new AbortController();
  // No limit, because any number of calls may follow one signal at the same time.
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
 * Runs a call. If the caller aborts the signal `leaving` first, rejects with the signal's reason. The abort also ends the requests of the
 * call, except requests that other callers share.
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

/** Rejects with the signal's reason as soon as the signal `leaving` aborts. */
async function reasonOf(leaving: AbortSignal, settled: AbortSignal): Promise<never> {
  await once(leaving, 'abort', { signal: settled });
  throw leaving.reason as Error;
}

/** The error of a call that the Temporal server did not answer in time. Used if the connection itself has not reported the timeout. */
export class TemporalTimeout extends Error {}

/** The time after the deadline in which the connection may still report the timeout itself. */
const GRACE_MS = 100;

/** The longest timer of Node. A longer timer would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Runs a call to the Temporal server. If the call takes longer than `timeoutMs`, throws an error that `isTimeout` recognizes. The
 * connection's deadline alone is not enough: a worker's connection restarts the deadline for each attempt, and repeats a call that the
 * Temporal server has ended at the deadline. So a timer is used too.
 */
export async function withTimeout<T>(client: Client, timeoutMs: number, call: () => Promise<T>): Promise<T> {
  const inTime = client.withDeadline(Date.now() + timeoutMs, call);
  const boxed = inTime.then((answer) => ({ answer }));
  const settled = await soon(boxed, Math.min(timeoutMs + GRACE_MS, LONGEST_MS));
  if (settled !== undefined) return settled.answer;
  throw new TemporalTimeout(`the Temporal server did not answer within ${timeoutMs} ms`);
}
