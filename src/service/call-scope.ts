/** The reason why this side stopped a call: its caller gave up, or its time ran out. */
export type StopCode = 'CALL_ABORTED' | 'CALL_TIMEOUT';

/** The error of a call that this side stopped. */
export class CallStoppedError extends Error {
  override readonly name = 'CallStoppedError';

  constructor(readonly code: StopCode) {
    super(code === 'CALL_TIMEOUT' ? 'The call took too long.' : 'The caller aborted the call.');
  }
}

/**
 * The bounds of one call, or of one step of a call. All work for the call or step watches its scope. A scope is lighter than an
 * `AbortSignal`: a worker makes hundreds of polls a second, with several scopes each.
 */
export class CallScope {
  #stoppedBy: CallStoppedError | undefined;
  #listeners: Set<(error: CallStoppedError) => void> | undefined;

  /** The reason for the stop; `undefined` if the call was not stopped. */
  get stoppedBy(): CallStoppedError | undefined {
    return this.#stoppedBy;
  }

  /** Calls back when the call is stopped, or at once if it already is. Returns a function that stops listening. */
  onStop(listener: (error: CallStoppedError) => void): () => void {
    if (this.#stoppedBy !== undefined) listener(this.#stoppedBy);
    else (this.#listeners ??= new Set()).add(listener);
    return () => {
      this.#listeners?.delete(listener);
    };
  }

  /** Resolves when the call is stopped. Never rejects. */
  stopped(): Promise<CallStoppedError> {
    return new Promise((resolve) => {
      this.onStop(resolve);
    });
  }

  /** Stops the call. Only the first stop counts. */
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
  /** The time after which the scope is stopped, in milliseconds. @default no limit of its own */
  readonly timeoutMs?: number;
  /** Signals and parent scopes that also stop the scope. */
  readonly signals?: readonly (Stopping | undefined)[];
}

/** Runs one call in a scope that its time and the signals stop. Removes the timer and the listeners when the call ends. */
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

/** Stops the scope when a signal or a parent scope stops. Returns a function that stops listening. */
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
