import type { FastifyInstance } from 'fastify';
import { surroundCalls } from '../observing/surround-calls';
import { apiRoutes } from '../api/routes';
import { CLIENT } from '../api/callers';
import type { SandboxContext } from './context';
import { createSessionRoute } from '../api/create-session';
import { flowRoutes } from '../flow/routes';
import { overviewRoutes } from '../overview/routes';
import { ROUTES } from '../http/routes';
import { httpServer } from '../../web/http-server';
import { HttpProblem, answerProblems } from '../../web/problems';
import { knownHosts, onlyHosts } from '../../web/guards';

const UNKNOWN_HOST =
  'The sandbox does not serve this host name: use 127.0.0.1, or start it with --allow-host NAME (option allowedHosts).';

/** The HTTP server of a sandbox, good for one `listen` on the address. */
export function buildApp(context: SandboxContext, address: string): FastifyInstance {
  const { maxBodyBytes, publicUrl, allowedHosts } = context.config;
  const app = httpServer(maxBodyBytes);
  // First, so that what is refused is no call, and takes no hold or fault from one.
  onlyHosts(app, knownHosts({ address, publicUrl, allowedHosts }), () => new HttpProblem(403, UNKNOWN_HOST));
  app.decorateRequest(CLIENT, null);
  surroundCalls(app, context);
  answerProblems(app, ROUTES);
  apiRoutes(app, context);
  createSessionRoute(app, context);
  flowRoutes(app, context);
  overviewRoutes(app, context);
  return app;
}
