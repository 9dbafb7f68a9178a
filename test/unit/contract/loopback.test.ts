import { expect, test } from '@jest/globals';
import { isLoopbackAddress, isLoopbackHost } from '../../../src/contract/values/loopback';

test.each([
  ['127.0.0.1', true, true],
  ['::1', true, true],
  ['localhost', true, false],
  ['[::1]', true, false],
  ['127.0.0.2', false, true],
  ['::ffff:127.0.0.1', false, true],
  ['0.0.0.0', false, false],
  ['::', false, false],
  ['127.0.0.1.shop.example', false, false],
  ['localhost.shop.example', false, false],
  ['192.0.2.127', false, false],
])('%s means this machine: %p as a host name, %p as an IP address', (name, asHost, asAddress) => {
  expect([isLoopbackHost(name), isLoopbackAddress(name)]).toEqual([asHost, asAddress]);
});
