import { afterEach, describe, expect, test } from '@jest/globals';
import { ServiceError } from '../../../../src/errors';
import { eft } from '../../../support/requests';
import {
  cleanUp,
  client,
  json,
  localService,
  SESSION_ID,
  type Behaviour,
} from '../../../support/service/local-service';
import { base64, hexOf } from '../../../support/service/redaction/encodings';

afterEach(cleanUp);

describe('a service that echoes what it was sent', () => {
  const account = (baseUrl: string) => ({ baseUrl, clientId: 'client', clientSecret: 'a-client-secret/+&' });
  const TOKEN = 'the+first/access.token';

  /** Repeats the Authorization header wherever an answer has a text, and the credentials with it. */
  const echo =
    (status: number): Behaviour =>
    (response, { headers }) => {
      const sent = headers.authorization ?? '';
      const all = [sent, base64(sent), encodeURIComponent(sent), hexOf(sent), 'a-client-secret/+&'].join(' ');
      json(response, status, {
        status: status < 400 ? all : status,
        statusDetails: sent,
        referenceId: all,
        title: all,
        detail: sent.slice(0, 20),
        instance: `/x?token=${encodeURIComponent(sent)}`,
        errors: { [all]: [all] },
      });
    };

  const giveToken: Behaviour = (response) => {
    json(response, 200, { access_token: TOKEN });
  };

  const forbidden = [
    TOKEN,
    'a-client-secret',
    base64(TOKEN),
    hexOf(TOKEN),
    TOKEN.slice(0, 9),
    base64('client:a-client-secret/+&'),
  ];

  function expectNoSecret(kept: unknown): void {
    const text = JSON.stringify(kept);
    expect(text).toContain('[redacted]');
    for (const secret of forbidden) expect(text).not.toContain(secret);
  }

  test.each([200, 400, 401, 403, 404, 409, 500])('leaves no trace of it in a %i', async (status) => {
    const service = await localService({
      '/authorize': giveToken,
      '/sessions': echo(status),
      '/details': echo(status),
      '/cancel': echo(status),
    });
    // One for each call: a client whose token was refused sends no other for a while.
    const payments = () => client(service.baseUrl, { account: account(service.baseUrl) });
    const failureOf = (error: unknown) => (error instanceof ServiceError ? error.failure : error);
    expectNoSecret(await payments().identifySession(SESSION_ID).catch(failureOf));
    expectNoSecret(await payments().cancelSession(SESSION_ID).catch(failureOf));
    const outcome = await payments().createSession(eft());
    expect(outcome.outcome).not.toBe('created');
    if (status >= 400) expectNoSecret(outcome);
  });

  test('leaves no trace of it when it refuses the credentials', async () => {
    const service = await localService({ '/authorize': echo(401) });
    const payments = client(service.baseUrl, { account: account(service.baseUrl) });
    const error: unknown = await payments.authenticate().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'SERVICE_CREDENTIALS_REJECTED' });
    expectNoSecret((error as ServiceError).failure);
  });

  test('has created no session whose id is a secret', async () => {
    const service = await localService({
      '/authorize': giveToken,
      '/sessions': (response, { headers }) => {
        json(response, 201, { sessionId: headers.authorization, referenceId: null });
      },
    });
    const payments = client(service.baseUrl, { account: account(service.baseUrl) });
    expect(await payments.createSession(eft())).toMatchObject({ outcome: 'unknown' });
  });
});

test('a token that the service issues again is used again', async () => {
  const service = await localService({
    '/authorize': (response) => {
      json(response, 200, { access_token: 'the-same-token' });
    },
    '/details': (response, { headers }, count) => {
      if (count === 1) json(response, 401, {});
      else json(response, 200, { status: 'Expired', token: headers.authorization });
    },
  });
  await expect(client(service.baseUrl).sessionDetails(SESSION_ID)).resolves.toEqual({ status: 'Expired' });
});

test('a reference that holds a short secret is still the expected one', async () => {
  const expected = { type: 'EFT', direction: 'DEBIT', referenceId: 'test-order-7' };
  const service = await localService({
    '/details': (response) => {
      json(response, 200, { ...expected, sessionId: SESSION_ID, status: 'Expired' });
    },
  });
  const account = { baseUrl: service.baseUrl, clientId: 'client', clientSecret: 'test' };
  const payments = client(service.baseUrl, { account });
  await expect(payments.sessionDetails(SESSION_ID, { expected })).resolves.toEqual({ status: 'Expired' });
});
