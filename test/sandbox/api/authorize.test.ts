import { describe, expect, test } from '@jest/globals';
import {
  anotherClient,
  basic,
  bearer,
  eft,
  expectProblem,
  FORM,
  JSON_TYPE,
  startService,
  type Answer,
  type Service,
} from '../../support/sandbox/requests-to-sandbox';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

// The numbers in the test names, such as A1, are rules of the contract (docs/contract.md).

const rightCredentials = basic(DEFAULT_CLIENT.clientId, DEFAULT_CLIENT.clientSecret);
const someId = '7c6ff8f1-2f0b-4d3e-9f3a-0a1d5c4f1b2a';

describe('the token endpoint', () => {
  test('A1 the client credentials grant returns an access token', async () => {
    const service = await startService();
    const { status, headers, body } = await service.authorize();
    expect(status).toBe(200);
    expect(body['access_token']).toMatch(/^[\w-]{20,}$/);
    expect(headers['cache-control']).toBe('no-store');
  });

  test('A1 a client secret may contain colons', async () => {
    const client = anotherClient({ clientSecret: 'a:b:c' });
    const service = await startService({ clients: [client] });
    expect(await service.token(client)).not.toBe('');
  });

  test('A2 the response also has token_type and expires_in', async () => {
    const service = await startService();
    expect((await service.authorize()).body).toMatchObject({ token_type: 'bearer', expires_in: 599 });
  });

  test('A2 with tokenResponseFields: false, the response has only access_token', async () => {
    const service = await startService({ tokenResponseFields: false });
    expect(Object.keys((await service.authorize()).body)).toEqual(['access_token']);
  });

  test.each([
    ['a wrong secret', basic(DEFAULT_CLIENT.clientId, 'wrong')],
    ['an unknown client', basic('nobody', DEFAULT_CLIENT.clientSecret)],
    ['an empty secret', basic(DEFAULT_CLIENT.clientId, '')],
    ['no colon', `Basic ${Buffer.from(DEFAULT_CLIENT.clientId).toString('base64')}`],
    ['something that is not base64', 'Basic §§§'.replaceAll('§', '%')],
    ['another scheme', `Bearer ${DEFAULT_CLIENT.clientSecret}`],
    ['nothing', ''],
  ])('A5 an Authorization header with %s is answered 401', async (_what, authorization) => {
    const service = await startService();
    const answer = await service.authorize({ headers: { ...FORM, authorization } });
    expectProblem(answer, 401);
    expect(answer.headers['www-authenticate']).toMatch(/^Basic /);
  });

  test.each([
    '',
    'grant_type=',
    'grant_type=password',
    'grant=client_credentials',
    'grant_type=client_credentials&grant_type=x',
  ])('A5 the form "%s" is answered 400', async (body) => {
    const service = await startService();
    expectProblem(await service.authorize({ body }), 400);
  });

  test('A5 a body of another content type is answered 400, or with wrongContentTypeStatus', async () => {
    const sending = {
      headers: { authorization: rightCredentials, ...JSON_TYPE },
      body: '{"grant_type":"client_credentials"}',
    };
    expectProblem(await (await startService()).authorize(sending), 400);
    expectProblem(await (await startService({ wrongContentTypeStatus: 415 })).authorize(sending), 415);
  });
});

describe('the lifetime of a token', () => {
  test('A3 a token is valid for any number of calls during 599 s, and is then refused', async () => {
    const service = await startService();
    const headers = { ...bearer(await service.token()), ...JSON_TYPE };
    const create = () => service.create(eft(), { headers });
    expect((await create()).status).toBe(201);
    service.clock.advance(598_999);
    expect((await create()).status).toBe(201);
    service.clock.advance(1);
    expectProblem(await create(), 401);
  });

  test('A3 after a client gets a second token, its first token is still valid', async () => {
    const service = await startService();
    const first = await service.token();
    await service.token();
    expect((await service.create(eft(), { headers: { ...bearer(first), ...JSON_TYPE } })).status).toBe(201);
  });

  test('A3 the option tokenLifetimeMs sets another lifetime', async () => {
    const service = await startService({ tokenLifetimeMs: 5_000 });
    expect((await service.authorize()).body['expires_in']).toBe(5);
    const headers = bearer(await service.token());
    service.clock.advance(5_000);
    expectProblem(await service.create(eft(), { headers }), 401);
  });

  test('revokeTokens makes all existing tokens invalid (401); tokens issued later work', async () => {
    const service = await startService();
    const headers = { ...bearer(await service.token()), ...JSON_TYPE };
    service.sandbox.revokeTokens();
    expectProblem(await service.create(eft(), { headers }), 401);
    expect((await service.create(eft())).status).toBe(201);
  });

  test('beyond maxTokensPerClient, a client’s oldest token becomes invalid; tokens of other clients stay valid', async () => {
    const other = anotherClient();
    const service = await startService({ clients: [DEFAULT_CLIENT, other], maxTokensPerClient: 2 });
    const others = await service.token(other);
    const tokens = [await service.token(), await service.token(), await service.token(), others];
    const answers = await Promise.all(
      tokens.map((token) => service.create(eft(), { headers: { ...bearer(token), ...JSON_TYPE } })),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 201, 201, 201]);
  });
});

describe('the order of refusals', () => {
  type Call = (service: Service, authorization: string) => Promise<Answer>;

  const calls: readonly (readonly [string, Call])[] = [
    [
      'create',
      (service, authorization) => service.create(eft(), { headers: { authorization, ...JSON_TYPE } }),
    ],
    [
      'details',
      (service, authorization) =>
        service.send(`/api/v2/sessions/${someId}/details`, { headers: { authorization } }),
    ],
    ['cancel', (service, authorization) => service.cancel(someId, { headers: { authorization } })],
  ];

  test.each(calls)('A4 %s without a valid Bearer token is answered 401', async (_name, call) => {
    const service = await startService();
    for (const authorization of ['', 'Bearer', 'Bearer wrong', rightCredentials, 'Bearer a b']) {
      const answer = await call(service, authorization);
      expectProblem(answer, 401);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
    }
  });

  test('A6 401 comes before 403, 400 and 413', async () => {
    const withoutFeature = { ...DEFAULT_CLIENT, features: [] };
    const service = await startService({ clients: [withoutFeature] });
    const headers = { authorization: 'Bearer wrong', 'content-type': 'text/plain' };
    for (const body of [JSON.stringify(eft()), '{', 'x'.repeat(70_000)]) {
      expectProblem(await service.create(undefined, { headers, body }), 401);
    }
    expectProblem(await service.authorize({ headers: { authorization: 'Basic x' }, body: '' }), 401);
  });

  test('A6 403 comes before 400', async () => {
    const withoutFeature = { ...DEFAULT_CLIENT, features: [] };
    const service = await startService({ clients: [withoutFeature] });
    const request = eft().without('payor').with('direction', 'CREDIT').with('referenceId', '!');
    expectProblem(await service.create(request), 403);
  });
});
