import type { FastifyInstance } from 'fastify';
import { readForm } from '../../web/api/bodies';
import { callerOf, requireBasic } from './callers';
import type { ApiContext } from './context';
import { HttpProblem } from '../../web/api/problems';
import { ROUTES } from '../http/routes';

/** Exchanges the client's credentials for a token (contract A1–A6). */
export function authorizeRoute(app: FastifyInstance, context: ApiContext): void {
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
