import type { FastifyInstance, FastifyReply } from 'fastify';
import type { SandboxContext } from './context';
import { flowPage, overPage } from './pages';
import { ROUTES } from './routes';

/** The hosted payment flow (contract A60–A63). */
export function hostedRoutes(app: FastifyInstance, { sessions }: SandboxContext): void {
  app.get(ROUTES.hostedFlow.path, (request, reply) => {
    const { sessionId } = request.query as { readonly sessionId?: unknown };
    const session = typeof sessionId === 'string' ? sessions.get(sessionId) : undefined;
    if (session === undefined) return sendPage(reply.code(404), overPage());
    if (session.state.status !== 'Initiated') {
      return sendPage(reply.code(410), overPage(session.options.notificationPreferences.language));
    }
    if (request.method === 'GET') sessions.apply(session.sessionId, { type: 'payorStarted' });
    return sendPage(reply, flowPage(session));
  });

  app.get(ROUTES.hostedFlowRedirect.path, (request, reply) => {
    const query = /\?.*$/s.exec(request.url)?.[0] ?? '';
    return reply.redirect(`${ROUTES.hostedFlow.path}${query}`, 302);
  });
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      // Any page may embed the flow (contract A60), and nothing is loaded from elsewhere.
      'content-security-policy': "default-src 'none'; frame-ancestors *",
    })
    .send(html);
}
