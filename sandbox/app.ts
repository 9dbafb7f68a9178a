import type { FastifyInstance } from 'fastify';
import { surroundCalls } from './answering';
import { authorizeRoute } from './authorize-route';
import { CLIENT } from './callers';
import type { SandboxContext } from './context';
import { createRoute } from './create-route';
import { flowRoutes } from './flow/routes';
import { metaRoutes } from './meta-routes';
import { overviewRoutes } from './overview/routes';
import { answerProblems } from './problem-answers';
import { allowedMethods } from './routes';
import { sessionRoutes } from './session-routes';
import { httpServer } from './web/http-server';

/** The HTTP server of a sandbox, good for one `listen`. */
export function buildApp(context: SandboxContext): FastifyInstance {
  const app = httpServer(context.config.maxBodyBytes);
  app.decorateRequest(CLIENT, null);
  surroundCalls(app, context);
  answerProblems(app, allowedMethods);
  authorizeRoute(app, context);
  createRoute(app, context);
  sessionRoutes(app, context);
  flowRoutes(app, context);
  overviewRoutes(app, context);
  metaRoutes(app, context);
  return app;
}
