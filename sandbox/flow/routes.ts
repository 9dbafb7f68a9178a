import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type PageMaker, sendPage } from '../../web/send-page';
import { openCallOf } from '../observing/surround-calls';
import { merchantName } from '../clients/clients';
import type { SandboxConfig } from '../options/options';
import type { SessionStore } from '../sessions/session-store';
import { ROUTES } from '../http/routes';
import type { SandboxSession } from '../sessions/session';
import { readPostedForm, type StepTokens } from './steps/posted-form';
import { type Again, openPage, takeForm, type Visit } from './steps/visits';
import { endPage, exitPage, overPage, scenarioPage } from './screens/end-pages';
import { stepPage } from './screens/step-page';
import { isInteractive } from './steps/steps';
import { viewOf } from './screens/view';

export interface FlowContext {
  readonly config: SandboxConfig;
  readonly sessions: SessionStore;
  readonly formTokens: StepTokens;
}

/** The hosted payment flow (contract A60–A63). */
export function flowRoutes(app: FastifyInstance, context: FlowContext): void {
  const flow = new HostedFlow(context);

  app.get(ROUTES.hostedFlow.path, (request, reply) => flow.show(request, reply));

  app.post(ROUTES.hostedFlowStep.path, (request, reply) => flow.submit(request, reply));

  app.get(ROUTES.hostedFlowRedirect.path, (request, reply) => {
    const query = /\?.*$/s.exec(request.url)?.[0] ?? '';
    return reply.redirect(`${ROUTES.hostedFlow.path}${query}`, 302);
  });
}

class HostedFlow {
  readonly #context: FlowContext;

  constructor(context: FlowContext) {
    this.#context = context;
  }

  show(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const starts = request.method === 'GET';
    return this.#visit(request, reply, (session) => openPage(session, { starts }));
  }

  submit(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const readForm = (session: SandboxSession) => readPostedForm(request, session, this.#context);
    return this.#visit(request, reply, (session) => takeForm(session, readForm, this.#context.config));
  }

  #visit(
    request: FastifyRequest,
    reply: FastifyReply,
    decide: (session: SandboxSession) => Visit,
  ): FastifyReply {
    const { sessionId } = request.query as { readonly sessionId?: unknown };
    const visited = this.#context.sessions.advance(
      typeof sessionId === 'string' ? sessionId : '',
      (session) => {
        openCallOf(request).concerns(session.sessionId);
        return decide(session);
      },
    );
    return visited === undefined
      ? this.#send(reply.code(404), overPage())
      : this.#answer(reply, visited.session, visited.decision);
  }

  #answer(reply: FastifyReply, session: SandboxSession, { page, status, again }: Visit): FastifyReply {
    const ending = {
      session,
      merchant: this.#merchantOf(session),
      frameAncestors: this.#context.config.frameAncestors,
    };
    switch (page) {
      case 'over':
        return this.#send(reply.code(status), overPage(session.options.notificationPreferences.language));
      case 'scenario':
        return this.#send(reply.code(status), scenarioPage(session));
      case 'step':
        return this.#send(reply.code(status), this.#stepPage(session, again));
      case 'exit':
        return this.#send(reply.code(status), exitPage(ending));
      case 'next':
        if (isInteractive(session)) {
          return reply.redirect(`?sessionId=${encodeURIComponent(session.sessionId)}`, status);
        }
        // An end is told in the answer, because the session's page says from then on that it is over (contract A62).
        return this.#send(reply, endPage(ending));
    }
  }

  #stepPage(session: SandboxSession, { problems, submission, outOfDate }: Again = {}): PageMaker {
    return stepPage({
      view: viewOf({
        session,
        merchant: this.#merchantOf(session),
        rules: this.#context.config,
        ...(problems !== undefined && { problems }),
        ...(submission !== undefined && { entered: (name) => submission.field(name) }),
      }),
      token: this.#context.formTokens.of(session),
      ...(outOfDate !== undefined && { outOfDate }),
    });
  }

  #merchantOf({ clientId }: SandboxSession): string {
    return merchantName(this.#context.config.clients, clientId);
  }

  #send(reply: FastifyReply, page: PageMaker): FastifyReply {
    return sendPage(reply, page, { frameAncestors: this.#context.config.frameAncestors });
  }
}
