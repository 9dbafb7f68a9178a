import { channel } from 'node:diagnostics_channel';
import { afterEach, describe, expect, test } from '@jest/globals';
import { SettingsError } from '../../../src/errors';
import { PaymentService, type PaymentServiceOptions } from '../../../src/service';
import { eft } from '../../support/requests';
import {
  cleanUp,
  client,
  created,
  hang,
  localService,
  SESSION_ID,
} from '../../support/service/local-service';

afterEach(cleanUp);

function settingsError(options: PaymentServiceOptions): SettingsError {
  try {
    new PaymentService(options);
  } catch (error) {
    if (error instanceof SettingsError) return error;
  }
  throw new Error('the options were accepted');
}

const account = (baseUrl: string) => ({ baseUrl, clientId: 'client', clientSecret: 'secret' });

describe('in the options of the payment service’s client', () => {
  test.each([
    '',
    'payments.example.com',
    '/api',
    'ftp://payments.example.com',
    'https://user:password@payments.example.com',
    'https://payments.example.com/?tenant=7',
    'https://payments.example.com/#top',
  ])('the base URL %p is refused, and the message does not repeat its password', (baseUrl) => {
    const error = settingsError({ account: account(baseUrl) });
    expect(error.failures.map(({ path }) => path)).toEqual(['baseUrl']);
    expect(error.message).not.toContain('password');
  });

  test('every wrong option is listed', () => {
    const error = settingsError({
      account: account('nowhere'),
      callTimeoutMs: 0,
      maxConnections: 1.5,
      headersTimeoutMs: 2 ** 31,
    });
    expect(error.failures.map(({ path }) => path)).toEqual([
      'baseUrl',
      'headersTimeoutMs',
      'callTimeoutMs',
      'maxConnections',
    ]);
  });

  test.each([
    ['https://payments.example.com', 'https://payments.example.com/app/?sessionId=a%2Fb'],
    ['https://payments.example.com/v/2//', 'https://payments.example.com/v/2/app/?sessionId=a%2Fb'],
  ])('the base URL %p is the beginning of the checkout URL', (baseUrl, checkoutUrl) => {
    expect(client(baseUrl).checkoutUrl('a/b')).toBe(checkoutUrl);
  });
});

describe('closing the payment service’s client', () => {
  test('lets a running call end', async () => {
    let answer = (): void => undefined;
    const service = await localService({
      '/sessions': (response, received, count) => {
        answer = () => {
          created(response, received, count);
        };
      },
    });
    const payments = client(service.baseUrl, { closeTimeoutMs: 10_000 });
    const outcome = payments.createSession(eft());
    await service.arrived('/sessions');
    const closed = payments.close();
    answer();
    expect((await outcome).outcome).toBe('created');
    await closed;
  });

  test('stops a call that does not end in time', async () => {
    const service = await localService({ '/sessions': hang });
    const payments = client(service.baseUrl, { closeTimeoutMs: 50 });
    const outcome = payments.createSession(eft());
    await service.arrived('/sessions');
    await payments.close();
    await expect(outcome).resolves.toMatchObject({ outcome: 'unknown' });
  });

  test('is allowed twice, and makes later calls fail', async () => {
    const service = await localService({});
    const payments = client(service.baseUrl);
    await Promise.all([payments.close(), payments.close()]);
    await expect(payments.sessionDetails(SESSION_ID)).rejects.toMatchObject({ code: 'SERVICE_UNREACHABLE' });
  });
});

test('after a call to the payment service, undici’s diagnostics channel has no subscriber', async () => {
  const service = await localService({ '/sessions': created });
  await client(service.baseUrl).createSession(eft());
  expect(channel('undici:client:sendHeaders').hasSubscribers).toBe(false);
});
