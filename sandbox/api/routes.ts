import type { FastifyInstance, FastifyRequest } from 'fastify';
import { openCallOf } from '../observing/surround-calls';
import { hasBody, readJsonObject, readForm } from '../../web/bodies';
import { callerOf, requireBearer, requireBasic } from './callers';
import type { ApiContext } from './context';
import { HttpProblem } from '../../web/problems';
import { unknownSession } from '../http/unknown-session';
import { ROUTES } from '../http/routes';
import type { SandboxSession } from '../sessions/session';
import { detailsView, outcomeView, statusView } from './views';
import { openApiDocument } from './openapi/document';
import type { Json } from './openapi/json-schema';

/** The service's endpoints but the one that creates. */
export function apiRoutes(app: FastifyInstance, context: ApiContext): void {
  authorizeRoute(app, context);
  sessionRoutes(app, context);
  metaRoutes(app, context);
}

/** Exchanges the client's credentials for a token (contract A1–A6). */
function authorizeRoute(app: FastifyInstance, context: ApiContext): void {
  const { config, tokens } = context;
  app.post(ROUTES.authorize.path, { onRequest: requireBasic(context) }, (request, reply) => {
    const grants = readForm(request, config.wrongContentTypeStatus).getAll('grant_type');
    if (grants.length !== 1 || grants[0] !== 'client_credentials') {
      throw new HttpProblem(400, 'The form field grant_type must be client_credentials.');
    }
    return reply.header('cache-control', 'no-store').send({
      access_token: tokens.issue(callerOf(request).clientId),
      ...(config.tokenResponseFields && {
        token_type: 'bearer',
        expires_in: Math.max(1, Math.floor(config.tokenLifetimeMs / 1_000)),
      }),
    });
  });
}

/** Reading and cancelling a session (contract A50–A58). */
function sessionRoutes(app: FastifyInstance, context: ApiContext): void {
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

/** The document of the service, and a sign of life for whoever started it. */
function metaRoutes(app: FastifyInstance, { config }: ApiContext): void {
  let document: Json | undefined;
  // Made for who asks for it: most sandboxes are started without anybody reading it.
  app.get(ROUTES.openapi.path, () => (document ??= openApiDocument(config)));
  app.get(ROUTES.health.path, () => ({ status: 'ok' }));
}
