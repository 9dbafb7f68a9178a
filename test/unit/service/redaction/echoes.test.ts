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

describe('if the payment service repeats secrets in an answer', () => {
  const account = (baseUrl: string) => ({ baseUrl, clientId: 'client', clientSecret: 'a-client-secret/+&' });
  const TOKEN = 'the+first/access.token';

  /** Answers with this status. The texts repeat the secrets of the request: as they were sent, encoded or cut off. */
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

  /** Expects that a result contains none of the secrets, but the mark of a redaction. */
  function expectNoSecret(result: unknown): void {
    const text = JSON.stringify(result);
    expect(text).toContain('[redacted]');
    for (const secret of forbidden) expect(text).not.toContain(secret);
  }

  test.each([200, 400, 401, 403, 404, 409, 500])(
    'the client redacts the secrets of an answer with the HTTP status %i',
    async (status) => {
      const service = await localService({
        '/authorize': giveToken,
        '/sessions': echo(status),
        '/details': echo(status),
        '/cancel': echo(status),
      });
      // Each call has its own client, because a client whose token was refused pauses.
      const payments = () => client(service.baseUrl, { account: account(service.baseUrl) });
      const failureOf = (error: unknown) => (error instanceof ServiceError ? error.failure : error);
      expectNoSecret(await payments().identifySession(SESSION_ID).catch(failureOf));
      expectNoSecret(await payments().cancelSession(SESSION_ID).catch(failureOf));
      const outcome = await payments().createSession(eft());
      expect(outcome.outcome).not.toBe('created');
      // The outcome of a 200 without a session contains no text of the answer.
      if (status >= 400) expectNoSecret(outcome);
    },
  );

  test('the client redacts the secrets in the failure of a refused token request', async () => {
    const service = await localService({ '/authorize': echo(401) });
    const payments = client(service.baseUrl, { account: account(service.baseUrl) });
    const error: unknown = await payments.authenticate().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'SERVICE_CREDENTIALS_REJECTED' });
    expectNoSecret((error as ServiceError).failure);
  });

  test('the client does not accept a secret as a session id', async () => {
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

test('the client uses a rejected token again if the service issues this token again', async () => {
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

test('a reference that contains a short secret still equals the expected reference', async () => {
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
