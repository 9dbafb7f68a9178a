import { z } from 'zod';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hasBody, readJsonObject, readForm } from '../../src/web/bodies';
import { callerOf, requireBearer, requireBasic, type ApiContext } from './callers';
import { HttpProblem, invalidRequest } from '../../src/web/problems';
import { type SandboxSession, openSession } from '../sessions/session';
import { misspeltScenario } from '../sessions/scenarios';
import { openCallOf } from '../calls/surround-calls';
import { ROUTES, sessionIdOf, unknownSession } from '../calls/routes';
import { detailsView, outcomeView, statusView } from './views';
import { openApiDocument } from './openapi-document';
import { validateAsService, type SessionRequest, type ValidationFailure } from '../../src/contract';
import type { SandboxClient } from '../clients';
import type { Json } from './openapi-request';

/** Adds the service's endpoints, and two of the sandbox's own. */
export function apiRoutes(app: FastifyInstance, context: ApiContext): void {
  authorizeRoute(app, context);
  createSessionRoute(app, context);
  sessionRoutes(app, context);
  metaRoutes(app, context);
}

/** Adds the route that exchanges a client's credentials for a token (contract rules A1–A6 in docs/contract.md). */
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

/** Adds the route that opens a session (contract A10–A46). */
function createSessionRoute(app: FastifyInstance, context: ApiContext): void {
  app.post(ROUTES.create.path, { onRequest: requireBearer(context) }, (request, reply) => {
    const client = callerOf(request);
    const body = readJsonObject(request, context.config.wrongContentTypeStatus);
    requireFeature(body, client);
    const session = storeSession(context, client, acceptRequest(context, client, body));
    openCallOf(request).concerns(session.sessionId);
    const { sessionId, referenceId } = session;
    return reply.code(201).send({ sessionId, referenceId });
  });
}

/** The fields of an EFT request that are checked against the client. The rest of the request may be invalid (contract A6, A30, A35). */
const eftSchema = z.object({
  type: z.literal('EFT'),
  options: z.object({ guarantee: z.object({ enable: z.boolean() }) }),
  payee: z.unknown().optional(),
});

function requireFeature(body: object, client: SandboxClient): void {
  const eft = eftSchema.safeParse(body).data;
  if (eft?.options.guarantee.enable === false && !client.features.includes('RegularEft')) {
    throw new HttpProblem(403, 'The client does not have the RegularEft feature, which a regular EFT needs.');
  }
}

/**
 * Returns the request if it is valid. Otherwise throws a problem that lists every failure (contract A21). If the only failure is a missing
 * settlement account, the problem has a status of its own.
 */
function acceptRequest({ config }: ApiContext, client: SandboxClient, body: object): SessionRequest {
  const result = validateAsService(body, {
    minimumAmount: client.minimumAmount,
    maximumAmount: client.maximumAmount,
    guaranteeOptionalForETransfer: config.guaranteeOptionalForETransfer,
  });
  const missing = missingAccount(body, client);
  if (!result.valid) throw invalidRequest([...result.failures, ...missing]);
  if (missing.length > 0) throw invalidRequest(missing, config.missingAccountStatus);
  return result.request;
}

/** Returns a failure if a guaranteed EFT has no settlement account (contract A35). */
function missingAccount(body: object, client: SandboxClient): readonly ValidationFailure[] {
  const eft = eftSchema.safeParse(body).data;
  const isMissing =
    eft?.options.guarantee.enable === true && eft.payee == null && client.settlementAccount === null;
  return isMissing
    ? [{ path: 'payee', message: 'is required, because the client has no settlement account' }]
    : [];
}

const FULL_RETRY_AFTER_S = 60;

function storeSession(
  { sessions, outbox, config }: ApiContext,
  client: SandboxClient,
  request: SessionRequest,
): SandboxSession {
  const { clock, paceMs, consentByDefault, log } = config;
  const session = openSession({ request, client, nowMs: clock.now(), paceMs, consentByDefault });
  if (!sessions.add(session)) {
    throw new HttpProblem(503, 'The sandbox is full: all the sessions it can keep are still open.', {
      headers: { 'retry-after': String(FULL_RETRY_AFTER_S) },
    });
  }
  outbox.created(session);
  const warning = misspeltScenario(session.referenceId);
  if (warning !== undefined) log?.(warning);
  return session;
}

/** Adds the routes that read and cancel a session (contract A50–A58). */
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

/** Returns the caller's own session. Throws the same 404 for another client's session as for an unknown one (contract A53). */
function ownSession(context: ApiContext, request: FastifyRequest): SandboxSession {
  const session = anySession(context, request);
  if (session.clientId !== callerOf(request).clientId) throw unknownSession();
  return session;
}

/** Returns the session, whichever client created it: the session id alone is enough (contract A52). */
function anySession({ sessions }: ApiContext, request: FastifyRequest): SandboxSession {
  const sessionId = sessionIdOf(request);
  const session = sessions.get(sessionId);
  if (session === undefined) throw unknownSession();
  openCallOf(request).concerns(sessionId);
  return session;
}

/** Adds the routes of the OpenAPI document and of the health check. */
function metaRoutes(app: FastifyInstance, { config }: ApiContext): void {
  let document: Json | undefined;
  // Built on the first request, because most sandboxes never need it.
  app.get(ROUTES.openapi.path, () => (document ??= openApiDocument(config)));
  app.get(ROUTES.health.path, () => ({ status: 'ok' }));
}
