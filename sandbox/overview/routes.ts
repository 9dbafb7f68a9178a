import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from '../../src/web/problems';
import { type PageMaker, sendPage } from '../../src/web/send-page';
import { readForm } from '../../src/web/bodies';
import { isLoopbackAddress, isLoopbackHost } from '../../src/contract/values/loopback';
import { html, type Html } from '../../src/web/html';
import { emptyState, dataTable } from '../../src/web/shell/parts';
import { moment } from '../../src/web/shell/time';
import { merchantName } from '../clients';
import type { Outbox, SandboxMail } from '../sessions/mails';
import type { CallLog, SandboxCall } from '../calls/calls';
import type { Faults } from '../calls/faults';
import type { SandboxConfig } from '../options';
import type { SessionStore } from '../sessions/session-store';
import { type RouteName, ROUTES, sessionIdOf } from '../calls/routes';
import { failAsAsked } from './failing';
import { overviewPage, SHOWN } from './overview-page';
import { choicesOf, play, toChoice } from '../sessions/playing';
import { isFound, containsSearched, mailSearch, readSearch, type Search } from './search';
import { noSessionPage, sessionPage } from './session-page';
import { FormTokens, isFromOrigin } from '../../src/web/guards';
import { overviewLayout, sessionLink, MAIL_BADGES } from './page-parts';

export interface OverviewContext {
  readonly config: SandboxConfig;
  readonly sessions: SessionStore;
  readonly calls: CallLog;
  readonly outbox: Outbox;
  readonly faults: Faults;
  readonly controlUrl: () => string | undefined;
}

/** Adds the routes of the sandbox's own pages, and of their forms, which change the sandbox's data. */
export function overviewRoutes(app: FastifyInstance, context: OverviewContext): void {
  const forms = new LocalForms(context.config);
  overviewRoute(app, context, forms);
  outboxRoutes(app, context);
  sessionRoutes(app, context, forms);
  controlPortRoute(app, context);
}

/** Adds the route at which programs of this machine read the control port's URL. */
function controlPortRoute(app: FastifyInstance, { controlUrl }: OverviewContext): void {
  app.get(ROUTES.controlPort.path, (request, reply) => {
    const url = isLoopbackAddress(request.ip) ? controlUrl() : undefined;
    if (url === undefined)
      throw new HttpProblem(404, 'No control port is open, or the caller is not on this machine.');
    return reply.header('cache-control', 'no-store').send({ controlUrl: url });
  });
}

function overviewRoute(
  app: FastifyInstance,
  { sessions, calls, outbox, faults }: OverviewContext,
  forms: LocalForms,
): void {
  app.get(ROUTES.overview.path, (request, reply) => {
    const search = readSearch(request.query);
    const all = sessions.newestFirst();
    const found = all.filter((session) => isFound(search, session));
    return send(
      reply,
      overviewPage({
        search,
        sessions: found.slice(0, SHOWN),
        found: found.length,
        held: all.length,
        calls: newestOf(calls),
        armed: faults.armed(),
        formToken: forms.tokenFor(request),
      }),
    );
  });

  app.post(ROUTES.fail.path, (request, reply) => {
    if (!failAsAsked(faults, forms.read(request).get('failure')))
      throw new HttpProblem(
        400,
        'The form names nothing that can fail, or too many failures are already set.',
      );
    return reply.redirect('./#failures', 303);
  });

  app.post(ROUTES.reset.path, (request, reply) => {
    forms.read(request);
    sessions.clear();
    outbox.clear();
    calls.clear();
    faults.clear();
    return reply.redirect('./', 303);
  });
}

function outboxRoutes(app: FastifyInstance, { sessions, outbox }: OverviewContext): void {
  const mails = () => {
    // Applies due events first, because they may write mails.
    sessions.settleAll();
    return outbox.all();
  };

  app.get(ROUTES.outbox.path, (request, reply) => {
    void reply.header('vary', 'accept');
    const all = mails();
    if (prefersJson(request.headers.accept)) {
      return reply.header('cache-control', 'no-store').send({ mails: all });
    }
    const search = readSearch(request.query);
    const found = all.filter(({ sessionId, to, subject }) =>
      containsSearched(search, [sessionId, to, subject]),
    );
    return send(reply, outboxPage({ search, mails: found.slice(-SHOWN).reverse(), held: all.length }));
  });

  app.get(ROUTES.outboxJson.path, (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ mails: mails() }),
  );
}

function sessionRoutes(app: FastifyInstance, context: OverviewContext, forms: LocalForms): void {
  const { sessions, calls, outbox, config } = context;
  const show = (request: FastifyRequest, reply: FastifyReply, tooLate: boolean) => {
    const session = sessions.get(sessionIdOf(request));
    if (session === undefined) return send(reply.code(404), noSessionPage());
    const { sessionId, clientId } = session;
    const page = sessionPage({
      session,
      merchant: merchantName(config.clients, clientId),
      calls: newestOf(calls, (call) => call.sessionId === sessionId),
      mails: outbox
        .all()
        .filter((mail) => mail.sessionId === sessionId)
        .reverse(),
      formToken: forms.tokenFor(request),
      choices: choicesOf(session, config),
      tooLate,
    });
    return send(reply.code(tooLate ? 409 : 200), page);
  };

  app.get(ROUTES.sessionPage.path, (request, reply) => show(request, reply, false));

  app.post(ROUTES.playPayor.path, (request, reply) => {
    const choice = toChoice(forms.read(request).get('choice'));
    if (choice === undefined)
      throw new HttpProblem(400, 'The form names nothing that can happen to a session.');
    const session = sessions.get(sessionIdOf(request));
    const isPlayed = session !== undefined && play(sessions, session, choice, config).accepted;
    return isPlayed ? reply.redirect(`./${session.sessionId}`, 303) : show(request, reply, true);
  });
}

/** The routes of pages that show calls. The tables of calls leave out the calls of these pages themselves. */
const PAGES_OF_CALLS: ReadonlySet<RouteName | 'unknown'> = new Set<RouteName>(['overview', 'sessionPage']);

const newestOf = (calls: CallLog, isMeant: (call: SandboxCall) => boolean = () => true) =>
  calls
    .all()
    .filter((call) => !PAGES_OF_CALLS.has(call.route) && isMeant(call))
    .slice(-SHOWN)
    .reverse();

const send = (reply: FastifyReply, page: PageMaker): FastifyReply =>
  sendPage(reply, page, { frameAncestors: ["'none'"], tellsOwnOrigin: true });

const prefersJson = (accept = ''): boolean =>
  accept.includes('application/json') && !accept.includes('text/html');

/** Headers that proxies add. A request with one of them may come from another machine. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/** All forms share one subject, so one token is valid for every form. */
const SUBJECT = 'overview';

/**
 * The forms that change the sandbox's data. Only users of this machine may receive and send them, and only from the sandbox's own pages. A
 * page of another site cannot read the token and cannot hide its own origin.
 */
class LocalForms {
  readonly #tokens = new FormTokens(randomBytes(32));
  readonly #wrongContentTypeStatus: number;

  constructor({ wrongContentTypeStatus }: { readonly wrongContentTypeStatus: number }) {
    this.#wrongContentTypeStatus = wrongContentTypeStatus;
  }

  /** Returns the token that goes with every form; `undefined` for callers who may not send a form. */
  tokenFor(request: FastifyRequest): string | undefined {
    return isFromThisMachine(request) ? this.#tokens.of(SUBJECT) : undefined;
  }

  /** Returns the form that was sent. Throws a 403 if the caller may not send it. */
  read(request: FastifyRequest): URLSearchParams {
    if (!isFromThisMachine(request)) {
      throw new HttpProblem(403, 'Only callers on this machine may change what the sandbox holds.');
    }
    const form = isFromOrigin(request, `http://${request.headers.host ?? ''}`)
      ? readForm(request, this.#wrongContentTypeStatus)
      : undefined;
    if (form === undefined || !this.#tokens.fits(SUBJECT, form.get('token') ?? '')) {
      throw new HttpProblem(403, 'The form is not from this sandbox’s page: open the page again.');
    }
    return form;
  }
}

const isFromThisMachine = ({ ip, hostname, headers }: FastifyRequest): boolean =>
  isLoopbackAddress(ip) &&
  isLoopbackHost(hostname) &&
  PROXY_HEADERS.every((name) => headers[name] === undefined);

interface OutboxShown {
  readonly search: Search;
  /** The newest mails that were found. */
  readonly mails: readonly SandboxMail[];
  readonly held: number;
}

/** Returns the page of mails that payors would have received, the newest first (contract rules A45, A72 in docs/contract.md). */
function outboxPage({ search, mails, held }: OutboxShown): PageMaker {
  return overviewLayout({
    title: 'Outbox',
    place: 'outbox',
    content: html`<p>The payment service would have sent these mails. <a href="outbox.json">As JSON</a></p>
      ${held > 0 && mailSearch(search)} ${mailsTable(mails, held)}`,
  });
}

function mailsTable(mails: readonly SandboxMail[], held: number): Html {
  if (held === 0)
    return emptyState('None yet.', 'A mail is shown here as soon as the service would send it.');
  if (mails.length === 0) {
    return emptyState('None found.', html`<p>No mail matches. <a href="outbox">Show all</a></p>`);
  }
  return dataTable('Mails', ['At', 'To', 'Kind', 'Session', 'Mail', 'Link'], mails.map(mailRow));
}

function mailRow(mail: SandboxMail): readonly (Html | string)[] {
  const { at, to, language, kind, sessionId, subject, text, link } = mail;
  return [
    moment(at),
    to,
    MAIL_BADGES[kind],
    sessionLink(sessionId),
    html`<div lang="${language.toLowerCase()}">
      <strong>${subject}</strong>
      ${paragraphs(text)}
    </div>`,
    link === undefined ? '–' : html`<a href="${link}">${link}</a>`,
  ];
}

/** Returns the paragraphs of a mail. The page's style keeps a line break within a paragraph. */
const paragraphs = (text: string): readonly Html[] =>
  text
    .trim()
    .split('\n\n')
    .map((paragraph) => html`<p>${paragraph}</p>`);
