import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Outbox } from '../mail/outbox';
import type { CallLog } from '../observing/calls';
import type { SessionStore } from '../sessions/session-store';
import { ROUTES } from '../http/routes';
import { sendPage, type PageMaker } from '../../web/send-page';
import { outboxPage } from './outbox-page';
import { overviewPage, SHOWN } from './overview-page';

export interface OverviewContext {
  readonly sessions: SessionStore;
  readonly calls: CallLog;
  readonly outbox: Outbox;
}

/** What the sandbox did, for people and tests to look at. */
export function overviewRoutes(app: FastifyInstance, { sessions, calls, outbox }: OverviewContext): void {
  app.get(ROUTES.overview.path, (_request, reply) => {
    // Those who watch the page see what others called.
    const others = calls.all().filter(({ route }) => route !== 'overview');
    return send(
      reply,
      overviewPage({ sessions: sessions.newest(SHOWN), calls: others.slice(-SHOWN).reverse() }),
    );
  });

  const mails = () => {
    // Mails are written as their events come due.
    sessions.settleAll();
    return outbox.all();
  };

  app.get(ROUTES.outbox.path, (request, reply) => {
    void reply.header('vary', 'accept');
    return prefersJson(request.headers.accept)
      ? reply.header('cache-control', 'no-store').send({ mails: mails() })
      : send(reply, outboxPage(mails().slice(-SHOWN).reverse()));
  });

  app.get(ROUTES.outboxJson.path, (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ mails: mails() }),
  );
}

const send = (reply: FastifyReply, page: PageMaker): FastifyReply =>
  sendPage(reply, page, { frameAncestors: ["'none'"] });

const prefersJson = (accept = ''): boolean =>
  accept.includes('application/json') && !accept.includes('text/html');
