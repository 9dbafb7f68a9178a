import { fastify, type FastifyInstance } from 'fastify';
import { surroundCalls } from './answering';
import { authorizeRoute } from './authorize-route';
import { CLIENT } from './callers';
import type { SandboxContext } from './context';
import { createRoute } from './create-route';
import { flowRoutes } from './flow/routes';
import { metaRoutes } from './meta-routes';
import { overviewRoutes } from './overview/routes';
import { answerProblems, answerUnreadable } from './problem-answers';
import { sessionRoutes } from './session-routes';

/** Longest session id that is looked up; node refuses longer request lines. */
const MAX_PARAM_LENGTH = 16_384;

const REQUEST_TIMEOUT_MS = 30_000;

/** The HTTP server of a sandbox, good for one `listen`. */
export function buildApp(context: SandboxContext): FastifyInstance {
  const app = fastify({
    bodyLimit: context.config.maxBodyBytes,
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
  app.decorateRequest(CLIENT, null);
  surroundCalls(app, context);
  answerProblems(app);
  authorizeRoute(app, context);
  createRoute(app, context);
  sessionRoutes(app, context);
  flowRoutes(app, context);
  overviewRoutes(app, context);
  metaRoutes(app, context);
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
