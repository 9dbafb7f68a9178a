import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { openCallOf } from '../observing/surround-calls';
import { readForm } from '../http/bodies';
import type { SandboxConfig } from '../options/options';
import type { SessionStore } from '../sessions/session-store';
import type { FormTokens } from './form-tokens';
import { ROUTES } from '../http/routes';
import type { SandboxSession } from '../sessions/session';
import type { Language } from '../sessions/language';
import { sendPage, type PageMaker } from '../http/send-page';
import type { Problem, Submission } from './steps/decisions';
import { nextStep } from './steps/next-step';
import { exitPage, failedPage, overPage, scenarioPage, successPage } from './screens/end-pages';
import { stepPage } from './screens/step-page';
import { isInteractive } from './steps/steps';
import { readSubmission } from './submission';
import { viewOf } from './screens/view';

export interface FlowContext {
  readonly config: SandboxConfig;
  readonly sessions: SessionStore;
  readonly formTokens: FormTokens;
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

/** What a step of the flow is shown with, besides the session. */
interface Again {
  readonly problems?: readonly Problem[];
  readonly submission?: Submission;
  readonly outOfDate?: boolean;
}

class HostedFlow {
  readonly #context: FlowContext;

  constructor(context: FlowContext) {
    this.#context = context;
  }

  /** Shows where the payor is; opening the page is the payor's first step. */
  show(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const session = this.#sessionOf(request);
    if (session === undefined || isFlowOver(session)) return this.#over(reply, session);
    if (request.method === 'GET') {
      this.#context.sessions.apply(session.sessionId, { type: 'payorStarted' });
    }
    return this.#send(reply, isInteractive(session) ? this.#page(session) : scenarioPage(session));
  }

  /** Takes a form: the payor goes on, or has to do the step again. */
  submit(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const session = this.#sessionOf(request);
    if (session === undefined || isFlowOver(session)) return this.#over(reply, session);
    const { sessions, config } = this.#context;
    const submission = readSubmission(readForm(request, config.wrongContentTypeStatus));
    if (!isInteractive(session)) return this.#send(reply.code(409), scenarioPage(session));
    // A form that was used, belongs to another step or session, or was made by someone else, changes nothing.
    if (!this.#context.formTokens.fits(session, submission.token)) {
      return this.#send(reply.code(409), this.#page(session, { outOfDate: true }));
    }
    const { flow, events, problems } = nextStep(session, submission, config);
    const after = sessions.advance(session, flow, events);
    if (submission.action === 'leave') return this.#send(reply, exitPage(after, config.frameAncestors));
    if (problems.length > 0) return this.#send(reply.code(422), this.#page(after, { problems, submission }));
    return this.#goOn(reply, after);
  }

  /** An end is told in the answer, because the session's page says from then on that it is over (contract A62). */
  #goOn(reply: FastifyReply, session: SandboxSession): FastifyReply {
    const { frameAncestors } = this.#context.config;
    if (isInteractive(session)) {
      return reply.redirect(`?sessionId=${encodeURIComponent(session.sessionId)}`, 303);
    }
    const page = session.state.status === 'Completed' ? successPage : failedPage;
    return this.#send(reply, page(session, frameAncestors));
  }

  #page(session: SandboxSession, { problems, submission, outOfDate }: Again = {}): PageMaker {
    return stepPage({
      view: viewOf({
        session,
        rules: this.#context.config,
        ...(problems !== undefined && { problems }),
        ...(submission !== undefined && { entered: (name) => submission.field(name) }),
      }),
      token: this.#context.formTokens.of(session),
      ...(outOfDate !== undefined && { outOfDate }),
    });
  }

  #sessionOf(request: FastifyRequest): SandboxSession | undefined {
    const { sessionId } = request.query as { readonly sessionId?: unknown };
    const session = typeof sessionId === 'string' ? this.#context.sessions.get(sessionId) : undefined;
    if (session !== undefined) openCallOf(request).concerns(session.sessionId);
    return session;
  }

  #over(reply: FastifyReply, session: SandboxSession | undefined): FastifyReply {
    const language: Language | undefined = session?.options.notificationPreferences.language;
    return this.#send(reply.code(session === undefined ? 404 : 410), overPage(language));
  }

  #send(reply: FastifyReply, page: PageMaker): FastifyReply {
    return sendPage(reply, page, { frameAncestors: this.#context.config.frameAncestors });
  }
}

/** There is nothing left to do; where a scenario plays the payor, it signs, too, if anyone does. */
function isFlowOver(session: SandboxSession): boolean {
  return session.state.status !== 'Initiated' && !isInteractive(session);
}
