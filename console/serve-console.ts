import type { FastifyInstance } from 'fastify';
import { SettingsError, toPortError } from '../src/errors';
import { isLoopbackHost } from '../src/contract/values/loopback';
import { httpServer } from '../src/web/http-server';
import { knownHosts, onlyHosts, FormTokens } from '../src/web/guards';
import { SCRIPT, STYLE } from '../src/web/send-page';
import type { Access } from './access/access';
import type { ConsoleOptions } from './options';
import { formKeyOf, gateOf } from './access/who-may-enter';
import { bulkRoutes } from './sessions/bulk-routes';
import { overviewRoutes } from './overview/routes';
import { Live } from './reading/live';
import { paymentsRoutes } from './payments/routes';
import { reconciliationRoutes } from './reconciliation/routes';
import { Reading } from './reading/reading';
import { sessionRoutes } from './session/routes';
import { sessionsRoutes } from './sessions/routes';
import { answerErrors } from './answer-errors';
import { isHttps } from './http/cookies';
import { guardForms, answerSentFormsOnce, refuseOtherSites } from './guard-requests';
import { languageRoute } from './http/language';
import { logLine } from './log';
import { Refusal } from './http/refusal';
import { identifyReaders, OPEN } from './access/reader';

export interface ServeConsoleOptions extends ConsoleOptions {
  /** The address to listen on. Every address except `127.0.0.1`, `::1` and `localhost` needs a login or a trusted proxy. */
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** The flag that sets another port, for the message about a port in use. @default '--port' */
  readonly portFlag?: string;
}

/** A console that is listening. */
export interface ServedConsole {
  readonly url: string;
  /** Stops answering, and ends the live streams. */
  close(): Promise<void>;
}

/**
 * Serves the operator's console. Throws `PaysessionError` `INVALID_SETTINGS` if everyone could use the console, or if this user may not
 * listen on the port. Throws `PORT_IN_USE` if another program uses the port. Throws `MissingPackagesError` if the packages for a login by
 * OpenID Connect are missing.
 */
export async function serveConsole({
  host,
  port,
  portFlag = '--port',
  ...options
}: ServeConsoleOptions): Promise<ServedConsole> {
  checkReach(options.access, host);
  const app = buildConsole(options, host);
  try {
    const url = await app.listen({ host, port });
    return { url, close: () => app.close() };
  } catch (error) {
    await app.close();
    throw toPortError(error, port, `Choose another port with ${portFlag},`);
  }
}

/** Throws `INVALID_SETTINGS` if everyone could use the console at the address. */
export function checkReach(access: Access, host: string): void {
  if (access.kind === 'local' && !isLoopbackHost(host)) throw new SettingsError([OPEN_TO_ALL]);
}

const OPEN_TO_ALL = {
  path: 'PAYSESSION_CONSOLE_OIDC_ISSUER',
  message:
    'is missing: on an address that other machines reach, the console needs a login (PAYSESSION_CONSOLE_OIDC_*) or a trusted proxy (PAYSESSION_CONSOLE_PROXY_*); see docs/guides/console.md',
};

const MAX_FORM_BYTES = 16_384;

/**
 * Builds the HTTP server of a console: first the hooks, in the order in which each request passes them, then the routes. The server can
 * listen only once.
 */
export function buildConsole(options: ConsoleOptions, address = '127.0.0.1'): FastifyInstance {
  const { access, log = () => undefined, timeZone = 'UTC' } = options;
  const publicUrl = access.kind === 'local' ? undefined : access.publicUrl;
  const reading = new Reading(options.client, options.taskQueue, options.ledger?.payments);
  const live = new Live();
  const gate = gateOf(access, {
    log: (entry) => {
      log(logLine(entry));
    },
    loggedOut: (loginId) => {
      live.endLogin(loginId);
    },
  });
  const tokens = new FormTokens(formKeyOf(access));
  const app = httpServer(MAX_FORM_BYTES);
  secureAnswers(app);
  answerErrors(app, log);
  onlyHosts(app, knownHosts({ address, publicUrl, allowedHosts: [] }), () => new Refusal('unknownHost'));
  refuseOtherSites(app);
  identifyReaders(app, gate, tokens, {
    timeZone,
    hasPayments: options.ledger !== undefined,
  });
  guardForms(app, { tokens, origin: publicUrl });
  answerSentFormsOnce(app);
  assetRoutes(app);
  languageRoute(app, isHttps(publicUrl));
  gate.addRoutes?.(app);
  overviewRoutes(app, {
    sessions: options.sessions,
    ledger: options.ledger,
    timeZone,
    reading,
    live,
  });
  sessionsRoutes(app, reading, live);
  sessionRoutes(app, options, live);
  bulkRoutes(app, { options, reading, tokens });
  if (options.ledger !== undefined) {
    paymentsRoutes(app, { options, ledger: options.ledger, live });
    reconciliationRoutes(app, { options, ledger: options.ledger });
  }
  app.addHook('preClose', (done) => {
    live.close();
    reading.close();
    done();
  });
  return app;
}

/** Serves the style and the script of all pages. They need no login. */
function assetRoutes(app: FastifyInstance): void {
  app.get('/console.css', OPEN, (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE));
  app.get('/console.js', OPEN, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(SCRIPT),
  );
}

const HEADERS = {
  'cache-control': 'no-store',
  // With `no-referrer`, browsers would hide the origin of the console's own forms.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Script and style are files, so inline scripts are forbidden.
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
} as const;

/** Sets the headers of every answer, including refusals. They forbid foreign resources, caching, and embedding in other pages. */
function secureAnswers(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(HEADERS);
    done();
  });
  // Overrides these headers if a page has set them, so that they are the same in all answers.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.headers(HEADERS);
    done();
  });
}
