import type { FastifyInstance, FastifyRequest } from 'fastify';
import { openCallOf } from '../observing/surround-calls';
import { hasBody, readJsonObject } from '../../web/api/bodies';
import { callerOf, requireBearer } from './callers';
import type { ApiContext } from './context';
import { HttpProblem } from '../../web/api/problems';
import { unknownSession } from '../http/unknown-session';
import { ROUTES } from '../http/routes';
import type { SandboxSession } from '../sessions/session';
import { detailsView, outcomeView, statusView } from './views';

/** Reading and cancelling a session (contract A50–A58). */
export function sessionRoutes(app: FastifyInstance, context: ApiContext): void {
  const { codeMember, cancelEndedStatus } = context.config;
  const onRequest = requireBearer(context);

  app.get(ROUTES.details.path, { onRequest }, (request) =>
    detailsView(ownSession(context, request), codeMember),
  );

  app.get(ROUTES.status.path, (request) => statusView(anySession(context, request), codeMember));

  app.post(ROUTES.cancel.path, { onRequest }, (request) => {
    const { sessionId } = ownSession(context, request);
    if (hasBody(request)) readJsonObject(request, context.config.wrongContentTypeStatus);
    const evenUnsigned = context.config.cancellableWhileUnsigned;
    const result = context.sessions.apply(sessionId, { type: 'cancelled', evenUnsigned });
    if (!result.accepted) throw new HttpProblem(cancelEndedStatus, 'The session has ended already.');
    return outcomeView(result.session, codeMember);
  });
}

/** The caller's session; no one else's, which the answer does not tell from one that there is not (contract A53). */
function ownSession(context: ApiContext, request: FastifyRequest): SandboxSession {
  const session = anySession(context, request);
  if (session.clientId !== callerOf(request).clientId) throw unknownSession();
  return session;
}

/** Contract A52: the session id alone is enough. */
function anySession({ sessions }: ApiContext, request: FastifyRequest): SandboxSession {
  const { sessionId } = request.params as { readonly sessionId: string };
  const session = sessions.get(sessionId);
  if (session === undefined) throw unknownSession();
  openCallOf(request).concerns(sessionId);
  return session;
}
