import { fastify, type FastifyInstance } from 'fastify';
import { answerUnreadable } from './problem-answers';

/** Longest session id that is looked up; node refuses longer request lines. */
const MAX_PARAM_LENGTH = 16_384;

const REQUEST_TIMEOUT_MS = 30_000;

/** A server that takes bodies as bytes, and has no routes yet. */
export function httpServer(bodyLimit: number): FastifyInstance {
  const app = fastify({
    bodyLimit,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    rewriteUrl: ({ url = '/' }) => decodable(url),
    clientErrorHandler: answerUnreadable,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  return app;
}

/** A malformed escape is taken as it stands, so that a malformed session id is an unknown one (contract A53). */
function decodable(url: string): string {
  const [path = '', ...query] = url.split('?');
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?');
  }
}
