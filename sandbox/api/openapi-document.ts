import { STATUS_CODES } from 'node:http';
import type { SandboxConfig } from '../options';
import { type RouteName, ROUTES } from '../calls/routes';
import { componentSchemas, reference } from './openapi-schemas';
import type { Json } from './openapi-request';
import { PROBLEM_TYPE } from '../../src/web/problems';

/** Returns the OpenAPI 3.1 document of the service. Some of its statuses and schemas depend on the options. */
export function openApiDocument(config: SandboxConfig): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Payment session service (sandbox)', version: '2' },
    servers: [{ url: '/' }],
    paths: pathsOf({ ...serviceOperations(config), ...ownOperations(config) }),
    components: {
      schemas: componentSchemas(config),
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

/** Returns the operations, grouped by path. A path may have several operations. An operation without `security` needs no credentials. */
function pathsOf(operations: Readonly<Record<string, Json>>): Json {
  const paths: Record<string, Json> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const { method, path } = ROUTES[name as RouteName];
    const template = path.replace(':sessionId', '{sessionId}');
    const documented = { operationId: name, security: [], ...operation };
    paths[template] = { ...paths[template], [method.toLowerCase()]: documented };
  }
  return paths;
}

const BEARER = [{ bearer: [] }];

const SESSION_ID = {
  name: 'sessionId',
  in: 'path',
  required: true,
  // Not limited to UUIDs: a malformed id is answered like an unknown one (contract rule A53 in docs/contract.md).
  schema: { type: 'string', minLength: 1 },
};

/** Returns the operations of the specification’s endpoints. */
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
      parameters: [SESSION_ID],
      responses: { ...success(200, 'SessionStatus'), ...problems([404]) },
    },
  } satisfies Partial<Record<RouteName, Json>>;
}

/** Returns the operations of the hosted flow and of the sandbox's own pages. */
function ownOperations(config: SandboxConfig) {
  const unreadable = [400, 413, config.wrongContentTypeStatus];
  const query = { name: 'sessionId', in: 'query', required: false, schema: { type: 'string' } };
  const ownForm = {
    requestBody: body('application/x-www-form-urlencoded', OWN_FORM),
    responses: { ...empty(303), ...problems([...unreadable, 403]) },
  };
  return {
    hostedFlow: {
      summary: 'The hosted payment flow; 404 or 410 with a plain page when the session is unknown or over.',
      parameters: [query],
      responses: pages([200, 404, 410]),
    },
    hostedFlowStep: {
      summary: 'Takes the form of a step; leads to the next one, or shows the step again with what is wrong.',
      parameters: [query],
      requestBody: body('application/x-www-form-urlencoded', FLOW_FORM),
      responses: {
        ...pages([200, 404, 409, 410, 422]),
        ...empty(303),
        ...problems(unreadable),
      },
    },
    hostedFlowRedirect: {
      summary: 'Leads to the hosted payment flow.',
      parameters: [query],
      responses: empty(302),
    },
    overview: {
      summary: 'Shows the newest sessions and calls, and the scenarios.',
      responses: pages([200]),
    },
    sessionPage: {
      summary: 'Shows one session with its calls, and what its mails were about.',
      parameters: [SESSION_ID],
      responses: pages([200, 404]),
    },
    playPayor: {
      summary: 'Plays the payor; for the page’s own form, from this machine only.',
      parameters: [SESSION_ID],
      ...ownForm,
      responses: { ...ownForm.responses, ...pages([404, 409]) },
    },
    fail: {
      summary:
        'Makes the next calls fail, or removes the failures to come; for the overview’s own form, from this machine only.',
      ...ownForm,
    },
    reset: {
      summary:
        'Deletes sessions, mails, calls and failures to come; for the overview’s own form, from this machine only.',
      ...ownForm,
    },
    outbox: {
      summary:
        'Shows the newest mails that payors would have received; JSON for callers that accept JSON and no HTML.',
      responses: pages([200], reference('Outbox')),
    },
    outboxJson: {
      summary: 'The mails that payors would have received.',
      responses: success(200, 'Outbox'),
    },
    openapi: {
      summary: 'This document.',
      responses: { 200: response(200, { 'application/json': { schema: { type: 'object' } } }) },
    },
    health: {
      summary: 'Shows that the sandbox answers.',
      responses: success(200, 'Health'),
    },
  } satisfies Partial<Record<RouteName, Json>>;
}

const GRANT = {
  type: 'object',
  properties: { grant_type: { type: 'string', const: 'client_credentials' } },
  required: ['grant_type'],
};

const OWN_FORM = {
  type: 'object',
  properties: {
    token: { type: 'string', description: 'From the page that has the form.' },
    choice: { type: 'string', description: 'The event of the session, on its page.' },
    failure: { type: 'string', description: 'The failure of the next calls, on the overview.' },
  },
  required: ['token'],
};

/** No field is required, because the sandbox answers an incomplete form with a page. An outdated form changes nothing. */
const FLOW_FORM = {
  type: 'object',
  properties: {
    token: { type: 'string', description: 'From the page that has the form.' },
    action: { type: 'string', description: 'continue, back or leave; anything else continues.' },
  },
  additionalProperties: { type: 'string' },
};

const body = (contentType: string, schema: Json): Json => ({
  required: true,
  content: { [contentType]: { schema } },
});

/** The header that the document requires in each response with this status. */
const HEADERS: Readonly<Record<number, string>> = {
  302: 'Location',
  303: 'Location',
  401: 'WWW-Authenticate',
  429: 'Retry-After',
  503: 'Retry-After',
};

/** Returns a successful response with a body of a named schema. */
function success(status: number, schema: string): Json {
  return { [status]: response(status, { 'application/json': { schema: reference(schema) } }) };
}

/** Returns a response with problem details for each status (contract A70). */
function problems(statuses: readonly number[]): Json {
  const content = { [PROBLEM_TYPE]: { schema: reference('ProblemDetails') } };
  return Object.fromEntries([...new Set(statuses)].map((status) => [status, response(status, content)]));
}

/** Returns a response with an HTML page for each status. With `json`, the page is also available as JSON of that schema. */
function pages(statuses: readonly number[], json?: Json): Json {
  const content = {
    'text/html': { schema: { type: 'string' } },
    ...(json !== undefined && { 'application/json': { schema: json } }),
  };
  return Object.fromEntries(statuses.map((status) => [status, response(status, content)]));
}

/** Returns a response without a body. */
const empty = (status: number): Json => ({ [status]: response(status) });

function response(status: number, content?: Json): Json {
  const header = HEADERS[status];
  return {
    description: STATUS_CODES[status] ?? '',
    ...(header !== undefined && { headers: { [header]: { required: true, schema: { type: 'string' } } } }),
    ...(content !== undefined && { content }),
  };
}
