import type { FastifyInstance } from 'fastify';
import { httpServer } from '../../web/http-server';
import { knownHosts, onlyHosts } from '../../web/known-hosts';
import { overviewRoutes } from '../overview/routes';
import { sessionRoutes } from '../session/routes';
import { sessionsRoutes } from '../sessions/routes';
import { answerErrors } from './answer-errors';
import { assetRoutes } from './assets';
import { languageRoute } from './language';
import type { ConsoleOptions } from './options';
import { introduceReaders } from './reader';
import { secureAnswers } from './secure-answers';

const MAX_FORM_BYTES = 16_384;

const UNKNOWN_HOST = 'The console does not answer as this host: use 127.0.0.1, or its public URL.';

/** The HTTP server of a console, good for one `listen` on the address. */
export function buildConsole(options: ConsoleOptions, address = '127.0.0.1'): FastifyInstance {
  const app = httpServer(MAX_FORM_BYTES);
  secureAnswers(app);
  answerErrors(app, options.log ?? (() => undefined));
  onlyHosts(app, knownHosts({ address, publicUrl: undefined, allowedHosts: [] }), UNKNOWN_HOST);
  introduceReaders(app, options);
  assetRoutes(app);
  languageRoute(app);
  overviewRoutes(app, options);
  sessionsRoutes(app, options);
  sessionRoutes(app, options);
  return app;
}
