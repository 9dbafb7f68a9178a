import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { merchantName } from '../clients/clients';
import type { Outbox } from '../mail/outbox';
import type { CallLog, SandboxCall } from '../observing/calls';
import type { Faults } from '../observing/faults';
import type { SandboxConfig } from '../options/options';
import type { SessionStore } from '../sessions/session-store';
import { ROUTES, type RouteName } from '../http/routes';
import { HttpProblem } from '../../web/problems';
import { sendPage, type PageMaker } from '../../web/send-page';
import { LocalForms } from './local-forms';
import { outboxPage } from './outbox-page';
import { overviewPage, SHOWN } from './overview-page';
import { play, toChoice } from './playing';
import { finds, holds, readSearch } from './search';
import { noSessionPage, sessionPage } from './session-page';

export interface OverviewContext {
  readonly config: SandboxConfig;
  readonly sessions: SessionStore;
  readonly calls: CallLog;
  readonly outbox: Outbox;
  readonly faults: Faults;
}

/** What the sandbox did, for people and tests to look at, and what people can do to it. */
export function overviewRoutes(app: FastifyInstance, context: OverviewContext): void {
  const forms = new LocalForms(context.config);
  overviewRoute(app, context, forms);
  outboxRoutes(app, context);
  sessionRoutes(app, context, forms);
}

function overviewRoute(
  app: FastifyInstance,
  { sessions, calls, outbox, faults }: OverviewContext,
  forms: LocalForms,
): void {
  app.get(ROUTES.overview.path, (request, reply) => {
    const search = readSearch(request.query);
    const all = sessions.newestFirst();
    const found = all.filter((session) => finds(search, session));
    return send(
      reply,
      overviewPage({
        search,
        sessions: found.slice(0, SHOWN),
        found: found.length,
        held: all.length,
        calls: newestOf(calls),
        formToken: forms.tokenFor(request),
      }),
    );
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
    // Mails are written as their events come due.
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
    const found = all.filter(({ sessionId, to, subject }) => holds(search, [sessionId, to, subject]));
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
    const isPlayed = session !== undefined && play(sessions, session, choice).accepted;
    return isPlayed ? reply.redirect(`./${session.sessionId}`, 303) : show(request, reply, true);
  });
}

/** Calls that only look at what others called. */
const LOOKS: ReadonlySet<RouteName | 'unknown'> = new Set<RouteName>(['overview', 'sessionPage']);

const newestOf = (calls: CallLog, isMeant: (call: SandboxCall) => boolean = () => true) =>
  calls
    .all()
    .filter((call) => !LOOKS.has(call.route) && isMeant(call))
    .slice(-SHOWN)
    .reverse();

const send = (reply: FastifyReply, page: PageMaker): FastifyReply =>
  sendPage(reply, page, { frameAncestors: ["'none'"], tellsOwnOrigin: true });

const sessionIdOf = ({ params }: FastifyRequest): string =>
  (params as { readonly sessionId: string }).sessionId;

const prefersJson = (accept = ''): boolean =>
  accept.includes('application/json') && !accept.includes('text/html');
