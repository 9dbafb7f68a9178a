import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { proxyFor } from '../../../src/service/http/connections';
import { startProxy, withoutProxies } from '../../support/service/egress-proxy';
import { eft } from '../../support/requests';
import {
  cleanUp,
  client,
  created,
  json,
  judged,
  listen,
  localService,
  SESSION_ID,
} from '../../support/service/local-service';

const environment = withoutProxies();

beforeEach(environment.clear);

afterEach(async () => {
  await cleanUp();
  environment.restore();
});

const PROXY = 'http://proxy.corp:3128';

describe('the proxy for a URL', () => {
  const found = (url: string, env: NodeJS.ProcessEnv) => {
    const proxy = proxyFor(new URL(url), env);
    return proxy && `${proxy.variable} ${proxy.url.href}`;
  };

  test.each<[url: string, env: NodeJS.ProcessEnv, expected: string | undefined]>([
    ['https://pay.example', {}, undefined],
    ['https://pay.example', { HTTPS_PROXY: PROXY }, `HTTPS_PROXY ${PROXY}/`],
    ['https://pay.example', { https_proxy: PROXY }, `https_proxy ${PROXY}/`],
    ['https://pay.example', { https_proxy: PROXY, HTTPS_PROXY: 'http://other:1' }, `https_proxy ${PROXY}/`],
    ['https://pay.example', { HTTP_PROXY: PROXY }, `HTTP_PROXY ${PROXY}/`],
    [
      'https://pay.example',
      { http_proxy: PROXY, HTTPS_PROXY: 'http://other:1' },
      'HTTPS_PROXY http://other:1/',
    ],
    ['http://pay.example', { HTTP_PROXY: PROXY }, `HTTP_PROXY ${PROXY}/`],
    ['http://pay.example', { HTTPS_PROXY: PROXY }, undefined],
    ['https://pay.example', { HTTPS_PROXY: '' }, undefined],
    ['https://pay.example', { https_proxy: '', HTTPS_PROXY: PROXY }, undefined],
    ['https://pay.example', { HTTPS_PROXY: 'proxy.corp:3128' }, `HTTPS_PROXY ${PROXY}/`],
    ['https://pay.example', { HTTPS_PROXY: 'https://proxy.corp' }, 'HTTPS_PROXY https://proxy.corp/'],
    // Calls to this machine do not use a proxy.
    ['http://127.0.0.1:3000', { HTTP_PROXY: PROXY }, undefined],
    ['http://localhost:3000', { HTTP_PROXY: PROXY }, undefined],
    ['http://[::1]:3000', { HTTP_PROXY: PROXY }, undefined],
    ['http://127.8.8.8', { HTTP_PROXY: PROXY }, undefined],
  ])('%s with the environment %p is %p', (url, env, expected) => {
    expect(found(url, env)).toBe(expected);
  });

  test.each([
    ['pay.example', 'https://pay.example', false],
    ['PAY.EXAMPLE', 'https://pay.example', false],
    ['example', 'https://pay.example', false],
    ['.example', 'https://pay.example', false],
    ['*.example', 'https://pay.example', false],
    ['.pay.example', 'https://pay.example', false],
    ['ay.example', 'https://pay.example', true],
    ['other.example, pay.example', 'https://pay.example', false],
    ['other.example pay.example', 'https://pay.example', false],
    ['other.example', 'https://pay.example', true],
    ['*', 'https://pay.example', false],
    ['other.example,*', 'https://pay.example', false],
    ['', 'https://pay.example', true],
    [' , ', 'https://pay.example', true],
    ['pay.example:443', 'https://pay.example', false],
    ['pay.example:443', 'https://pay.example:8443', true],
    ['pay.example:8443', 'https://pay.example:8443', false],
    ['10.0.0.7', 'https://10.0.0.7', false],
    ['10.0.0.0/8', 'https://10.1.2.3', false],
    ['10.0.0.0/8', 'https://11.1.2.3', true],
    ['10.0.0.0/8', 'https://pay.example', true],
    ['[fd00::7]', 'https://[fd00::7]', false],
    ['fd00::7', 'https://[fd00::7]', false],
    ['fd00::/8', 'https://[fd00::7]', false],
    ['fd00::/8', 'https://[2606:4700::1111]', true],
    ['10.0.0.0/x', 'https://10.1.2.3', true],
    ['999.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/99', 'https://10.1.2.3', true],
  ])('with NO_PROXY=%p and %s is used: %p', (exceptions, url, isUsed) => {
    expect(found(url, { HTTPS_PROXY: PROXY, NO_PROXY: exceptions }) !== undefined).toBe(isUsed);
    expect(found(url, { HTTPS_PROXY: PROXY, no_proxy: exceptions }) !== undefined).toBe(isUsed);
  });

  test.each([
    'socks5://proxy:1080',
    'ftp://proxy',
    'http://',
    'http://user:p%ss@proxy:99999',
    'http://user%:20ss@proxy',
    '::',
  ])('is refused if it is %p, and the error has the variable’s name, but not the value', (value) => {
    let error: unknown;
    try {
      proxyFor(new URL('https://pay.example'), { HTTPS_PROXY: value });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: 'INVALID_SETTINGS', failures: [{ path: 'HTTPS_PROXY' }] });
    expect(String(error)).not.toContain(value);
  });
});

const portOf = (url: string): number => Number(new URL(url).port);

describe('a call to the payment service', () => {
  test('for a token, a create request or details uses the proxy', async () => {
    const service = await localService({
      '/sessions': created,
      '/details': (response) => {
        json(response, 200, { sessionId: SESSION_ID, status: 'Expired' });
      },
    });
    const proxy = await startProxy(portOf(service.baseUrl));
    process.env['HTTP_PROXY'] = proxy.url.replace('http://', 'http://user:p%40ss@');
    const payments = client('http://pay.internal.example');
    expect(judged(await payments.createSession(eft()))).toEqual(['created']);
    await expect(payments.sessionDetails(SESSION_ID)).resolves.toEqual({ status: 'Expired' });
    expect(new Set(proxy.asked)).toEqual(new Set(['pay.internal.example:80']));
    expect(proxy.headers[0]).toMatchObject({
      'proxy-authorization': `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
    });
    expect(service.received.map(({ headers }) => headers['proxy-authorization'])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(service.requests('/sessions')).toMatchObject([{ headers: { host: 'pay.internal.example' } }]);
  });

  test('bypasses the proxy if NO_PROXY names its host', async () => {
    const proxy = await startProxy(9);
    process.env['HTTP_PROXY'] = proxy.url;
    process.env['NO_PROXY'] = 'nowhere.invalid';
    expect(judged(await client('http://nowhere.invalid').createSession(eft()))).toEqual([
      'notSent',
      'SERVICE_UNREACHABLE',
    ]);
    expect(proxy.asked).toEqual([]);
  });

  test.each([403, 407, 502])(
    'that the proxy refuses with %i counts as not sent, and the failure has that status',
    async (status) => {
      const proxy = await startProxy(9, { refusesWith: status });
      process.env['HTTP_PROXY'] = proxy.url;
      const outcome = await client('http://pay.internal.example').createSession(eft());
      expect(outcome).toMatchObject({
        outcome: 'notSent',
        failure: {
          code: 'SERVICE_UNREACHABLE',
          message: expect.stringContaining(`nothing was sent (PROXY_${status})`),
        },
      });
    },
  );

  test('that cannot reach the proxy counts as not sent', async () => {
    process.env['HTTP_PROXY'] = 'http://127.0.0.1:9';
    expect(judged(await client('http://pay.internal.example').createSession(eft()))).toEqual([
      'notSent',
      'SERVICE_UNREACHABLE',
    ]);
  });

  test('that is stopped while the proxy hangs counts as not sent', async () => {
    const server = createServer();
    server.on('connect', () => undefined);
    process.env['HTTP_PROXY'] = await listen(server);
    const payments = client('http://pay.internal.example', { callTimeoutMs: 300 });
    expect(judged(await payments.createSession(eft()))).toEqual(['notSent', 'SERVICE_UNREACHABLE']);
  });

  test('may have been sent if the connection breaks behind the proxy', async () => {
    const service = await localService({
      '/sessions': (response) => {
        response.socket?.resetAndDestroy();
      },
    });
    const proxy = await startProxy(portOf(service.baseUrl));
    process.env['HTTP_PROXY'] = proxy.url;
    const outcome = await client('http://pay.internal.example').createSession(eft());
    expect(outcome).toMatchObject({ outcome: 'unknown' });
    expect(service.requests('/sessions')).toHaveLength(1);
  });

  test('is impossible with an unusable proxy: the client refuses the setting', () => {
    process.env['HTTP_PROXY'] = 'socks5://127.0.0.1:9';
    expect(() => client('http://pay.internal.example')).toThrow(
      expect.objectContaining({ code: 'INVALID_SETTINGS' }),
    );
  });
});
