import { once } from 'node:events';

/** Returns a signal that aborts at the first Ctrl-C (SIGINT) or SIGTERM. A second one of the same kind ends the process as usual. */
export function abortOnSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    const listener = () => {
      controller.abort();
      // Not `once`: the listener of proper-lockfile, which runs next, ends the process if there is no other listener.
      setImmediate(() => process.off(name, listener));
    };
    process.on(name, listener);
  }
  return controller.signal;
}

/** Resolves once the signal has aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
