/** Why a call was stopped from this side: its caller gave up, or the time of the whole call ran out. */
export type StopCode = 'CALL_ABORTED' | 'CALL_TIMEOUT';

/** The reason that a stopped call's signal carries; undici hands it back as the error of the exchange. */
export class CallStoppedError extends Error {
  override readonly name = 'CallStoppedError';

  constructor(readonly code: StopCode) {
    super(code === 'CALL_TIMEOUT' ? 'The call took too long.' : 'The caller aborted the call.');
  }
}

/** The bounds of one call: everything done for it watches the same signal. */
export interface CallScope {
  readonly signal: AbortSignal;
  /** Settles when the call is stopped, and not before; it is never rejected. */
  readonly stopped: Promise<CallStoppedError>;
}

export interface ScopeBounds {
  /** The longest time that `run` may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The caller's own signal. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs one call within its time and its caller's signal. A controller of its own, rather than `AbortSignal.any` and
 * `AbortSignal.timeout`, lets the timer and the listener go as soon as the call ends.
 */
export async function withinScope<T>(
  { timeoutMs, signal }: ScopeBounds,
  run: (scope: CallScope) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stopped = new Promise<CallStoppedError>((resolve) => {
    controller.signal.addEventListener(
      'abort',
      () => {
        resolve(controller.signal.reason as CallStoppedError);
      },
      { once: true },
    );
  });
  const stop = (code: StopCode): void => {
    controller.abort(new CallStoppedError(code));
  };
  const onAbort = (): void => {
    // A scope within another one was stopped for the other's reason.
    stop(signal?.reason instanceof CallStoppedError ? signal.reason.code : 'CALL_ABORTED');
  };
  const timer = setTimeout(stop, timeoutMs, 'CALL_TIMEOUT');
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    return await run({ signal: controller.signal, stopped });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
