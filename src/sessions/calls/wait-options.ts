import { once } from 'node:events';
import type { Client } from '@temporalio/client';
import type { ValidationFailure } from '../../contract';
import { listFailures, PaysessionError } from '../../errors';

/** Options of a call that waits. What was sent before the wait ends stays sent: a session that was started goes on. */
export interface WaitOptions {
  /**
   * How long to wait, in milliseconds. The call takes up to two seconds longer where it has to find out why no answer came.
   * @default as `PaymentSessionsOptions` says
   */
  readonly timeoutMs?: number;
  /** Ends the wait: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A wait whose options were checked. */
export interface Wait {
  readonly timeoutMs: number;
  /** The caller waits no more. */
  readonly leaving: AbortSignal | undefined;
}

/** The failures of options that came from untyped code. */
function waitFailures({ timeoutMs, signal }: WaitOptions): ValidationFailure[] {
  const isTime = timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs > 0);
  const isSignal = signal === undefined || signal instanceof AbortSignal;
  return [
    ...(isTime ? [] : [{ path: 'timeoutMs', message: 'must be a number of milliseconds above 0' }]),
    ...(isSignal ? [] : [{ path: 'signal', message: 'must be an AbortSignal' }]),
  ];
}

/** Throws `PaysessionError` `INVALID_INPUT` for options that are invalid. */
export function waitOf(options: WaitOptions, defaultMs: number): Wait {
  const failures = waitFailures(options);
  if (failures.length === 0) return { timeoutMs: options.timeoutMs ?? defaultMs, leaving: options.signal };
  throw new PaysessionError(
    'INVALID_INPUT',
    `The options are invalid; nothing was asked: ${listFailures(failures)}`,
  );
}

/**
 * Runs a call until the caller leaves; then rejects with the signal's reason. The signal also ends the requests of the call, but for
 * those that other callers share.
 */
export async function untilLeft<T>(
  client: Client,
  leaving: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  if (leaving === undefined) return call();
  leaving.throwIfAborted();
  const settled = new AbortController();
  try {
    return await Promise.race([client.withAbortSignal(leaving, call), reasonOf(leaving, settled.signal)]);
  } finally {
    settled.abort();
  }
}

/** Rejects with the reason of the signal that ends the wait. */
async function reasonOf(leaving: AbortSignal, settled: AbortSignal): Promise<never> {
  await once(leaving, 'abort', { signal: settled });
  throw leaving.reason as Error;
}
