import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SettingsError, toPortError } from '../src/errors';
import type { HealthCheck } from './health';
import { systemCode } from '../src/files';
import type { SettingName } from '../src/settings';

/** A health endpoint that listens. */
export interface HealthServer {
  /** The port on which the endpoint listens. */
  readonly port: number;
  /** Stops listening. */
  close(): Promise<void>;
}

/** Options of `serveProbes`. */
export interface ProbeOptions {
  /** The port to listen on. 0 selects a free one. */
  readonly port: number;
  /** The address to listen on. @default '127.0.0.1' */
  readonly host?: string;
  /** Returns the checks of the worker's needs, with their current findings. */
  readonly checks: () => readonly HealthCheck[];
}

/** The status and the body of an answer. */
type Answer = readonly [status: number, body: Readonly<Record<string, unknown>>];

/**
 * Answers the probes of a platform. `GET /livez` answers 200 while the process runs. `GET /readyz` answers 200 while
 * every check passes, else 503, and lists the checks. `GET /healthz` answers 200 while the worker polls for work,
 * else 503.
 *
 * @throws {@link PaysessionError} `PORT_IN_USE` if another program has the port
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

/** Codes of the system for an address that is not this machine's, and for a name that has no address. */
const NOT_HERE: readonly (string | undefined)[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'];

/** Converts the error of a server that cannot listen. `settings` names the settings of its port and of its address. */
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
