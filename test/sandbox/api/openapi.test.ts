import { Ajv2020 } from 'ajv/dist/2020';
import { describe, expect, test } from '@jest/globals';
import { eft, eTransfer, geft, PAYEE, startService } from '../../support/sandbox/requests-to-sandbox';

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
  readonly security: readonly object[];
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

async function documentOf(options?: Parameters<typeof startService>[0]): Promise<Document> {
  const service = await startService(options);
  return JSON.parse((await service.send('/openapi.json')).text) as Document;
}

const statusesOf = ({ paths }: Document, path: string, method: string) =>
  Object.keys(paths[path]?.[method]?.responses ?? {});

describe('the OpenAPI document', () => {
  test('lists every route with the statuses that it answers', async () => {
    const document = await documentOf();
    expect(document.openapi).toBe('3.1.0');
    const statuses = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => [
        `${method} ${path}`,
        statusesOf(document, path, method).join(' '),
      ]),
    );
    expect(Object.fromEntries(statuses)).toEqual({
      'post /api/v1/authorize': '200 400 401 413',
      'post /api/v2/sessions': '201 400 401 403 413 503',
      'get /api/v2/sessions/{sessionId}/details': '200 401 404',
      'post /api/v2/sessions/{sessionId}/cancel': '200 400 401 404 413',
      'get /api/v2/sessions/{sessionId}/status': '200 404',
      'get /app/': '200 404 410',
      'post /app/': '200 303 400 404 409 410 413 422',
      'get /app': '302',
      'get /': '200',
      'get /sessions/{sessionId}': '200 404',
      'post /sessions/{sessionId}': '303 400 403 404 409 413',
      'post /faults': '303 400 403 413',
      'post /reset': '303 400 403 413',
      'get /outbox': '200',
      'get /outbox.json': '200',
      'get /openapi.json': '200',
      'get /healthz': '200',
    });
  });

  test('shows the statuses and members that the sandbox’s options set', async () => {
    const document = await documentOf({
      wrongContentTypeStatus: 415,
      cancelEndedStatus: 409,
      missingAccountStatus: 422,
      rateLimitRequests: 100,
      codeMember: 'statusDetail',
      tokenResponseFields: false,
    });
    expect(statusesOf(document, '/api/v2/sessions', 'post')).toEqual([
      '201',
      '400',
      '401',
      '403',
      '413',
      '415',
      '422',
      '429',
      '503',
    ]);
    expect(statusesOf(document, '/api/v2/sessions/{sessionId}/cancel', 'post')).toContain('409');
    expect(statusesOf(document, '/app/', 'post')).toEqual(expect.arrayContaining(['400', '415']));
    expect(document.components.schemas['SessionStatus']).toHaveProperty('properties.statusDetail');
    expect(document.components.schemas['TokenResponse']).not.toHaveProperty('properties.expires_in');
  });

  test('describes errors as problem details, and names the credentials that each call needs', async () => {
    const { paths } = await documentOf();
    const create = paths['/api/v2/sessions']?.['post'];
    expect(Object.keys(create?.responses['400']?.content ?? {})).toEqual(['application/problem+json']);
    expect(create?.security).toEqual([{ bearer: [] }]);
    expect(paths['/api/v1/authorize']?.['post']?.security).toEqual([{ basic: [] }]);
    expect(paths['/api/v2/sessions/{sessionId}/status']?.['get']?.security).toEqual([]);
  });

  test('has schemas that match the sandbox’s requests and answers', async () => {
    const service = await startService();
    const { components } = JSON.parse((await service.send('/openapi.json')).text) as Document;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const expectFit = (name: string, value: unknown) => {
      const validate = ajv.compile(components.schemas[name] ?? {});
      expect([name, validate(JSON.parse(JSON.stringify(value))), validate.errors]).toEqual([
        name,
        true,
        null,
      ]);
    };
    for (const request of [eft(), geft().with('payee', PAYEE), eTransfer().without('amount')]) {
      expectFit('SessionRequest', request);
      const created = await service.create(request);
      expectFit('CreatedSession', created.body);
      const sessionId = String(created.body['sessionId']);
      expectFit('SessionDetails', (await service.details(sessionId)).body);
      service.sandbox.act(sessionId, 'identityFailed');
      expectFit('SessionDetails', (await service.details(sessionId)).body);
      expectFit('SessionStatus', (await service.status(sessionId)).body);
      expectFit('ProblemDetails', (await service.cancel(sessionId)).body);
    }
    for (const amount of [0.07, 1.15, 4.35, 19.99]) expectFit('SessionRequest', eft().with('amount', amount));
    expectFit('ProblemDetails', (await service.create({})).body);
    expectFit('SessionOutcome', (await service.cancel(await service.open(eft()))).body);
    expectFit('TokenResponse', (await service.authorize()).body);
  });
});
