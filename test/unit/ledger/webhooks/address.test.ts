import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { webhookPost } from '../../../../ledger';
import { isCallable, isWebhookUrl } from '../../../../src/settings/webhooks/address';

describe('the URL of a webhook endpoint may be', () => {
  test.each([
    'https://shop.example/webhooks',
    'https://shop.example:8443/webhooks?tenant=1',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://[64:ff9b::8.8.8.8]/',
    'https://[64:ff9b::5db8:d822]/',
    'https://[::ffff:8.8.8.8]/',
  ])('%s', (url) => {
    expect(isWebhookUrl(url, false)).toBe(true);
  });

  test.each([
    'http://localhost:3000/webhooks',
    'http://127.0.0.1:3000/',
    'http://[::1]:3000/',
    'https://localhost/',
  ])('%s, only in development', (url) => {
    expect([isWebhookUrl(url, true), isWebhookUrl(url, false)]).toEqual([true, false]);
  });
});

/** URLs that lead a worker into its own network, or that are invalid. */
const FORBIDDEN_URLS = {
  'plain http': 'http://shop.example/webhooks',
  'another protocol': 'ftp://shop.example/webhooks',
  'a file': 'file:///etc/passwd',
  'a script': 'javascript:alert(1)',
  'a text that is not a URL': 'shop.example/webhooks',
  'a user and password': 'https://shop:pass@shop.example/webhooks',
  'a user that looks like a host': 'https://shop.example@169.254.169.254/',
  'a fragment': 'https://shop.example/webhooks#part',
  'a cloud’s metadata service': 'https://169.254.169.254/latest/meta-data/',
  'the metadata service as one number': 'https://2852039166/latest/',
  'the metadata service in hexadecimal': 'https://0xa9fea9fe/latest/',
  'the metadata service in octal': 'https://0251.0376.0251.0376/latest/',
  'the metadata service in mixed parts': 'https://169.254.43518/latest/',
  'the metadata service as an IPv6 address': 'https://[::ffff:169.254.169.254]/latest/',
  'the metadata service through NAT64': 'https://[64:ff9b::a9fe:a9fe]/latest/',
  'the metadata service through NAT64, written long': 'https://[0064:ff9b:0:0:0:0:169.254.169.254]/latest/',
  'this machine through NAT64': 'https://[64:ff9b::7f00:1]/',
  'a private network through NAT64': 'https://[64:ff9b::10.0.0.1]/',
  'a home network through NAT64': 'https://[64:ff9b::c0a8:101]/',
  'no address through NAT64': 'https://[64:ff9b::]/',
  'a network’s own NAT64 prefix': 'https://[64:ff9b:1::808:808]/',
  'an IPv4-translated address': 'https://[::ffff:0:8.8.8.8]/',
  'an IPv4-compatible address': 'https://[::8.8.8.8]/',
  'a private network as an IPv4-mapped address': 'https://[::ffff:c0a8:101]/',
  'the metadata service through 6to4': 'https://[2002:a9fe:a9fe::]/latest/',
  'the metadata service of IPv6': 'https://[fd00:ec2::254]/latest/',
  'Alibaba’s metadata service': 'https://100.100.100.200/latest/',
  'Azure’s wire server': 'https://168.63.129.16/machine',
  'Oracle’s metadata service': 'https://192.0.0.192/latest/',
  'this machine': 'https://127.0.0.1/',
  'this machine by another of its addresses': 'https://127.8.8.8/',
  'this machine, written short': 'https://127.1/',
  'this machine as zero': 'https://0.0.0.0/',
  'this machine as 0': 'https://0/',
  'this machine in IPv6': 'https://[::1]/',
  'this machine, written long': 'https://[0:0:0:0:0:0:0:1]/',
  'this machine as an IPv4-mapped address': 'https://[::ffff:127.0.0.1]/',
  'this machine as an IPv4-mapped address in hexadecimal': 'https://[::ffff:7f00:1]/',
  'the unspecified address of IPv6': 'https://[::]/',
  'this machine in full-width characters': 'https://１２７.０.０.１/',
  'this machine with a dot at its end': 'https://127.0.0.1./',
  'a private network': 'https://10.0.0.1/',
  'another private network': 'https://172.31.255.255/',
  'a home network': 'https://192.168.1.1/',
  'a provider’s network': 'https://100.64.0.1/',
  'a network for benchmarks': 'https://198.18.0.1/',
  'a link-local address': 'https://[fe80::1]/',
  'a private network of IPv6': 'https://[fc00::1]/',
  'a Teredo address': 'https://[2001:0:a9fe:a9fe::1]/',
  'a documentation address of IPv6': 'https://[2001:db8::1]/',
  'a multicast address': 'https://224.0.0.1/',
  'a multicast address of IPv6': 'https://[ff02::1]/',
  'the broadcast address': 'https://255.255.255.255/',
};

describe('the URL of a webhook endpoint may not be', () => {
  test.each(Object.entries(FORBIDDEN_URLS))('%s', (_what, url) => {
    expect([isWebhookUrl(url, false), url.startsWith('http://') && isWebhookUrl(url, true)]).toEqual([
      false,
      false,
    ]);
  });
});

describe('a webhook endpoint', () => {
  const MESSAGE = { id: 'msg_1', body: '{}' };
  const close: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const one of close.splice(0)) await one();
  });

  async function send(url: string, answers: readonly (readonly string[])[] = [], allowsLoopback = false) {
    let lookups = 0;
    const resolve = (): Promise<LookupAddress[]> => {
      const addresses = answers[Math.min(lookups, answers.length - 1)] ?? [];
      lookups += 1;
      return Promise.resolve(
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
    const post = webhookPost({ allowsLoopback, resolve });
    close.push(() => post.close());
    const delivery = await post.send({ name: 'shop', url, secrets: ['whsec_c2VjcmV0'] }, MESSAGE);
    return { delivery, lookups };
  }

  /** Starts a server that answers every request with a redirect, and counts its connections. */
  async function listen() {
    let calls = 0;
    const server = createServer((_request, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
    });
    server.on('connection', () => (calls += 1));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    close.push(async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    });
    return { port: (server.address() as AddressInfo).port, calls: () => calls };
  }

  const FORBIDDEN = { delivered: false, outcome: 'ADDRESS_FORBIDDEN' };

  test.each([
    ['to a private address', ['10.0.0.7']],
    ['to a cloud’s metadata service', ['169.254.169.254']],
    ['to this machine', ['127.0.0.1']],
    ['to a private address of IPv6', ['fd00::7']],
    ['to a private address, IPv4-mapped', ['::ffff:10.0.0.7']],
    ['to a public address and a private address', ['93.184.216.34', '10.0.0.7']],
    ['to a private address through NAT64', ['64:ff9b::a00:7']],
    ['to a public address and a private address through NAT64', ['64:ff9b::808:808', '64:ff9b::a00:7']],
    ['to no address', []],
  ])('is not called if its name resolves %s', async (_where, addresses) => {
    expect((await send('https://rebinding.example/webhooks', [addresses])).delivery).toEqual(FORBIDDEN);
  });

  test('is looked up only once, so the checked address is called even if the name resolves to another address afterwards', async () => {
    const { port, calls } = await listen();
    const { lookups } = await send(`https://rebinding.example:${port}/`, [['127.0.0.1'], ['10.0.0.7']], true);
    expect([lookups, calls()]).toEqual([1, 1]);
  });

  test('may use http only for localhost or a loopback address, not for a name that resolves to this machine', async () => {
    const { delivery, lookups } = await send('http://rebinding.example/webhooks', [['127.0.0.1']], true);
    expect([delivery, lookups]).toEqual([FORBIDDEN, 0]);
  });

  test('that redirects is not followed', async () => {
    const { port, calls } = await listen();
    const { delivery } = await send(`http://127.0.0.1:${port}/`, [], true);
    expect(delivery).toEqual({ delivered: false, outcome: 'HTTP 307' });
    expect(calls()).toBe(1);
  });
});

test.each([
  ['64:ff9b::808:808', true],
  ['64:FF9B::5DB8:D822', true],
  ['64:ff9b:0:0:0:0:808:808', true],
  ['64:ff9b::0808:0808', true],
  ['::ffff:8.8.8.8', true],
  ['::ffff:808:808', true],
  ['64:ff9b::7f00:1', false],
  ['64:ff9b::a00:1', false],
  ['64:ff9b::a9fe:a9fe', false],
  ['64:ff9b::c0a8:101', false],
  ['64:ff9b::1', false],
  ['64:ff9b:1::808:808', false],
  ['64:ff9b:0:1::808:808', false],
  ['65:ff9b::808:808', false],
  ['::ffff:10.0.0.1', false],
  ['2002:808:808::1', false],
  ['2001:0:808:808::1', false],
  ['fe80::1%eth0', false],
  ['64:ff9b::808:808%eth0', false],
  ['8.8.8.8', true],
  ['8.8.8', false],
  ['', false],
])('for the address %p, sending a webhook is allowed: %p', (address, may) => {
  expect([isCallable(address, false), isCallable(address, true)]).toEqual([may, may]);
});

test('a webhook may be sent to an address of this machine only in development', () => {
  expect([
    isCallable('127.0.0.1', true),
    isCallable('127.0.0.1', false),
    isCallable('10.0.0.1', true),
  ]).toEqual([true, false, false]);
});
