import type { FastifyInstance } from 'fastify';
import type { ApiContext } from './context';
import { openApiDocument } from './openapi/document';
import { ROUTES } from '../http/routes';

/** The document of the service, and a sign of life for whoever started it. */
export function metaRoutes(app: FastifyInstance, { config }: ApiContext): void {
  const document = openApiDocument(config);
  app.get(ROUTES.openapi.path, () => document);
  app.get(ROUTES.health.path, () => ({ status: 'ok' }));
}
