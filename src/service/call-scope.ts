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
 * The bounds of one call: everything done for the call watches the same scope. A worker makes hundreds of polls a second with
 * several scopes each, so a scope is lighter than an `AbortSignal`.
 */
export class CallScope {
  #stoppedBy: CallStoppedError | undefined;
  #listeners: Set<(error: CallStoppedError) => void> | undefined;

  /** The reason for the stop; `undefined` while the call runs. */
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

  /** Resolves when the call is stopped, and not before; it never rejects. */
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
  /** The longest time that `run` may take, in milliseconds. @default no limit of its own */
  readonly timeoutMs?: number;
  /** Further signals and scopes that stop it. */
  readonly signals?: readonly (Stopping | undefined)[];
}

/** Runs one call within its time and its caller's signal. Removes its timer and listeners when the call ends. */
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

/** Stops the scope when a signal or a parent scope stops. Returns a function that ends this. */
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
