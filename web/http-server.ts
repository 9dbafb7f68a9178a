import { fastify, type FastifyInstance } from 'fastify';
import { answerUnreadable } from './api/problem-answers';

/** The longest part of a path that a route takes as a parameter, such as an id; Node refuses longer request lines. */
const MAX_PARAM_LENGTH = 16_384;

/** What a server takes from all its callers together. */
export interface ServerLimits {
  /** A request has arrived whole within this, in milliseconds, or is answered 408. */
  readonly requestTimeoutMs: number;
  /** Requests that take longer are looked for so often, in milliseconds. */
  readonly lookEveryMs: number;
  /** One more connection is closed at once. */
  readonly maxConnections: number;
}

const LIMITS: ServerLimits = { requestTimeoutMs: 30_000, lookEveryMs: 5_000, maxConnections: 1_000 };

/** A server that takes bodies as bytes, and has no routes yet. */
export function httpServer(
  bodyLimit: number,
  { requestTimeoutMs, lookEveryMs, maxConnections }: ServerLimits = LIMITS,
): FastifyInstance {
  const app = fastify({
    bodyLimit,
    requestTimeout: requestTimeoutMs,
    // Node takes the longer of two times for a whole request, and has a minute for the headers of its own.
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: lookEveryMs },
    forceCloseConnections: true,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    rewriteUrl: ({ url = '/' }) => decodable(url),
    clientErrorHandler: answerUnreadable,
  });
  app.server.maxConnections = maxConnections;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  return app;
}

/** A malformed escape is taken as it stands, so that a malformed id is an unknown one (contract A53). */
function decodable(url: string): string {
  const [path = '', ...query] = url.split('?');
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?');
  }
}
