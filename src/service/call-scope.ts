/** The reason why the client stopped a call: the caller aborted it, or its time was over. */
export type StopCode = 'CALL_ABORTED' | 'CALL_TIMEOUT';

/** The error of a call that the client stopped. */
export class CallStoppedError extends Error {
  override readonly name = 'CallStoppedError';

  constructor(readonly code: StopCode) {
    super(code === 'CALL_TIMEOUT' ? 'The call took too long.' : 'The caller aborted the call.');
  }
}

/**
 * Stops all work of one call, or of one step of a call. A scope does the same as an `AbortSignal`, but costs less: a worker
 * makes hundreds of polls a second, with several scopes each.
 */
export class CallScope {
  #stoppedBy: CallStoppedError | undefined;
  #listeners: Set<(error: CallStoppedError) => void> | undefined;

  /** The reason for the stop. `undefined` if the call was not stopped. */
  get stoppedBy(): CallStoppedError | undefined {
    return this.#stoppedBy;
  }

  /**
   * Calls `listener` when the call is stopped, or at once if it is already stopped. Returns a function that removes the
   * listener.
   */
  onStop(listener: (error: CallStoppedError) => void): () => void {
    if (this.#stoppedBy !== undefined) listener(this.#stoppedBy);
    else (this.#listeners ??= new Set()).add(listener);
    return () => {
      this.#listeners?.delete(listener);
    };
  }

  /** Resolves with the reason when the call is stopped. Never rejects. */
  stopped(): Promise<CallStoppedError> {
    return new Promise((resolve) => {
      this.onStop(resolve);
    });
  }

  /** Stops the call. Does nothing if the call is already stopped. */
  stop(code: StopCode): void {
    if (this.#stoppedBy !== undefined) return;
    this.#stoppedBy = new CallStoppedError(code);
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener(this.#stoppedBy);
  }
}

/** A signal, or a parent scope, that may stop a call from outside. */
export type Stopping = AbortSignal | CallScope;

export interface ScopeBounds {
  /** The time after which the scope is stopped, in milliseconds. @default no time limit */
  readonly timeoutMs?: number;
  /** Signals and parent scopes that also stop the scope. */
  readonly signals?: readonly (Stopping | undefined)[];
}

/**
 * Runs one call in a new scope. The time limit and the signals stop the scope. Removes the timer and the listeners when the
 * call ends.
 */
export async function withinScope<T>(
  { timeoutMs, signals = [] }: ScopeBounds,
  run: (scope: CallScope) => Promise<T>,
): Promise<T> {
  const scope = new CallScope();
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          scope.stop('CALL_TIMEOUT');
        }, timeoutMs);
  const leaves = signals.map((signal) => stopWith(scope, signal));
  try {
    return await run(scope);
  } finally {
    clearTimeout(timer);
    for (const leave of leaves) leave?.();
  }
}

/** Stops the scope when a signal aborts or a parent scope stops. Returns a function that removes the listener. */
function stopWith(scope: CallScope, signal: Stopping | undefined): (() => void) | undefined {
  if (signal instanceof CallScope) {
    return signal.onStop(({ code }) => {
      scope.stop(code);
    });
  }
  if (signal === undefined) return undefined;
  const stop = (): void => {
    scope.stop('CALL_ABORTED');
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return () => {
    signal.removeEventListener('abort', stop);
  };
}
