import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { validateAsService, type SessionRequest, type ValidationFailure } from '../../src/contract';
import { openCallOf } from '../observing/surround-calls';
import { readJsonObject } from '../../web/bodies';
import { callerOf, requireBearer } from './callers';
import type { SandboxClient } from '../clients/clients';
import type { ApiContext } from './context';
import { HttpProblem, invalidRequest } from '../../web/problems';
import { ROUTES } from '../http/routes';
import { openSession, type SandboxSession } from '../sessions/session';

/** Opens a session (contract A10–A46). */
export function createSessionRoute(app: FastifyInstance, context: ApiContext): void {
  app.post(ROUTES.create.path, { onRequest: requireBearer(context) }, (request, reply) => {
    const client = callerOf(request);
    const body = readJsonObject(request, context.config.wrongContentTypeStatus);
    requireFeature(body, client);
    const session = keepSession(context, client, acceptRequest(context, client, body));
    openCallOf(request).concerns(session.sessionId);
    const { sessionId, referenceId } = session;
    return reply.code(201).send({ sessionId, referenceId });
  });
}

/** As much of an EFT request as tells regular from guaranteed, be the rest as wrong as it may (contract A6, A30). */
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

/** Lists every failure (contract A21); nowhere to settle is one of them, with a status of its own where it is the only one. */
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

/** Contract A35. */
function missingAccount(body: object, client: SandboxClient): readonly ValidationFailure[] {
  const eft = eftSchema.safeParse(body).data;
  const isMissing =
    eft?.options.guarantee.enable === true && eft.payee == null && client.settlementAccount === null;
  return isMissing
    ? [{ path: 'payee', message: 'is required, because the client has no settlement account' }]
    : [];
}

const FULL_RETRY_AFTER_S = 60;

function keepSession(
  { sessions, outbox, config }: ApiContext,
  client: SandboxClient,
  request: SessionRequest,
): SandboxSession {
  const { clock, paceMs, consentByDefault } = config;
  const session = openSession({ request, client, nowMs: clock.now(), paceMs, consentByDefault });
  if (!sessions.add(session)) {
    throw new HttpProblem(503, 'The sandbox is full: all the sessions it can keep are still open.', {
      headers: { 'retry-after': String(FULL_RETRY_AFTER_S) },
    });
  }
  outbox.created(session);
  return session;
}
