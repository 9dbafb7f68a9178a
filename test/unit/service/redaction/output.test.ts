import { inspect } from 'node:util';
import { afterEach, expect, jest, test } from '@jest/globals';
import {
  cleanUp,
  client,
  json,
  localService,
  reset,
  SESSION_ID,
} from '../../../support/service/local-service';

const ACCESS_TOKEN = 'the-access-token';
const CLIENT_SECRET = 'the-client-secret';

afterEach(async () => {
  jest.restoreAllMocks();
  await cleanUp();
});

/** Records everything that the process writes to its output, through `console` or directly. */
function recordOutput(): unknown[] {
  const written: unknown[] = [];
  const record = (...args: unknown[]) => void written.push(...args);
  for (const method of ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const)
    jest.spyOn(console, method).mockImplementation(record);
  for (const stream of [process.stdout, process.stderr])
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      record(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
      return true;
    });
  return written;
}

test('calls of the payment service do not write the token or the client secret to the output', async () => {
  const service = await localService({
    '/authorize': (response) => {
      json(response, 200, { access_token: ACCESS_TOKEN });
    },
    '/details': (response) => {
      json(response, 200, { status: 'Expired' });
    },
    '/cancel': reset,
  });
  const account = { baseUrl: service.baseUrl, clientId: 'client', clientSecret: CLIENT_SECRET };
  const payments = client(service.baseUrl, { account });
  const written = recordOutput();
  await payments.authenticate();
  await payments.sessionDetails(SESSION_ID);
  await expect(payments.cancelSession(SESSION_ID)).rejects.toMatchObject({ code: 'SERVICE_INTERRUPTED' });
  const output = inspect(written);
  expect(service.requests('/details')[0]?.headers.authorization).toContain(ACCESS_TOKEN);
  expect(output).not.toContain(ACCESS_TOKEN);
  expect(output).not.toContain(CLIENT_SECRET);
});
