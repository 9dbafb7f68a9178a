import { afterEach, describe, expect, test } from '@jest/globals';
import { eft } from '../../../support/requests';
import {
  accepting,
  cleanUp,
  client,
  created,
  hang,
  json,
  localService,
  reset,
} from '../../../support/service/local-service';

afterEach(cleanUp);

describe('a create request', () => {
  test('is sent again once after a 401', async () => {
    const service = await localService({ '/sessions': accepting('token-2', created) });
    const outcome = await client(service.baseUrl).createSession(eft());
    expect(outcome.outcome).toBe('created');
    expect(service.requests('/sessions')).toHaveLength(2);
  });

  test('has the outcome notSent after a second 401', async () => {
    const service = await localService({ '/sessions': accepting('never', created) });
    await expect(client(service.baseUrl).createSession(eft())).resolves.toMatchObject({
      outcome: 'notSent',
      failure: { code: 'SERVICE_TOKEN_REJECTED', status: 401 },
    });
    expect(service.requests('/sessions')).toHaveLength(2);
  });

  test('has the outcome unknown if the second request after a 401 is interrupted', async () => {
    const service = await localService({ '/sessions': accepting('token-2', reset) });
    await expect(client(service.baseUrl).createSession(eft())).resolves.toMatchObject({
      outcome: 'unknown',
      failure: { code: 'SERVICE_INTERRUPTED' },
    });
  });

  test.each([
    ['wrong credentials', 401, {}, 'SERVICE_CREDENTIALS_REJECTED'],
    ['a 403, which may come from a proxy', 403, {}, 'SERVICE_FORBIDDEN'],
    ['a 400 with invalid_client', 400, { error: 'invalid_client' }, 'SERVICE_CREDENTIALS_REJECTED'],
    ['another 400', 400, { title: 'Bad Request' }, 'SERVICE_REQUEST_REJECTED'],
    ['a wrong base URL', 404, {}, 'SERVICE_REQUEST_REJECTED'],
    ['a broken service', 502, {}, 'SERVICE_FAILED'],
    ['an answer without a token', 200, {}, 'SERVICE_UNREADABLE'],
    ['a token that a header cannot contain', 200, { access_token: 'a\nb' }, 'SERVICE_UNREADABLE'],
  ])('has the outcome notSent if there is no token because of %s', async (_name, status, body, code) => {
    const service = await localService({
      '/authorize': (response) => {
        json(response, status, body);
      },
      '/sessions': created,
    });
    const outcome = await client(service.baseUrl).createSession(eft());
    expect(outcome).toMatchObject({ outcome: 'notSent', failure: { code } });
    expect(service.requests('/sessions')).toEqual([]);
  });

  test.each([
    ['interrupted', reset],
    ['never answered', hang],
  ])('has the outcome notSent if the token request is %s', async (_name, behaviour) => {
    const service = await localService({ '/authorize': behaviour, '/sessions': created });
    const payments = client(service.baseUrl, { callTimeoutMs: 200 });
    await expect(payments.createSession(eft())).resolves.toMatchObject({ outcome: 'notSent' });
    expect(service.requests('/sessions')).toEqual([]);
  });

  test('has the outcome notSent if the token request fails with an unexpected error', async () => {
    const service = await localService({ '/sessions': created });
    const payments = client(service.baseUrl, {
      now: () => {
        throw new TypeError('the clock is broken');
      },
    });
    await expect(payments.createSession(eft())).resolves.toMatchObject({
      outcome: 'notSent',
      failure: { code: 'SERVICE_UNREACHABLE', message: expect.stringContaining('(TypeError)') },
    });
    expect(service.received).toEqual([]);
  });
});
