import type { FastifyInstance } from 'fastify';
import { httpServer } from '../../web/http-server';
import { overviewRoutes } from '../overview/routes';
import { sessionRoutes } from '../session/routes';
import { sessionsRoutes } from '../sessions/routes';
import type { ConsoleOptions } from './options';
import { introduceReaders } from './reader';

const MAX_FORM_BYTES = 16_384;

/** The HTTP server of a console, good for one `listen`. */
export function buildConsole(options: ConsoleOptions): FastifyInstance {
  const app = httpServer(MAX_FORM_BYTES);
  introduceReaders(app, options);
  overviewRoutes(app, options);
  sessionsRoutes(app, options);
  sessionRoutes(app, options);
  return app;
}
