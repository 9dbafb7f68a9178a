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
import { knownHosts, onlyHosts } from './web/known-hosts';

const UNKNOWN_HOST =
  'The sandbox is not known by this host name: reach it as 127.0.0.1, or start it with --allow-host NAME (allowedHosts).';

/** The HTTP server of a sandbox, good for one `listen` on the address. */
export function buildApp(context: SandboxContext, address: string): FastifyInstance {
  const { maxBodyBytes, publicUrl, allowedHosts } = context.config;
  const app = httpServer(maxBodyBytes);
  // First, so that what is refused is no call, and takes no hold or fault from one.
  onlyHosts(app, knownHosts({ address, publicUrl, allowedHosts }), UNKNOWN_HOST);
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
