import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { PaymentService } from '../../../src/service';
import { resolveOptions } from '../../../src/service/options';
import { eft } from '../../support/requests';
import { until } from '../../support/wait';
import {
  accepting,
  cleanUp,
  client,
  created,
  hang,
  json,
  judged,
  listen,
  localService,
  SESSION_ID,
  type Behaviour,
} from '../../support/service/local-service';

afterEach(cleanUp);

/** Gets a token with the client, and returns the client. So its short time limits apply only to the tested call. */
async function authenticated(payments: PaymentService): Promise<PaymentService> {
  await until(
    () =>
      payments.authenticate().then(
        () => true,
        () => false,
      ),
    Boolean,
  );
  return payments;
}

/** Sends a byte every 20 ms and never ends. */
const drip: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => {
    clearInterval(timer);
  });
};

test('by default, the service’s client waits 10 s for headers, 15 s for an exchange, and 30 s for a whole call', () => {
  const account = { baseUrl: 'https://pay.example', clientId: 'client', clientSecret: 'secret' };
  expect(resolveOptions({ account })).toMatchObject({
    headersTimeoutMs: 10_000,
    exchangeTimeoutMs: 15_000,
    callTimeoutMs: 30_000,
  });
});

describe('a create request without an answer in time has the outcome “unknown” and is not sent again', () => {
  const timeouts = { headersTimeoutMs: 200, bodyTimeoutMs: 200 };
  const stopping: Behaviour = (response) => {
    response.writeHead(201).write('{');
  };

  test.each([
    ['no answer', hang],
    ['a body that stops', stopping],
  ])('if the service sends %s', async (_name, behaviour) => {
    const service = await localService({ '/sessions': behaviour });
    const payments = await authenticated(client(service.baseUrl, timeouts));
    expect(judged(await payments.createSession(eft()))).toEqual(['unknown', 'SERVICE_INTERRUPTED']);
    expect(service.requests('/sessions')).toHaveLength(1);
  });
});

test('a create request has the outcome “notSent” if the connection takes too long', async () => {
  // This server accepts connections, and never answers the TLS handshake.
  const silent = await listen(createTcpServer());
  const payments = client(silent.replace('http:', 'https:'), { connectTimeoutMs: 200 });
  const outcome = await payments.createSession(eft());
  expect(judged(outcome)).toEqual(['notSent', 'SERVICE_UNREACHABLE']);
  expect(outcome).toMatchObject({
    failure: { message: expect.stringContaining('UND_ERR_CONNECT_TIMEOUT') },
  });
});

describe('an answer of the service that arrives byte by byte until the time limit of an exchange', () => {
  test('fails a poll', async () => {
    const service = await localService({ '/details': drip });
    const payments = await authenticated(client(service.baseUrl, { exchangeTimeoutMs: 300 }));
    await expect(payments.sessionDetails('any')).rejects.toMatchObject({
      code: 'SERVICE_INTERRUPTED',
      message: expect.stringContaining('CALL_TIMEOUT'),
    });
  });

  test('gives a create request the outcome “unknown”', async () => {
    const service = await localService({ '/sessions': drip });
    const payments = await authenticated(client(service.baseUrl, { exchangeTimeoutMs: 300 }));
    await expect(payments.createSession(eft())).resolves.toMatchObject({ outcome: 'unknown' });
  });

  test('gives a create request the outcome “notSent” if it is the answer to the token request', async () => {
    const service = await localService({ '/authorize': drip, '/sessions': created });
    const payments = client(service.baseUrl, { exchangeTimeoutMs: 300 });
    await expect(payments.createSession(eft())).resolves.toMatchObject({ outcome: 'notSent' });
  });
});

test('a call to the service has a time limit for each exchange and another for the whole call', async () => {
  const slowly =
    (behaviour: Behaviour): Behaviour =>
    (...call) => {
      setTimeout(() => {
        behaviour(...call);
      }, 500);
    };
  const behaviours = {
    '/authorize': slowly((response, _received, count) => {
      json(response, 200, { access_token: `token-${count}` });
    }),
    '/sessions': slowly(accepting('token-2', created)),
  };
  const service = await localService(behaviours);
  const patient = client(service.baseUrl, { exchangeTimeoutMs: 1_900 });
  await expect(patient.createSession(eft())).resolves.toMatchObject({ outcome: 'created' });
  const other = await localService(behaviours);
  const hasty = client(other.baseUrl, { exchangeTimeoutMs: 1_900, callTimeoutMs: 1_200 });
  await expect(hasty.createSession(eft())).resolves.not.toMatchObject({ outcome: 'created' });
});

test('a poll that exceeds the time limit of a whole call fails with CALL_TIMEOUT', async () => {
  const service = await localService({ '/details': hang });
  const payments = client(service.baseUrl, { callTimeoutMs: 200 });
  await expect(payments.sessionDetails('any')).rejects.toMatchObject({
    message: expect.stringContaining('CALL_TIMEOUT'),
  });
});

test.each<[path: string, call: (payments: PaymentService) => Promise<unknown>]>([
  ['/details', (payments) => payments.sessionDetails(SESSION_ID)],
  ['/cancel', (payments) => payments.cancelSession(SESSION_ID)],
])('a call to %s without an answer fails with SERVICE_INTERRUPTED', async (path, call) => {
  const service = await localService({ [path]: hang });
  await expect(call(client(service.baseUrl, { headersTimeoutMs: 200 }))).rejects.toMatchObject({
    code: 'SERVICE_INTERRUPTED',
  });
});
