import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type PageMaker, sendPage } from '../../src/web/send-page';
import { openCallOf } from '../calls/surround-calls';
import { merchantName } from '../clients';
import type { SandboxConfig } from '../options';
import type { SessionStore, Change } from '../sessions/session-store';
import { ROUTES } from '../calls/routes';
import type { SandboxSession } from '../sessions/session';
import { readPostedForm, type StepTokens } from './posted-form';
import { isInteractive } from './steps';
import { viewOf, type Again } from './view';
import { endPage, exitPage, overPage, scenarioPage } from './end-pages';
import { stepPage } from './step-page';
import { nextStep } from './next-step';

export interface FlowContext {
  readonly config: SandboxConfig;
  readonly sessions: SessionStore;
  readonly formTokens: StepTokens;
}

/** Adds the routes of the hosted payment flow (contract rules A60–A63 in docs/contract.md). */
export function flowRoutes(app: FastifyInstance, context: FlowContext): void {
  app.get(ROUTES.hostedFlow.path, (request, reply) =>
    visit(context, request, reply, (session) => openPage(session, { starts: request.method === 'GET' })),
  );

  app.post(ROUTES.hostedFlowStep.path, (request, reply) =>
    visit(context, request, reply, (session) => takeForm(session, request, context)),
  );

  app.get(ROUTES.hostedFlowRedirect.path, (request, reply) => {
    const query = /\?.*$/s.exec(request.url)?.[0] ?? '';
    return reply.redirect(`${ROUTES.hostedFlow.path}${query}`, 302);
  });
}

/** A decision about a request from the payor's browser: the change that the request makes, and the response. */
interface Visit {
  /** `next` is the page that follows from the change: the next step, or the end. */
  readonly page: 'over' | 'scenario' | 'step' | 'exit' | 'next';
  readonly status: number;
  readonly change?: Change;
  /** Data of the step's page, in addition to the session. */
  readonly again?: Again;
}

/** Calls `decide` with the requested session, makes the change that `decide` returns, and answers. */
function visit(
  context: FlowContext,
  request: FastifyRequest,
  reply: FastifyReply,
  decide: (session: SandboxSession) => Visit,
): FastifyReply {
  const { config, sessions, formTokens } = context;
  const send = (status: number, page: PageMaker) =>
    sendPage(reply.code(status), page, { frameAncestors: config.frameAncestors });
  const { sessionId } = request.query as { readonly sessionId?: unknown };
  const visited = sessions.advance(typeof sessionId === 'string' ? sessionId : '', (session) => {
    openCallOf(request).concerns(session.sessionId);
    return decide(session);
  });
  if (visited === undefined) return send(404, overPage());
  const { session, decision } = visited;
  const { page, status, again } = decision;
  const merchant = merchantName(config.clients, session.clientId);
  const ending = { session, merchant, frameAncestors: config.frameAncestors };
  switch (page) {
    case 'over':
      return send(status, overPage(session.options.notificationPreferences.language));
    case 'scenario':
      return send(status, scenarioPage(session));
    case 'step':
      return send(
        status,
        stepPage(viewOf({ session, merchant, rules: config, again }), formTokens.of(session)),
      );
    case 'exit':
      return send(status, exitPage(ending));
    case 'next':
      if (isInteractive(session)) {
        return reply.redirect(`?sessionId=${encodeURIComponent(session.sessionId)}`, status);
      }
      // The response itself shows the end, because from then on the hosted page says that the session is over (contract A62).
      return send(200, endPage(ending));
  }
}

/** Opens the page for the payor. With `starts`, the visit starts the session, or counts as activity in a started one. */
function openPage(session: SandboxSession, { starts }: { readonly starts: boolean }): Visit {
  if (isFlowOver(session)) return { page: 'over', status: 410 };
  return {
    page: isInteractive(session) ? 'step' : 'scenario',
    status: 200,
    ...(starts &&
      session.state.status === 'Initiated' && {
        change: { flow: session.flow, events: [{ type: 'payorStarted' }] },
      }),
  };
}

/** Takes the payor's form, and reads it unless the session is over. The payor continues, leaves, or has to repeat the step. */
function takeForm(session: SandboxSession, request: FastifyRequest, context: FlowContext): Visit {
  if (isFlowOver(session)) return { page: 'over', status: 410 };
  const { submission, isCurrent } = readPostedForm(request, session, context);
  if (!isInteractive(session)) return { page: 'scenario', status: 409 };
  // A form that was used, belongs to another step or session, or was made elsewhere, changes nothing.
  if (!isCurrent) return { page: 'step', status: 409, again: { outOfDate: true } };
  const { change, problems } = nextStep(session, submission, context.config);
  if (submission.action === 'leave') return { page: 'exit', status: 200, change };
  if (problems.length > 0) {
    return { page: 'step', status: 422, change, again: { problems, submission } };
  }
  return { page: 'next', status: 303, change };
}

/** True if the payor has nothing left to do. If a scenario plays the payor, only the scenario may sign. */
function isFlowOver(session: SandboxSession): boolean {
  return session.state.status !== 'Initiated' && !isInteractive(session);
}
