import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { webhookPost } from '../../../../ledger';
import { throughProxy } from '../../../../src/service/http/connections';
import { startProxy, withoutProxies } from '../../../support/service/egress-proxy';
import { endless } from '../../../support/service/endless-answer';
import { cleanUp, listen, localService } from '../../../support/service/local-service';

const environment = withoutProxies();
const close: (() => Promise<unknown>)[] = [];

beforeEach(environment.clear);

afterEach(async () => {
  for (const one of close.splice(0)) await one();
  await cleanUp();
  environment.restore();
});

const FORBIDDEN = { delivered: false, outcome: 'ADDRESS_FORBIDDEN' };

/** Sends one webhook. The endpoint's name resolves to `addresses`. With `undefined`, the name does not exist in this network. */
async function send(url: string, addresses?: readonly string[], allowsLoopback = false) {
  const resolve = (): Promise<LookupAddress[]> =>
    addresses === undefined
      ? Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
      : Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
  const post = webhookPost({ allowsLoopback, resolve });
  close.push(() => post.close());
  return post.send({ name: 'shop', url, secrets: ['whsec_c2VjcmV0'] }, { id: 'msg_1', body: '{}' });
}

describe('with the variable HTTPS_PROXY, a webhook', () => {
  test.each([
    ['that does not exist in this network', undefined],
    ['that resolves to a public address', ['93.184.216.34']],
  ])('is sent through the proxy to a name %s', async (_what, addresses) => {
    // The proxy refuses the call, so that the test needs no certificate.
    const proxy = await startProxy(9, { refusesWith: 403 });
    process.env['HTTPS_PROXY'] = proxy.url;
    expect(await send('https://shop.example/webhooks', addresses)).toEqual({
      delivered: false,
      outcome: 'PROXY_403',
    });
    expect(proxy.asked).toEqual(['shop.example:443']);
  });

  test.each([
    ['a cloud’s metadata service', ['169.254.169.254']],
    ['this machine', ['127.0.0.1']],
    ['a private network among others', ['93.184.216.34', '10.0.0.7']],
    ['a private network through NAT64', ['64:ff9b::a00:7']],
  ])('is not sent through the proxy to a name that resolves to %s', async (_where, addresses) => {
    const proxy = await startProxy(9, { refusesWith: 403 });
    process.env['HTTPS_PROXY'] = proxy.url;
    expect(await send('https://rebinding.example/webhooks', addresses)).toEqual(FORBIDDEN);
    expect(proxy.asked).toEqual([]);
  });

  test.each([
    'https://10.0.0.7/',
    'https://169.254.169.254/',
    'https://[64:ff9b::a00:7]/',
    'http://shop.example/',
  ])('is not sent through the proxy to the forbidden URL %s', async (url) => {
    const proxy = await startProxy(9, { refusesWith: 403 });
    process.env['HTTPS_PROXY'] = proxy.url;
    expect(await send(url)).toEqual(FORBIDDEN);
    expect(proxy.asked).toEqual([]);
  });

  test('bypasses the proxy if NO_PROXY names the endpoint’s host, and the host’s address is checked', async () => {
    const proxy = await startProxy(9, { refusesWith: 403 });
    process.env['HTTPS_PROXY'] = proxy.url;
    process.env['NO_PROXY'] = '.example';
    expect(await send('https://shop.example/webhooks', ['10.0.0.7'])).toEqual(FORBIDDEN);
    expect(await send('https://shop.example/webhooks')).toEqual({ delivered: false, outcome: 'ENOTFOUND' });
    expect(proxy.asked).toEqual([]);
  });

  test('has a limit for the bytes of its answer, also in the tunnel of a proxy', async () => {
    const { answer } = endless('', 'HTTP/1.1 103 Early Hints\r\n\r\n');
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        answer(socket);
      });
    });
    const { port } = new URL(await listen(server));
    const proxy = await startProxy(Number(port));
    const dispatcher = throughProxy(
      { variable: 'HTTPS_PROXY', url: new URL(proxy.url) },
      { connect: { timeout: 5_000 }, mostAnswerBytes: 65_536 },
    );
    close.push(() => dispatcher.destroy());
    await expect(request('http://shop.example/', { dispatcher })).rejects.toMatchObject({
      code: 'ANSWER_TOO_LARGE',
    });
  });

  test('to this machine bypasses the proxy in development', async () => {
    const receiver = await localService({ '/webhooks': (response) => void response.writeHead(204).end() });
    const proxy = await startProxy(9, { refusesWith: 403 });
    process.env['HTTP_PROXY'] = proxy.url;
    expect(await send(`${receiver.baseUrl}/webhooks`, undefined, true)).toEqual({
      delivered: true,
      outcome: 'HTTP 204',
    });
    expect(proxy.asked).toEqual([]);
  });
});
