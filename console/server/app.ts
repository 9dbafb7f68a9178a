import type { FastifyInstance } from 'fastify';
import { httpServer } from '../../web/http-server';
import { knownHosts, onlyHosts } from '../../web/known-hosts';
import { FormTokens } from '../access/form-tokens';
import { gateOf, secretOf } from '../access/gate-of';
import { overviewRoutes } from '../overview/routes';
import { sharedOf } from '../reading/of-console';
import { sessionRoutes } from '../session/routes';
import { sessionsRoutes } from '../sessions/routes';
import { answerErrors } from './answer-errors';
import { assetRoutes } from './assets';
import { isHttps } from './cookies';
import { guardForms } from './guard-forms';
import { languageRoute } from './language';
import { logLine } from './log';
import type { ConsoleOptions } from './options';
import { refuseOtherSites } from './other-sites';
import { introduceReaders } from './reader';
import { secureAnswers } from './secure-answers';
import { answerSentFormsOnce } from './sent-forms';

const MAX_FORM_BYTES = 16_384;

const UNKNOWN_HOST = 'The console does not answer as this host: use 127.0.0.1, or its public URL.';

/** The HTTP server of a console, good for one `listen` on the address. */
export function buildConsole(options: ConsoleOptions, address = '127.0.0.1'): FastifyInstance {
  const { access, log = () => undefined } = options;
  const publicUrl = access.kind === 'local' ? undefined : access.publicUrl;
  const { live } = sharedOf(options);
  const gate = gateOf(access, {
    log: (entry) => {
      log(logLine(entry));
    },
    loggedOut: (loginId) => {
      live.endLogin(loginId);
    },
  });
  const tokens = new FormTokens(secretOf(access));
  const app = httpServer(MAX_FORM_BYTES);
  secureAnswers(app);
  answerErrors(app, log);
  onlyHosts(app, knownHosts({ address, publicUrl, allowedHosts: [] }), UNKNOWN_HOST);
  refuseOtherSites(app);
  introduceReaders(app, gate, tokens);
  guardForms(app, { tokens, origin: publicUrl });
  answerSentFormsOnce(app);
  assetRoutes(app);
  languageRoute(app, isHttps(publicUrl));
  gate.addRoutes?.(app);
  overviewRoutes(app, options);
  sessionsRoutes(app, options);
  sessionRoutes(app, options);
  return app;
}
