import type { SandboxConfig } from './options';
import { empty, pages, problems, success } from './openapi-responses';
import { componentSchemas, reference, type Json } from './openapi-schemas';
import { ROUTES, type RouteName } from './routes';

/** The OpenAPI 3.1 document of the service, with the statuses that these options let it answer. */
export function openApiDocument(config: SandboxConfig): Json {
  const operations = { ...serviceOperations(config), ...ownOperations() };
  return {
    openapi: '3.1.0',
    info: { title: 'Payment session service (sandbox)', version: '2' },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(
      Object.entries(operations).map(([name, operation]) => {
        const { method, path } = ROUTES[name as RouteName];
        return [
          path.replace(':sessionId', '{sessionId}'),
          { [method.toLowerCase()]: { operationId: name, ...operation } },
        ];
      }),
    ),
    components: {
      schemas: componentSchemas(config),
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

const BEARER = [{ bearer: [] }];

const SESSION_ID = {
  name: 'sessionId',
  in: 'path',
  required: true,
  // Not a uuid only: a malformed id is answered like an unknown one (contract A53).
  schema: { type: 'string', minLength: 1 },
};

/** The specification’s own endpoints. */
function serviceOperations(config: SandboxConfig) {
  const limited = config.rateLimitRequests > 0 ? [429] : [];
  const unreadable = [400, 413, config.wrongContentTypeStatus];
  return {
    authorize: {
      summary: 'Exchanges the client id and secret for an access token.',
      security: [{ basic: [] }],
      requestBody: body('application/x-www-form-urlencoded', GRANT),
      responses: { ...success(200, 'TokenResponse'), ...problems([...unreadable, 401, ...limited]) },
    },
    create: {
      summary: 'Creates a payment session.',
      security: BEARER,
      requestBody: body('application/json', reference('SessionRequest')),
      responses: {
        ...success(201, 'CreatedSession'),
        ...problems([...unreadable, config.missingAccountStatus, 401, 403, 503, ...limited]),
      },
    },
    details: {
      summary: 'Reads a session.',
      security: BEARER,
      parameters: [SESSION_ID],
      responses: { ...success(200, 'SessionDetails'), ...problems([401, 404, ...limited]) },
    },
    cancel: {
      summary: 'Cancels a session that has not ended.',
      security: BEARER,
      parameters: [SESSION_ID],
      requestBody: { ...body('application/json', { type: 'object' }), required: false },
      responses: {
        ...success(200, 'SessionOutcome'),
        ...problems([...unreadable, config.cancelEndedStatus, 401, 404, ...limited]),
      },
    },
    status: {
      summary: 'Reads a session’s status; its id alone is enough.',
      security: [],
      parameters: [SESSION_ID],
      responses: { ...success(200, 'SessionStatus'), ...problems([404]) },
    },
  } satisfies Partial<Record<RouteName, Json>>;
}

/** The hosted flow, and what a sandbox has besides. */
function ownOperations() {
  const query = { name: 'sessionId', in: 'query', required: false, schema: { type: 'string' } };
  return {
    hostedFlow: {
      summary: 'The hosted payment flow; 404 or 410 with a plain page when the session is unknown or over.',
      security: [],
      parameters: [query],
      responses: pages([200, 404, 410]),
    },
    hostedFlowRedirect: {
      summary: 'Leads to the hosted payment flow.',
      security: [],
      parameters: [query],
      responses: empty(302),
    },
    openapi: {
      summary: 'This document.',
      security: [],
      responses: {
        200: { description: 'OK', content: { 'application/json': { schema: { type: 'object' } } } },
      },
    },
    health: {
      summary: 'Tells that the sandbox answers.',
      security: [],
      responses: success(200, 'Health'),
    },
  } satisfies Partial<Record<RouteName, Json>>;
}

const GRANT = {
  type: 'object',
  properties: { grant_type: { type: 'string', const: 'client_credentials' } },
  required: ['grant_type'],
};

const body = (contentType: string, schema: Json): Json => ({
  required: true,
  content: { [contentType]: { schema } },
});
