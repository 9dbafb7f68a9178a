import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SettingsError, toPortError } from '../src/errors';
import type { HealthCheck } from './health';
import { systemCode } from '../src/files';
import type { SettingName } from '../src/settings';

/** A running health endpoint. */
export interface HealthServer {
  /** The port on which the endpoint listens. */
  readonly port: number;
  /** Stops listening. */
  close(): Promise<void>;
}

/** Options of `serveProbes`. */
export interface ProbeOptions {
  /** The port to listen on. If it is 0, the system chooses a free port. */
  readonly port: number;
  /** The address to listen on. @default '127.0.0.1' */
  readonly host?: string;
  /** Returns the current findings of the worker's health checks, for instance those of `worker.watchHealth()`. */
  readonly checks: () => readonly HealthCheck[];
}

/** The HTTP status and the JSON body of an answer. */
type Answer = readonly [status: number, body: Readonly<Record<string, unknown>>];

/**
 * Serves the health endpoint of a worker, for the probes of Kubernetes and other platforms:
 *
 * - `GET /livez` answers 200 while the process runs.
 * - `GET /readyz` answers 200 if every check passes, and 503 otherwise. The body lists the checks.
 * - `GET /healthz` answers 200 if the worker polls for work, and 503 otherwise.
 *
 * @throws {@link PaysessionError} `PORT_IN_USE` if another program uses the port
 * @throws {@link PaysessionError} `INVALID_SETTINGS` if this machine does not have the address, or this user may not
 * listen on the port
 *
 * @example
 * ```ts
 * const watch = worker.watchHealth();
 * const probes = await serveProbes({ port: 8080, host: '0.0.0.0', checks: () => watch.checks() });
 * await worker.run();
 * watch.stop();
 * await probes.close();
 * ```
 */
export async function serveProbes({ port, host = '127.0.0.1', checks }: ProbeOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const [status, body] = answerTo(request.url, checks());
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch((error: unknown) => {
    throw toListenError(error, port, { port: 'PAYSESSION_HEALTH_PORT', host: 'PAYSESSION_HEALTH_HOST' });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function answerTo(url: string | undefined, checks: readonly HealthCheck[]): Answer {
  switch (url) {
    case '/livez':
      return [200, { status: 'ok' }];
    case '/readyz': {
      const ready = checks.every(({ ok }) => ok);
      return [ready ? 200 : 503, { status: ready ? 'ready' : 'notReady', checks }];
    }
    case '/healthz': {
      const isPolling = checks.every(({ name, ok }) => ok || name !== 'polling');
      return [isPolling ? 200 : 503, { status: isPolling ? 'ok' : 'notPolling' }];
    }
    default:
      return [404, { status: 'unknown path' }];
  }
}

/** The system's error codes for an address that this machine does not have, and for a host name without an address. */
const NOT_HERE: readonly (string | undefined)[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'];

/** Converts the error of a server that cannot listen. The new error names the setting to change, from `settings`. */
export function toListenError(
  error: unknown,
  port: number,
  settings: { readonly port: SettingName; readonly host: SettingName },
): unknown {
  if (!NOT_HERE.includes(systemCode(error)))
    return toPortError(error, port, `Set ${settings.port} to another port,`);
  const message =
    'is not an address of this machine; set it to 127.0.0.1, or to 0.0.0.0 for callers from elsewhere';
  return new SettingsError([{ path: settings.host, message }]);
}
