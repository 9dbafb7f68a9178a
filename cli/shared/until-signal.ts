import { once } from 'node:events';

/** Returns a signal that aborts at the first Ctrl-C (SIGINT) or SIGTERM. A second signal of the same kind ends the process at once. */
export function abortOnSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    const listener = () => {
      controller.abort();
      // The listener is removed a moment later, and not by `once`. The listener of proper-lockfile runs next, and would end the process if there were
      // no other listener.
      setImmediate(() => process.off(name, listener));
    };
    process.on(name, listener);
  }
  return controller.signal;
}

/** Resolves when the signal aborts. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
